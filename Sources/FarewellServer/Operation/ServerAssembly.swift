// SPDX-License-Identifier: Apache-2.0

public import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
public import FarewellSQL
import FarewellSessions
import FarewellVerifier
import Foundation
public import Logging
import ServiceLifecycle
import Tracing
import UnixSignals

/// A server with everything it needs, opened in an order in which nothing is made before all that only looks has
/// been looked at: settings, certificate, address, database; then keys, tables, and calls.
public struct ServerAssembly: Sendable {
    public let authority: SessionAuthority
    public let settings: ServeSettings
    private let database: any SQLDatabase
    private let server: FarewellServer
    private let mail: LiveMail?
    private let services: [any Service]
    private let erasures: ErasureAssembly?
    private let place: ListeningPlace

    /// Opens it.
    ///
    /// - Parameters:
    ///   - preparing: Makes the plan's tables once users and sessions have theirs, and returns the plan; without it the
    ///     settings name one, or none.
    ///   - connecting: Makes the connectors of the plan's systems; without it a plan that names some is refused.
    /// - Throws: `serve.…`, `tls.…`, `settings.…`, `state.…`, `authority.…`, or what the database throws.
    public static func open(
        _ given: ServeSettings, log: Logger,
        preparing: (@Sendable (SessionAuthority, any SQLDatabase) async throws -> Plan)? = nil,
        connecting: @escaping SystemConnecting = { _ in [:] }
    ) async throws -> ServerAssembly {
        if let tls = given.server.tls {
            _ = try tls.context()
            try SecretFile.requirePrivate(tls.key)
        }
        let place = try await ListeningProbe.place(given.server)
        do {
            try given.checkIssuer(listeningAt: place.address)
            try await ListeningProbe.checkOperations(given.server)
            return try await open(given, at: place, log, preparing, connecting)
        } catch {
            await place.leave()
            throw error
        }
    }

    private static func open(
        _ given: ServeSettings, at place: ListeningPlace, _ log: Logger,
        _ preparing: (@Sendable (SessionAuthority, any SQLDatabase) async throws -> Plan)?,
        _ connecting: @escaping SystemConnecting
    ) async throws -> ServerAssembly {
        let settings = try await given.completed(at: place.port).withOwnDatabase(log)
        let environment = EngineEnvironment.live(log: log)
        let files = try NamedFiles(settings, connecting, environment)
        let foreign = try settings.erasures.trusted()
        if !foreign.isEmpty { _ = try VerifierService(trusting: foreign, log: log) }
        if files.plan != nil { _ = try AppleEvents.provider(of: settings) }
        try await ErasureAssembly.refuseUnworkable(files.plan, at: settings.erasures.database, settings)
        try await ServerAcceptance(settings: settings, plan: files.plan, environment: environment).refuseUnmade()
        if settings.database == nil { _ = try StateDirectory.prepared(at: settings.state) }
        let database = try openDatabase(
            settings.databaseAddress, sqlite: SQLiteConfiguration(access: .createIfMissing, maximumConnections: 4),
            postgresql: settings.connecting(.ofServices))
        do {
            return try await open(settings, at: place, files, database, environment, preparing, connecting)
        } catch {
            await database.close()
            throw error
        }
    }

    /// The contents of the files that settings name, read before anything is made.
    private struct NamedFiles {
        let plan: NamedPlan?
        let followerKey: String?
        let appleCodes: AppleCodes?
        let receivers: [EventReceiver]?

        init(_ settings: ServeSettings, _ connecting: SystemConnecting, _ environment: EngineEnvironment) throws {
            plan = try settings.erasures.plan.map { try NamedPlan(at: $0, connecting: connecting) }
            followerKey = try settings.followerKeyFile.map(OperatorKeys.followerKey(at:))
            appleCodes = try AppleCodes(settings.apple, now: environment.now)
            receivers = try settings.erasures.webhooksFile.map(WebhookFile.read)
        }
    }

    private static func open(
        _ settings: ServeSettings, at place: ListeningPlace, _ files: NamedFiles, _ database: any SQLDatabase,
        _ environment: EngineEnvironment,
        _ preparing: (@Sendable (SessionAuthority, any SQLDatabase) async throws -> Plan)?,
        _ connecting: @escaping SystemConnecting
    ) async throws -> ServerAssembly {
        let (log, metrics) = (environment.log, MetricsRegistry())
        let environment = environment.counting(ServerMetrics.fencedWrites(metrics))
        try await ServerAcceptance(settings: settings, plan: files.plan, environment: environment).refuse(in: database)
        let identity = try IdentityTokens.prepared(settings, log: log)
        let followerKey = files.followerKey
        let keys = try await BlockingWork.run {
            try OperatorKeys.prepared(
                in: try StateDirectory.prepared(at: settings.state), followerKey: followerKey,
                now: environment.now(), entropy: .live)
        }
        var rules = settings.authority
        rules.sharedSecrets.append(keys.secret)
        let mail = LiveMail(settings.mail, environment)
        warn(of: settings, files, hasMail: mail != nil, log)
        warn(of: database, log)
        let partners = AuthorityPartners(
            identityTokens: identity?.tokens, authorizationCodes: files.appleCodes, mail: mail?.sender)
        let authority = try await SessionAuthority.open(
            database, settings: rules, state: settings.state, partners: partners, environment: environment)
        var world = ServerWorld.live()
        world.now = authority.now
        let exporter = settings.traces.map {
            TraceExporter($0.endpoint, sleep: world.sleep, metrics: metrics, log: log)
        }
        let made = try await preparing.asyncMap { prepare in
            try NamedPlan(try await prepare(authority, database), connecting: connecting)
        }
        let plan = made ?? files.plan
        let erasures = try await plan.asyncMap { plan in
            try await ErasureAssembly.open(
                settings, receivers: files.receivers, plan: plan, authority: authority, database: database,
                connecting: connecting, environment: environment)
        }
        if settings.apple != nil, let plan = plan?.plan, !plan.revokesSignIns(on: database.dialect) {
            log.warning(
                """
                The server keeps tokens of Sign in with Apple, but the plan does not revoke them in an erasure: \
                it needs a system of the kind apple (docs/operations.md).
                """)
        }
        let server = FarewellServer(
            authority, settings: settings.server, followerKey: keys.followerKey, erasures: erasures?.serving,
            pages: settings.pages, metrics: metrics,
            tracer: exporter.map { $0.tracer(settings.traces?.percent ?? 100, world) } ?? NoOpTracer(),
            world: world, log: log)
        return ServerAssembly(
            authority: authority, settings: settings, database: database, server: server, mail: mail,
            services: [identity?.service, exporter].compactMap(\.self) + (erasures?.services ?? []), erasures: erasures,
            place: place)
    }

    /// Logs what settings and files allow although it is rarely meant.
    private static func warn(of settings: ServeSettings, _ files: NamedFiles, hasMail: Bool, _ log: Logger) {
        if !hasMail, settings.authority.emailConfirmation == .required {
            log.warning("E-mail addresses need confirmation, but no mail is configured: only operators can confirm.")
        }
        if let exposure = settings.exposure { log.warning("\(exposure)") }
        if let exposure = settings.signUpExposure {
            log.warning("\(exposure.message)", metadata: ["remedy": "\(exposure.remedy ?? "")"])
        }
        for path in files.plan.map({ SecretFile.open(of: $0.plan) }) ?? [] {
            log.warning(
                "A secret file of the plan's systems can be read or changed by other users of this machine.",
                metadata: ["file": "\(path)", "remedy": "\(SecretFile.remedy)"])
        }
    }

    /// Logs that other users of the machine can read the accounts. A file that existed keeps its mode: it may be the
    /// app's.
    private static func warn(of database: any SQLDatabase, _ log: Logger) {
        guard let path = (database as? SQLiteDatabase)?.path, SecretFile.isOpen(path) else { return }
        log.warning(
            "The database of accounts and sessions can be read or changed by other users of this machine.",
            metadata: ["file": "\(path)", "remedy": "Run chmod 600 on it and on the files beside it (-wal, -shm)."])
    }

    /// Whether an erasure of a subject is unfinished here.
    package func isErasing(_ subject: String) async throws -> Bool {
        guard let erasures else { return false }
        return try await erasures.engine.statuses(ofSubject: subject).contains { $0.erasure.state.isLive }
    }

    /// Serves until SIGTERM or SIGINT, then closes everything.
    ///
    /// - Parameter isListening: Called with the address once calls are accepted, e.g. `http://127.0.0.1:9999`.
    /// - Throws: `serve.…` when it cannot listen after all.
    public func serve(isListening: @escaping @Sendable (_ address: String) async -> Void) async throws {
        let scheme = settings.server.tls == nil ? "http" : "https"
        let host = settings.server.host
        do {
            let service = try FarewellService(server, services: services + [AuthorityDuties(authority)] + work) {
                port in
                await isListening("\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)")
            }
            await place.leave()
            try await service.runUntilSignalled()
        } catch {
            await close()
            throw error
        }
        await close()
    }

    /// Carries out erasures, beside servers elsewhere, until SIGTERM or SIGINT; then closes everything. SIGHUP, which
    /// asks for the plan to be read again, never ends it.
    ///
    /// - Parameter isWorking: Called once it looks for work.
    /// - Throws: `work.no-plan` if no plan is named.
    public func work(isWorking: @escaping @Sendable () async -> Void) async throws {
        await place.leave()
        signal(SIGHUP, SIG_IGN)
        guard let erasures, !work.isEmpty else {
            await close()
            throw Self.nothingToWorkOn
        }
        var configuration = ServiceGroupConfiguration(
            services: (erasures.services + work).map { .init(service: $0) },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: server.log)
        configuration.maximumGracefulShutdownDuration = .seconds(settings.server.shutdownTimeout)
        await isWorking()
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch {
            await close()
            throw error
        }
        await close()
    }

    /// The error of `work` without a plan.
    package static let nothingToWorkOn = FarewellError(
        "work.no-plan", .yoursToFix, "There is no work: erasures.plan is not set, or erasures.concurrency is 0.",
        remedy: "Set erasures.plan, and erasures.concurrency to at least 1.")

    private var work: [any Service] {
        guard let erasures, erasures.requests.rules.concurrency > 0 else { return [] }
        return [ErasureWork(erasures.workers, signals: erasures.requests.signals)]
    }

    private func close() async {
        await place.leave()
        await mail?.close()
        await erasures?.ownDatabase?.close()
        await database.close()
    }
}

extension Optional {
    /// The value changed by something that takes its time.
    fileprivate func asyncMap<Value>(_ change: (Wrapped) async throws -> Value) async rethrows -> Value? {
        guard let self else { return nil }
        return try await change(self)
    }
}

extension EngineEnvironment {
    /// The same environment, which also counts erasures that other workers have taken over.
    fileprivate func counting(_ fenced: @escaping @Sendable () -> Void) -> EngineEnvironment {
        var counting = self
        counting.fenced = fenced
        return counting
    }
}

extension PostgreSQLConfiguration {
    /// A process that is stopped in the middle of a transaction holds its locks for half a minute at most.
    static let ofServices = PostgreSQLConfiguration(
        maximumConnections: PostgreSQLConfiguration.serviceConnections, idleInTransactionTimeout: .seconds(30))
}
