// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellEngine
import FarewellSQL
import Foundation
public import Logging
import ServiceLifecycle
import Tracing

/// A server with everything it needs, opened in an order in which nothing is made before all that only looks has
/// been looked at: settings, certificate, address, database; then keys, tables, and calls.
public struct ServerHouse: Sendable {
    public let authority: SessionAuthority
    public let settings: ServeSettings
    private let database: any SQLDatabase
    private let server: FarewellServer
    private let mail: LiveMail?
    private let services: [any Service]

    /// Opens it.
    ///
    /// - Throws: `serve.…`, `tls.…`, `settings.…`, `state.…`, `authority.…`, or what the database throws.
    public static func open(_ given: ServeSettings, log: Logger) async throws -> ServerHouse {
        let settings = given.completed()
        if let tls = settings.server.tls { _ = try tls.context() }
        try await ListeningProbe.check(settings.server)
        let database = try openDatabase(
            try address(settings), sqlite: SQLiteConfiguration(access: .createIfMissing, maximumConnections: 4),
            postgresql: PostgreSQLConfiguration(maximumConnections: 16))
        do {
            return try await open(settings, database, log)
        } catch {
            await database.close()
            throw error
        }
    }

    private static func open(
        _ settings: ServeSettings, _ database: any SQLDatabase, _ log: Logger
    ) async throws -> ServerHouse {
        try await database.withConnection { _ in }
        let environment = EngineEnvironment.live(log: log)
        let keys = try OperatorKeys.prepared(
            in: try StateDirectory.prepared(at: settings.state), followerKeyFile: settings.followerKeyFile,
            now: environment.now(), entropy: .live)
        var rules = settings.authority
        rules.sharedSecrets.append(keys.secret)
        let identity = try IdentityTokens.prepared(settings, log: log)
        let mail = LiveMail(settings.mail, environment)
        if mail == nil, settings.authority.emailConfirmation == .required {
            log.warning("E-mail addresses must be confirmed, yet nothing sends mail: only operators can confirm them.")
        }
        let partners = AuthorityPartners(
            identityTokens: identity?.tokens, authorizationCodes: try AppleCodes(settings.apple, now: environment.now),
            mail: mail?.sender)
        let authority = try await SessionAuthority.open(
            database, settings: rules, state: settings.state, partners: partners, environment: environment)
        let (metrics, world) = (MetricsRegistry(), ServerWorld.live())
        let exporter = settings.traces.map {
            TraceExporter($0.endpoint, sleep: world.sleep, metrics: metrics, log: log)
        }
        let server = FarewellServer(
            authority, settings: settings.server, followerKey: keys.followerKey, metrics: metrics,
            tracer: exporter.map { $0.tracer(settings.traces?.percent ?? 100, world) } ?? NoOpTracer(), world: world,
            log: log)
        return ServerHouse(
            authority: authority, settings: settings, database: database, server: server, mail: mail,
            services: [identity?.service, exporter].compactMap(\.self))
    }

    /// Serves until SIGTERM or SIGINT, then closes everything.
    ///
    /// - Parameter isListening: Told the address once calls are accepted, e.g. `http://127.0.0.1:9999`.
    /// - Throws: `serve.…` when it cannot listen after all.
    public func serve(isListening: @escaping @Sendable (_ address: String) async -> Void) async throws {
        let scheme = settings.server.tls == nil ? "http" : "https"
        let host = settings.server.host
        do {
            let service = try FarewellService(server, services: services + [AuthorityDuties(authority)]) { port in
                await isListening("\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)")
            }
            try await service.runUntilSignalled()
        } catch {
            await close()
            throw error
        }
        await close()
    }

    private func close() async {
        await mail?.close()
        await database.close()
    }

    /// The database's address; SQLite's file in the state directory, which is made for it, where none is named.
    private static func address(_ settings: ServeSettings) throws -> String {
        if let address = settings.database { return address }
        _ = try StateDirectory.prepared(at: settings.state)
        return "sqlite:" + settings.state + "/farewell.sqlite"
    }
}
