// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// All settings. `docs/settings.md` is made from this list.
extension SettingKey {
    package static let all =
        place + tls + operation + tokens + sessions + people + providers + mail + feed + erasures + export + pagesAll
        + console + limits

    static let place: [SettingKey] = [
        host, port, acceptedHosts, clientAddressField, origins, openAPI, operationsHost, operationsPort,
        shutdownTimeout,
    ]
    static let tls: [SettingKey] = [tlsCertificate, tlsKey, tlsOldest]
    static let operation: [SettingKey] = [
        databaseURL, databasePooled, statementTimeout, listenURL, state, logLevel, logFormat, tracesEndpoint,
        tracesPercent,
    ]
    static let limits: [SettingKey] = [
        bodyBytes, headerBytes, jsonDepth, requestTimeout, idleTimeout, connections, followers, callsPerAddress,
        burstPerAddress, window,
    ]

    // MARK: The addresses

    static let host = SettingKey("http.host", .text, "127.0.0.1", "The address on which the server listens.")
    static let port = SettingKey(
        "http.port", .number(0...65_535), "9999", "The port on which the server listens. 0 chooses a free port.")
    static let acceptedHosts = SettingKey(
        "http.accepted-hosts", .list, "loopback names, the host of tokens.issuer, http.host",
        "The host names that a request may name, without ports. A request for any other host is answered 421.")
    static let clientAddressField = SettingKey(
        "http.client-address-field", .text, "none",
        "The header field in which your proxy sends the caller's address, such as X-Forwarded-For. Set it "
            + "only behind a proxy.")
    static let origins = SettingKey(
        "http.origins", .list, "*", "The origins of web pages that may call the server (CORS). * allows every page.")
    static let openAPI = SettingKey("http.openapi", .oneOf(["on", "off"]), "on", "Whether /openapi.json is public.")
    static let operationsHost = SettingKey(
        "operations.host", .text, "127.0.0.1", "The address of the operators' listener, which answers /metrics.")
    static let operationsPort = SettingKey(
        "operations.port", .number(1...65_535), "none",
        "The port of the operators' listener. Without it there is no such listener; farewell work has none.")
    static let shutdownTimeout = SettingKey(
        "http.shutdown-timeout", .number(1...3_600), "20",
        "How long running calls may continue after SIGTERM, in seconds.")

    static let tlsCertificate = SettingKey("tls.certificate", .text, "none", "The certificate chain, a PEM file.")
    static let tlsKey = SettingKey("tls.key", .text, "none", "The private key of the certificate, a PEM file.")
    static let tlsOldest = SettingKey(
        "tls.oldest", .oneOf(["1.2", "1.3"]), "1.3", "The oldest version of TLS that the server accepts.")

    // MARK: Operation

    static let databaseURL = SettingKey(
        "database.url", .text, "SQLite in the state directory",
        "The address of the database: postgresql://user@host/name or sqlite:path.", isSecret: true)
    static let databasePooled = SettingKey(
        "database.pooled", .oneOf(["detect", "true", "false"]), "detect",
        "Whether a pooler such as pgbouncer or Supavisor stands in front of PostgreSQL.")
    static let statementTimeout = SettingKey(
        "database.statement-timeout", .number(1...86_400), "\(PostgreSQLConfiguration.usualStatementSeconds)",
        "PostgreSQL: how long one statement may run, in seconds. It then ends with a temporary error. It applies to "
            + "commands as well.")
    static let listenURL = SettingKey(
        "database.listen-url", .text, "none",
        "The address of PostgreSQL itself if database.url names a pooler. Workers then wake by LISTEN; "
            + "without it they poll.", isSecret: true)
    static let state = SettingKey("state", .text, ".farewell", "The state directory with the keys, mode 0700.")
    static let logLevel = SettingKey(
        "log.level", .oneOf(["trace", "debug", "info", "notice", "warning", "error", "critical"]), "info",
        "The lowest level that is logged.")
    static let logFormat = SettingKey("log.format", .oneOf(["text", "json"]), "text", "The format of a log line.")

    static let tracesEndpoint = SettingKey(
        "traces.endpoint", .text, "none",
        "The address of the collector that receives spans, OTLP over HTTP in JSON, such as "
            + "http://127.0.0.1:4318/v1/traces.")
    static let tracesPercent = SettingKey(
        "traces.percent", .number(0...100), "100",
        "The percentage of traces that the server records if it begins them. A caller decides about its own traces.")

    // MARK: Limits

    static let bodyBytes = SettingKey(
        "limits.body-bytes", .number(1_024...1 << 26), "1048576",
        "The longest request body, in bytes. A longer one, or one in very many small chunks, is answered 413.")
    static let headerBytes = SettingKey(
        "limits.header-bytes", .number(1_024...1 << 20), "16384",
        "The longest header of a request, in bytes for all fields together. A longer one is answered 431.")
    static let jsonDepth = SettingKey(
        "limits.json-depth", .number(2...128), "32", "How deeply JSON in a request may nest.")
    static let requestTimeout = SettingKey(
        "limits.request-timeout", .number(1...300), "10",
        "How long a call may take, in seconds. A longer one is answered 504.")
    static let idleTimeout = SettingKey(
        "limits.idle-timeout", .number(1...3_600), "60",
        "How long a connection may send nothing, or leave an answer unread, in seconds.")
    static let connections = SettingKey(
        "limits.connections", .number(1...1_000_000), "16000",
        "The most open connections. Further ones wait. The server asks the system for as many open files.")
    static let followers = SettingKey(
        "limits.followers", .number(0...100_000), "1000",
        "The most followers of the revocation feed. The same number applies to followers of erasures, eight "
            + "for each erasure, and to followers of the console.")
    static let callsPerAddress = SettingKey(
        "limits.calls-per-address", .number(1...1_000_000_000), "150",
        "The most sign-ins, sign-ups and refreshes of one address in a window. Further ones are answered 429.")
    static let burstPerAddress = SettingKey(
        "limits.burst-per-address", .number(1...1_000_000_000), "30",
        "How many of these calls an address may make at once.")
    static let window = SettingKey(
        "limits.window", .number(1...86_400), "300", "The length of the window, in seconds.")
}
