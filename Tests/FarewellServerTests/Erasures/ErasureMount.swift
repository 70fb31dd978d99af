// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
@testable import FarewellServer
import FarewellSQL
import FarewellSessions
import FarewellVerifier
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Metrics
import NIOCore
import TestFixtures
import Testing

/// A server that takes erasures, mounted in an application, with an app's table of notes beside the accounts.
struct ErasureMount: Sendable {
    let client: any TestClientProtocol
    let database: any SQLDatabase
    let requests: ErasureRequests
    /// By how much the server's clock is ahead of the one that signs people in.
    let ahead: Guarded<TimeInterval>
    let server: FarewellServer
    /// The folder of the database, and of the keys in `state`.
    let folder: String

    static let issuer = "https://auth.example/auth/v1"
    static let followerKey = "a key of followers, of 32 bytes and more"

    static func with(
        _ rules: ServiceRules = ServiceRules(secondLook: 0, concurrency: 1, poll: 1), foreign: [TrustedIssuer] = [],
        isWorking: Work = .on, systems: [SystemPlan] = [], connectors: [String: any Connector] = [:],
        names: [String: String] = [:], mail: (any MailSending)? = nil, pages: PageSettings? = nil,
        delivery: (any EventDelivery)? = nil, exports exportRules: ExportRules? = nil, exportsPerDay: Int = 5,
        isApart: Bool? = nil, subject: ColumnName = ColumnName(TableName("auth_users"), "id"),
        changing: (inout EngineEnvironment, inout ServerWorld) -> Void = { _, _ in },
        issuer: String = Self.issuer, watching: (any SQLDatabase) -> any SQLDatabase = { $0 }, hashing: PasswordWork = .live,
        log: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ use: @Sendable (ErasureMount) async throws -> Void
    ) async throws {
        let folder = TestFolder.parent.appendingPathComponent("erasures-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let unwatched = try openDatabase(
            "sqlite:\(folder)/app.sqlite",
            sqlite: SQLiteConfiguration(access: .createIfMissing, connectionWait: .seconds(60), busyTimeout: .seconds(60)))
        let database = watching(unwatched)
        var environment = EngineEnvironment.live(log: log)
        var world = ServerWorld.live()
        changing(&environment, &world)
        var settings = AuthoritySettings(issuer: issuer)
        settings.passwordCost = ScryptCost(logN: 4, blockSize: 1, parallelism: 1)
        settings.anonymousSignUp = .allowed
        settings.sharedSecrets = [try FarewellSessions.SharedSecret(operatorSecret)]
        let authority = try await SessionAuthority.open(
            database, settings: settings, state: folder + "/state", partners: AuthorityPartners(mail: mail),
            environment: environment, work: hashing, entropy: .live)
        let key = "user_id text NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE"
        try await database.withConnection { connection in
            _ = try await connection.run("CREATE TABLE notes (id integer PRIMARY KEY, \(key), body text)")
            _ = try await connection.run("CREATE INDEX notes_user ON notes (user_id)")
            _ = try await connection.run("CREATE TABLE profiles (id text PRIMARY KEY, name text)")
        }
        var plan = try PlanDerivation.draft(
            from: try await Schema.read(from: database), subject: subject
        ).plan.answeringAll(.owner)
        plan.systems = systems
        let engine = try await ErasureEngine.open(
            database, plan: plan, folder: folder, state: folder + "/state", connectors: connectors, environment: environment)
        let signals = WakeSignals()
        let requests = ErasureRequests(engine, rules: rules, signals: signals)
        let verifier = foreign.isEmpty ? nil : try VerifierService(trusting: foreign, log: log).verifier
        let ahead = Guarded(TimeInterval(0))
        let now = world.now
        world.now = { now().addingTimeInterval(ahead.withLock { $0 }) }
        var bearing = ServerSettings()
        bearing.limits.requestTimeout = 200
        bearing.limits.exportsPerDay = exportsPerDay
        var exports: ExportRequests?
        var closing: any SubjectClosing = AuthorityClosing(authority)
        if let exportRules {
            let made = try await ExportRequests.open(engine, erasures: requests, state: folder + "/state", rules: exportRules)
            (exports, closing) = (made, ExportClosing(made, then: closing))
        }
        let workers = ErasureWorkers(
            engine, rules: rules, options: ErasureOptions(residue: .leave), closing: closing,
            delivery: delivery, signals: signals)
        var handing = requests
        handing.handover = workers.handover
        let serving = handing
        let accounts = isApart.map { AccountRemoval(authority: authority, others: nil, isApart: $0) }
        let server = FarewellServer(
            authority, settings: bearing, followerKey: followerKey,
            erasures: ErasureServing(
                serving, engine: engine, foreign: verifier, wait: 60, systems: names, appleEvents: nil, eventKey: nil,
                accounts: accounts, exports: exports),
            pages: pages, metrics: MetricsRegistry(), world: world, log: log)
        let router = Router()
        server.addRoutes(to: router)
        try await Application(router: router, logger: log).test(.router) { client in
            let mount = ErasureMount(
                client: client, database: unwatched, requests: serving, ahead: ahead, server: server, folder: folder)
            try await withThrowingTaskGroup(of: Void.self) { group in
                if isWorking == .on { group.addTask { await workers.run() } }
                do {
                    try await use(mount)
                } catch {
                    group.cancelAll()
                    throw error
                }
                workers.stop()
                try await group.waitForAll()
            }
        }
        await exports?.close()
        await unwatched.close()
    }

    enum Work: Sendable { case on, off }

    // MARK: Asking

    struct Answer: Sendable, CustomStringConvertible {
        let status: Int
        let headers: HTTPFields
        let text: String
        var json: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:] }
        var code: String? { json["error_code"] as? String }
        var description: String { "\(status) \(text)" }
    }

    func ask(
        _ method: HTTPRequest.Method, _ path: String, token: String? = nil, json: String? = nil, _ fields: [String: String] = [:]
    ) async throws -> Answer {
        var headers: HTTPFields = [:]
        if let token { headers[.authorization] = "Bearer \(token)" }
        for (name, value) in fields { headers[HTTPFieldNames.name(name)] = value }
        let body = json.map { ByteBuffer(string: $0) }
        let response = try await client.execute(uri: path, method: method, headers: headers, body: body)
        if let route = route(method, path) {
            let status = response.status.code
            #expect(route.statuses.contains(status), "\(method) \(path) answers \(status), which its description does not know")
            if let code = response.headers[.errorCode] {
                #expect(
                    RouteRefusals.codes(of: route)[status]?.contains(code) == true,
                    "\(method) \(path) answers \(status) \(code), which its description lacks")
            }
        }
        return Answer(
            status: Int(response.status.code), headers: response.headers, text: String(buffer: response.body))
    }

    /// The route of a path: one written out goes before one with a name in it.
    private func route(_ method: HTTPRequest.Method, _ path: String) -> Route? {
        let parts = path.prefix { $0 != "?" }.split(separator: "/")
        let fitting = server.routes.filter { route in
            let names = route.path.split(separator: "/")
            return route.method == method && names.count == parts.count
                && zip(names, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        return fitting.first { !$0.path.contains("{") } ?? fitting.first
    }

    struct Person: Sendable {
        let id: String
        let token: String
        let email: String
    }

    static let password = "correct horse battery"

    /// Signs a user up and gives them two notes.
    func person() async throws -> Person {
        let email = "p-\(UUID().uuidString.lowercased())@example.org"
        let answer = try await ask(.post, "/auth/v1/signup", json: #"{"email":"\#(email)","password":"\#(Self.password)"}"#)
        let token = try #require(answer.json["access_token"] as? String, "\(answer)")
        let user = try #require(answer.json["user"] as? [String: Any])
        let person = Person(id: try #require(user["id"] as? String), token: token, email: email)
        try await database.withConnection { connection in
            for body in ["a", "b"] {
                _ = try await connection.run(
                    "INSERT INTO notes (user_id, body) VALUES ($1, $2)", .text(person.id), .text(body))
            }
        }
        return person
    }

    func isAccepted(_ token: String) async throws -> Bool {
        try await ask(.get, "/auth/v1/user", token: token).status == 200
    }

    /// Every row of the database that names a user, except those of the feed of revocations, which outlive them.
    func rows(of person: Person) async throws -> [String] {
        try await database.withConnection { connection in
            var lines: [String] = []
            for table in try await Schema.read(from: connection).tables where table.name.name != "auth_revocations" {
                let result = try await connection.run(SQLStatement("SELECT * FROM \(SQLDialect.sqlite.quoted(table.name.name))"))
                lines += result.rows.map { "\(table.name) \($0)" }
            }
            return lines.filter { $0.contains(person.id) }.sorted()
        }
    }
}
