// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
public import FarewellSessions
import Foundation
import HTTPTypes
public import Logging

/// All settings of `farewell serve`, from a file (YAML) and from the environment, which overrides the file.
public struct ServeSettings: Sendable {
    /// The address and the limits.
    public var server = ServerSettings()
    /// The database's address; nil is a SQLite file in the state directory.
    public var database: String?
    /// Where `database` is named.
    package var databaseOrigin = DatabaseOrigin.settings
    /// Whether a pooler is in front of PostgreSQL; nil detects it.
    public var pooled: Bool?
    /// How long one statement on PostgreSQL may run, in seconds.
    public var statementTimeout = PostgreSQLConfiguration.usualStatementSeconds
    /// The address at which the database's server itself is listened to, where `database` is a pooler's.
    public var listenAddress: String?
    /// The folder of keys, and of the database if none is named.
    public var state = ".farewell"
    /// How the authority behaves; its issuer is complete only after `completed`.
    public var authority = AuthoritySettings(issuer: "")
    /// Whether `authority.emailConfirmation` is what an operator chose. Otherwise `completed` requires confirmation if
    /// others reach the server.
    package var choosesConfirmation = true
    /// Where the public keys of identity providers are, by the provider's name.
    public var providerKeys: [String: String] = [:]
    /// The settings for exchanging Apple's authorization codes; nil does not exchange them.
    public var apple: AppleSettings?
    /// How mails leave; nil sends none.
    public var mail: MailSettings?
    /// The address of the app or site that mails are about; nil is the issuer's, without `/auth/v1`.
    public var mailSite: String?
    /// The file with the followers' key; nil is one in the state directory.
    public var followerKeyFile: String?
    /// Where spans are sent; nil sends none.
    public var traces: TraceSettings?
    /// Whether and how accounts are erased.
    public var erasures = ErasureSettings()
    /// Whether users may download their data, and the limits of an export.
    public var export = ExportSettings()
    /// The appearance of the pages for users, and whether there are any.
    public var pages = PageSettings()
    public var logLevel = Logger.Level.info
    public var logFormat = ServerLog.Format.text

    public init() {}

    /// Reads the settings.
    ///
    /// - Parameters:
    ///   - path: The file; nil reads the environment alone.
    ///   - environment: All variables of the process.
    /// - Returns: The given settings, and the defaults of the others.
    /// - Throws: `settings.unreadable`, `settings.malformed`, `settings.unknown`, `settings.wrong`: each names the
    ///   setting and its place, and none of them its value.
    @available(macOS 15, iOS 18, *)
    public static func read(path: String?, environment: [String: String]) throws -> ServeSettings {
        let reader = try SettingsReader(path: path, environment: environment, keys: SettingKey.all)
        var settings = ServeSettings()
        try settings.server.take(reader)
        settings.database = try reader.text(.databaseURL)
        let inFile = try reader.textInFile(.databaseURL)
        if environment[SettingKey.databaseURL.variable] != nil {
            settings.databaseOrigin = .environment(otherwise: inFile)
        }
        settings.pooled = try reader.text(.databasePooled).flatMap(Bool.init)
        settings.statementTimeout = try reader.number(.statementTimeout) ?? settings.statementTimeout
        settings.listenAddress = try reader.text(.listenURL)
        settings.state = try reader.text(.state) ?? settings.state
        try settings.authority.take(reader)
        settings.choosesConfirmation = try reader.text(.emailConfirmation) != nil
        try settings.takeProviders(reader)
        try settings.takeMail(reader)
        settings.followerKeyFile = try reader.text(.followerKeyFile)
        settings.traces = try reader.address(.tracesEndpoint).map { TraceSettings(endpoint: $0) }
        if let percent = try reader.number(.tracesPercent) { settings.traces?.percent = percent }
        try settings.erasures.take(reader)
        try settings.export.take(reader)
        settings.server.limits.exportsPerDay =
            try reader.number(.exportPerDay) ?? settings.server.limits.exportsPerDay
        try settings.pages.take(reader)
        settings.server.heartbeat = try reader.number(.heartbeat) ?? settings.server.heartbeat
        if let level = try reader.text(.logLevel).flatMap(Logger.Level.init(rawValue:)) { settings.logLevel = level }
        if let format = try reader.text(.logFormat).flatMap(ServerLog.Format.init(rawValue:)) {
            settings.logFormat = format
        }
        return settings
    }
}

@available(macOS 15, iOS 18, *)
extension ServerSettings {
    fileprivate mutating func take(_ reader: SettingsReader) throws {
        host = try reader.text(.host) ?? host
        port = try reader.number(.port) ?? port
        acceptedHosts = try reader.list(.acceptedHosts)
        guard acceptedHosts?.allSatisfy({ AcceptedHosts.name($0) != nil }) != false else {
            throw reader.wrong(.acceptedHosts, "contains an entry that is not a host, or has a scheme or a port")
        }
        openAPI = try reader.text(.openAPI).flatMap(PageSettings.Offering.init(rawValue:)) ?? openAPI
        operationsHost = try reader.text(.operationsHost) ?? operationsHost
        operationsPort = try reader.number(.operationsPort)
        if let operationsPort, operationsPort == port {
            throw reader.wrong(.operationsPort, "is http.port, the public port")
        }
        clientAddressField = try reader.text(.clientAddressField)
        if let field = clientAddressField, HTTPField.Name(field) == nil {
            throw reader.wrong(.clientAddressField, "is not the name of a header field")
        }
        origins = try reader.list(.origins) ?? origins
        shutdownTimeout = try reader.number(.shutdownTimeout) ?? shutdownTimeout
        try limits.take(reader)
        switch (try reader.text(.tlsCertificate), try reader.text(.tlsKey)) {
        case (nil, nil): break
        case (let certificate?, let key?):
            let oldest = try reader.text(.tlsOldest).flatMap(TLSFiles.Version.init(rawValue:))
            tls = TLSFiles(certificate: certificate, key: key, oldest: oldest ?? .tls13)
        default:
            throw FarewellError(
                "settings.incomplete", .yoursToFix, "Only one of tls.certificate and tls.key is set.",
                remedy: "Set both, or neither for plain HTTP.")
        }
    }
}

@available(macOS 15, iOS 18, *)
extension ServerLimits {
    fileprivate mutating func take(_ reader: SettingsReader) throws {
        bodyBytes = try reader.number(.bodyBytes) ?? bodyBytes
        headerBytes = try reader.number(.headerBytes) ?? headerBytes
        jsonDepth = try reader.number(.jsonDepth) ?? jsonDepth
        requestTimeout = try reader.number(.requestTimeout) ?? requestTimeout
        idleTimeout = try reader.number(.idleTimeout) ?? idleTimeout
        connections = try reader.number(.connections) ?? connections
        followers = try reader.number(.followers) ?? followers
        callsPerAddress = try reader.number(.callsPerAddress) ?? callsPerAddress
        burstPerAddress = try reader.number(.burstPerAddress) ?? burstPerAddress
        window = try reader.number(.window) ?? window
    }
}
