// SPDX-License-Identifier: Apache-2.0

/// The settings of erasures that users request.
extension SettingKey {
    static let erasures: [SettingKey] = [
        plan, dataURL, dataListenURL, graceDays, recentSignIn, wait, concurrency, batch, lease, deepScan, secondLook,
        issuers, issuerSecret, issuerSecretFile, systems, webhooks, appleEvents,
    ]

    static let plan = SettingKey(
        "erasures.plan", .text, "none", "The plan (farewell.yaml); without one, no erasures are accepted.")
    static let dataURL = SettingKey(
        "erasures.database-url", .text, "database.url", "The plan's database, if it differs from the server's.",
        isSecret: true)
    static let dataListenURL = SettingKey(
        "erasures.listen-url", .text, "none",
        "The same as database.listen-url, for erasures.database-url.", isSecret: true)
    static let graceDays = SettingKey(
        "erasures.grace-days", .number(0...30), "0",
        "Days in which a request can be cancelled. With 30, the last day is for the work.")
    static let recentSignIn = SettingKey(
        "erasures.recent-sign-in", .number(0...86_400), "300",
        "Seconds for which a sign-in counts as proof; 0 needs no proof.")
    static let wait = SettingKey(
        "erasures.wait", .number(1...300), "8", "Seconds that a call waits for an erasure to finish, at most.")
    static let concurrency = SettingKey(
        "erasures.concurrency", .number(0...64), "2", "Batches processed at once; 0 leaves them to farewell work.",
        formerName: "erasures.lanes")
    static let batch = SettingKey(
        "erasures.batch", .number(1...500), "50, or 10 where rows name two people", "Erasures in a worker's batch.")
    static let lease = SettingKey(
        "erasures.lease", .number(3...3_600), "15", "Seconds without a heartbeat after which a worker is replaced.")
    static let deepScan = SettingKey(
        "erasures.deep-scan", .number(0...1_000_000_000), "0",
        "Rows of each table to search after an erasure, as with erase --deep-rows; 0 searches none.")
    static let secondLook = SettingKey(
        "erasures.second-look", .number(0...255_600), "two minutes after the longest token has expired",
        "Seconds after the end at which a second look checks for new data; 0 means never.")
    static let issuers = SettingKey(
        "erasures.issuers", .list, "none", "Other issuers whose tokens name subjects of the plan, one per line.")
    static let issuerSecret = SettingKey(
        "erasures.issuer-secret", .text, "none",
        "The legacy JWT secret of the Supabase project in erasures.issuers, in addition to its published keys.",
        isSecret: true)
    static let issuerSecretFile = SettingKey(
        "erasures.issuer-secret-file", .text, "none", "The file with it, instead of erasures.issuer-secret.")
    static let systems = SettingKey(
        "erasures.systems", .list, "the plan's steps",
        "Names in the response of DELETE /me/account, each name=table, name=folder, name=system or name=identity.")
    static let webhooks = SettingKey(
        "erasures.webhooks-file", .text, "none", "The file (YAML) that names the receivers of events.")
    static let appleEvents = SettingKey(
        "erasures.apple-events", .oneOf(["off", "on"]), "off",
        "Whether Apple's server-to-server notifications are accepted at /v1/events/apple.")
}
