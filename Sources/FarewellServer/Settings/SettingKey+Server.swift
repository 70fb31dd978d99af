// SPDX-License-Identifier: Apache-2.0

/// All settings. `docs/operations.md` lists the same, and a test compares the two.
extension SettingKey {
    package static let all =
        place + tls + operation + tokens + sessions + people + providers + mail + feed + erasures + pagesAll + console
        + limits

    static let place: [SettingKey] = [
        host, port, acceptedHosts, clientAddressField, origins, openAPI, operationsHost, operationsPort,
        shutdownTimeout,
    ]
    static let tls: [SettingKey] = [tlsCertificate, tlsKey, tlsOldest]
    static let operation: [SettingKey] = [
        databaseURL, databasePooled, listenURL, state, logLevel, logFormat, tracesEndpoint, tracesPercent,
    ]
    static let limits: [SettingKey] = [
        bodyBytes, headerBytes, jsonDepth, requestTimeout, idleTimeout, connections, followers, callsPerAddress,
        burstPerAddress, window,
    ]

    // MARK: The addresses

    static let host = SettingKey("http.host", .text, "127.0.0.1", "The address to listen on.")
    static let port = SettingKey("http.port", .number(0...65_535), "9999", "The port; 0 chooses a free one.")
    static let acceptedHosts = SettingKey(
        "http.accepted-hosts", .list, "loopback names, the host of tokens.issuer, http.host",
        "The host names that requests may use, without ports; any other gets 421.")
    static let clientAddressField = SettingKey(
        "http.client-address-field", .text, "none",
        "The header field with your proxy's caller address, e.g. X-Forwarded-For. Only behind a proxy.")
    static let origins = SettingKey("http.origins", .list, "*", "The origins of web pages that may call (CORS).")
    static let openAPI = SettingKey(
        "http.openapi", .oneOf(["on", "off"]), "on", "Whether /openapi.json is public.")
    static let operationsHost = SettingKey(
        "operations.host", .text, "127.0.0.1", "The address for /metrics, for operators' programs.")
    static let operationsPort = SettingKey(
        "operations.port", .number(1...65_535), "none", "The port for /metrics; without one there is none.")
    static let shutdownTimeout = SettingKey(
        "http.shutdown-timeout", .number(1...3_600), "20", "Seconds that running calls get after SIGTERM.")

    static let tlsCertificate = SettingKey("tls.certificate", .text, "none", "The certificate chain, a PEM file.")
    static let tlsKey = SettingKey("tls.key", .text, "none", "Its private key, a PEM file.")
    static let tlsOldest = SettingKey("tls.oldest", .oneOf(["1.2", "1.3"]), "1.3", "The oldest TLS version accepted.")

    // MARK: Operation

    static let databaseURL = SettingKey(
        "database.url", .text, "SQLite in the state directory", "The database: postgresql://… or sqlite:path.",
        isSecret: true)
    static let databasePooled = SettingKey(
        "database.pooled", .oneOf(["detect", "true", "false"]), "detect",
        "Whether a pooler such as pgbouncer or Supavisor is in front of PostgreSQL.")
    static let listenURL = SettingKey(
        "database.listen-url", .text, "none",
        "The address of PostgreSQL itself if database.url is a pooler's, for LISTEN; without it, workers poll.",
        isSecret: true)
    static let state = SettingKey("state", .text, ".farewell", "The folder of keys, mode 0700.")
    static let logLevel = SettingKey(
        "log.level", .oneOf(["trace", "debug", "info", "notice", "warning", "error", "critical"]), "info",
        "The lowest level that is logged.")
    static let logFormat = SettingKey("log.format", .oneOf(["text", "json"]), "text", "The format of a log line.")

    static let tracesEndpoint = SettingKey(
        "traces.endpoint", .text, "none",
        "The address of a span collector: OTLP over HTTP in JSON, e.g. http://127.0.0.1:4318/v1/traces.")
    static let tracesPercent = SettingKey(
        "traces.percent", .number(0...100), "100",
        "Percentage of traces that start at this server to record; callers decide about other traces.")

    // MARK: Limits

    static let bodyBytes = SettingKey(
        "limits.body-bytes", .number(1_024...1 << 26), "1048576",
        "Bytes of a request's body; more gets 413, and so does a body in very many tiny chunks.")
    static let headerBytes = SettingKey(
        "limits.header-bytes", .number(1_024...1 << 20), "16384",
        "Bytes of a request's header fields together; more gets 431.")
    static let jsonDepth = SettingKey("limits.json-depth", .number(2...128), "32", "Levels to which JSON may nest.")
    static let requestTimeout = SettingKey(
        "limits.request-timeout", .number(1...300), "10", "Seconds a request may take; longer gets 504.")
    static let idleTimeout = SettingKey(
        "limits.idle-timeout", .number(1...3_600), "60",
        "Seconds that a connection may be silent or leave a response unread.")
    static let connections = SettingKey(
        "limits.connections", .number(1...1_000_000), "16000",
        "Connections at once; more wait to be accepted. The server requests as many open files from the system.")
    static let followers = SettingKey(
        "limits.followers", .number(0...100_000), "1000",
        "Followers of the revocation feed at once; the same limit applies to erasures, eight each, and the console.")
    static let callsPerAddress = SettingKey(
        "limits.calls-per-address", .number(1...1_000_000_000), "150",
        "Sign-ins, sign-ups and refreshes of one address in a window; more get 429.")
    static let burstPerAddress = SettingKey(
        "limits.burst-per-address", .number(1...1_000_000_000), "30", "How many of them at once.")
    static let window = SettingKey("limits.window", .number(1...86_400), "300", "Seconds of a window.")
}
