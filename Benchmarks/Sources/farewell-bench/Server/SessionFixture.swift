// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import FarewellSessions
import Foundation
import Logging

/// A database of sessions, and a `farewell serve` on it. Sessions are made by an authority of our own beside it.
struct SessionFixture: Sendable {
    static let issuer = "http://farewell.bench/auth/v1"
    let world: BenchWorld
    let dialect: SQLDialect
    /// The database's address.
    let database: String
    let state: String
    private let name: String

    /// Makes a database, lends it, and removes it.
    static func with<Value>(
        _ dialect: SQLDialect, in world: BenchWorld, _ body: (SessionFixture) async throws -> Value
    ) async throws -> Value {
        let name = "bench_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        let isServed = dialect == .postgresql
        if isServed { try await world.administer("CREATE DATABASE \(name)") }
        let house = SessionFixture(
            world: world, dialect: dialect,
            database: isServed
                ? world.address(of: name) : "sqlite:" + world.folder.appending(path: "\(name).sqlite").path,
            state: world.folder.appending(path: "state-\(name)").path, name: name)
        do {
            let value = try await body(house)
            if isServed { try await world.administer("DROP DATABASE \(name) WITH (FORCE)") }
            return value
        } catch {
            if isServed { try? await world.administer("DROP DATABASE \(name) WITH (FORCE)") }
            throw error
        }
    }

    /// Starts the server as a user would, but for limits that the load of one address would meet.
    ///
    /// - Parameter program: Another build of `farewell`; nil is this build's.
    func serve(_ environment: [String: String] = [:], by program: URL? = nil) async throws -> ServerProcess {
        var all = [
            "FAREWELL_TOKENS_ISSUER": Self.issuer, "FAREWELL_LIMITS_CALLS_PER_ADDRESS": "1000000000",
            "FAREWELL_LIMITS_BURST_PER_ADDRESS": "1000000000", "FAREWELL_PEOPLE_TRIES": "1000000",
            "FAREWELL_DATABASE_URL": database,
        ]
        all.merge(environment) { $1 }
        return try await ServerProcess(
            at: program ?? ServerProcess.folder.appending(path: "farewell"),
            ["serve", "--port", "0", "--state", state], environment: all,
            log: world.folder.appending(path: "\(name).log"), until: "Listening on ")
    }

    /// The server's own connections, or as many.
    func connect() throws -> any SQLDatabase {
        try openDatabase(
            database, sqlite: SQLiteConfiguration(access: .createIfMissing, maximumConnections: 4),
            postgresql: PostgreSQLConfiguration(maximumConnections: 16))
    }

    /// The key of services that follow revocations.
    var followerKey: String {
        get throws {
            try String(contentsOfFile: state + "/follower.key", encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    /// Signs in so many times, for any users.
    ///
    /// - Returns: A file with a line for each: access token, refresh token, session.
    func sessions(_ count: Int) async throws -> URL {
        let database = try connect()
        var settings = AuthoritySettings(issuer: Self.issuer)
        settings.anonymousSignUp = .allowed
        let quiet = Logger(label: "farewell-bench") { _ in SwiftLogNoOpLogHandler() }
        let authority = try await SessionAuthority.open(
            database, settings: settings, state: state, environment: .live(log: quiet))
        let workers = dialect == .postgresql ? 16 : 2
        let lines = try await withThrowingTaskGroup(of: [String].self) { tasks in
            for worker in 0..<workers {
                tasks.addTask {
                    var mine: [String] = []
                    for _ in stride(from: worker, to: count, by: workers) {
                        guard case .session(let grant) = try await authority.signUp(SignUpRequest()) else { continue }
                        mine.append("\(grant.accessToken) \(grant.refreshToken) \(grant.sessionID)")
                    }
                    return mine
                }
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
        await database.close()
        let file = world.folder.appending(path: "sessions-\(UUID().uuidString)")
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
        return file
    }
}
