// SPDX-License-Identifier: Apache-2.0

/// The settings of erasures that users request.
extension SettingKey {
    static let erasures: [SettingKey] = [
        plan, dataURL, dataListenURL, graceDays, recentSignIn, wait, concurrency, batch, lease, deepScan, secondLook,
        issuers, issuerSecret, issuerSecretFile, systems, webhooks, appleEvents,
    ]

    static let plan = SettingKey(
        "erasures.plan", .text, "none",
        "The plan file (farewell.yaml). Without a plan the server accepts no erasures.")
    static let dataURL = SettingKey(
        "erasures.database-url", .text, "database.url",
        "The database that the plan describes, if it is not database.url.", isSecret: true)
    static let dataListenURL = SettingKey(
        "erasures.listen-url", .text, "none",
        "The address of PostgreSQL itself if erasures.database-url names a pooler.", isSecret: true)
    static let graceDays = SettingKey(
        "erasures.grace-days", .number(0...30), "0",
        "The days in which a user can cancel a request. Of 30 days the last is reserved for the work.")
    static let recentSignIn = SettingKey(
        "erasures.recent-sign-in", .number(0...86_400), "300",
        "How long a sign-in counts as recent, in seconds. 0 requires no recent sign-in.")
    static let wait = SettingKey(
        "erasures.wait", .number(1...300), "8",
        "The longest time that a call waits for an erasure to finish, in seconds.")
    static let concurrency = SettingKey(
        "erasures.concurrency", .number(0...64), "2",
        "How many batches of erasures the server works on at once. 0 leaves the work to farewell work.",
        formerName: "erasures.lanes")
    static let batch = SettingKey(
        "erasures.batch", .number(1...500), "50; 10 if rows name two users",
        "How many erasures a worker claims at once.")
    static let lease = SettingKey(
        "erasures.lease", .number(3...3_600), "15",
        "After this many seconds without a heartbeat, another worker takes over an erasure.")
    static let deepScan = SettingKey(
        "erasures.deep-scan", .number(0...1_000_000_000), "0",
        "The most rows of each table in which a deep scan searches for the subject after an erasure, as erase "
            + "--deep-rows does. 0 turns the scan off.")
    static let secondLook = SettingKey(
        "erasures.second-look", .number(0...255_600), "two minutes after the longest-lived token expires",
        "How many seconds after the end of an erasure Farewell reads back again. 0 turns this off.")
    static let issuers = SettingKey(
        "erasures.issuers", .list, "none", "Other issuers whose tokens name subjects of the plan, one on each line.")
    static let issuerSecret = SettingKey(
        "erasures.issuer-secret", .text, "none",
        "The legacy JWT secret of the Supabase project in erasures.issuers, used beside the keys that it publishes.",
        isSecret: true)
    static let issuerSecretFile = SettingKey(
        "erasures.issuer-secret-file", .text, "none", "The file with that secret, instead of erasures.issuer-secret.")
    static let systems = SettingKey(
        "erasures.systems", .list, "the plan's steps",
        "The names in the answer of DELETE /me/account, each written as name=table, name=folder, name=system "
            + "or name=identity.")
    static let webhooks = SettingKey(
        "erasures.webhooks-file", .text, "none", "The YAML file that lists the receivers of events.")
    static let appleEvents = SettingKey(
        "erasures.apple-events", .oneOf(["off", "on"]), "off",
        "Whether the server accepts Apple's server-to-server notifications at /v1/events/apple.")
}
