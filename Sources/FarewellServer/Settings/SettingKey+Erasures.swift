// SPDX-License-Identifier: Apache-2.0

/// The settings of erasures that users request.
extension SettingKey {
    static let erasures: [SettingKey] = [
        plan, dataURL, dataListenURL, graceDays, recentSignIn, wait, concurrency, batch, lease, deepScan, secondLook,
        issuers, issuerSecret, issuerSecretFile, systems, webhooks, appleEvents,
    ]

    static let plan = SettingKey(
        "erasures.plan", .text, "none", "The plan (farewell.yaml); without one no erasures are taken.")
    static let dataURL = SettingKey(
        "erasures.database-url", .text, "database.url", "The database that the plan is about, where it is another one.",
        isSecret: true)
    static let dataListenURL = SettingKey(
        "erasures.listen-url", .text, "none",
        "The same as database.listen-url, for erasures.database-url.", isSecret: true)
    static let graceDays = SettingKey(
        "erasures.grace-days", .number(0...30), "0",
        "Days in which a request can be cancelled. Of 30 days the last is for the work.")
    static let recentSignIn = SettingKey(
        "erasures.recent-sign-in", .number(0...86_400), "300",
        "Seconds for which a sign-in is proof enough; 0 does not ask.")
    static let wait = SettingKey(
        "erasures.wait", .number(1...300), "8", "Seconds a call waits for an erasure to end, at most.")
    static let concurrency = SettingKey(
        "erasures.concurrency", .number(0...64), "2", "Batches worked on at once; with 0 farewell work does the work.",
        formerName: "erasures.lanes")
    static let batch = SettingKey(
        "erasures.batch", .number(1...500), "50, or 10 where rows name two people", "Erasures a worker takes at once.")
    static let lease = SettingKey(
        "erasures.lease", .number(3...3_600), "15", "Seconds after which a worker that says nothing is replaced.")
    static let deepScan = SettingKey(
        "erasures.deep-scan", .number(0...1_000_000_000), "0",
        "Rows of each table that are searched for whoever left, as by erase --deep-rows; 0 none.")
    static let secondLook = SettingKey(
        "erasures.second-look", .number(0...255_600), "two minutes after the longest token has expired",
        "Seconds after the end when it is looked again whether anything came back; 0 never.")
    static let issuers = SettingKey(
        "erasures.issuers", .list, "none", "Other issuers whose tokens name people of the plan, one a line.")
    static let issuerSecret = SettingKey(
        "erasures.issuer-secret", .text, "none",
        "The legacy JWT secret of the Supabase project in erasures.issuers, beside the keys that it publishes.",
        isSecret: true)
    static let issuerSecretFile = SettingKey(
        "erasures.issuer-secret-file", .text, "none", "The file that holds it, instead of erasures.issuer-secret.")
    static let systems = SettingKey(
        "erasures.systems", .list, "the plan's steps",
        "Names in the answer of DELETE /me/account, each name=table, name=folder, name=system or name=identity.")
    static let webhooks = SettingKey(
        "erasures.webhooks-file", .text, "none", "The file (YAML) that names the receivers of events.")
    static let appleEvents = SettingKey(
        "erasures.apple-events", .oneOf(["off", "on"]), "off",
        "Whether Apple's server-to-server notifications are taken at /v1/events/apple.")
}
