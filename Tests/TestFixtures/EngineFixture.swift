// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellPlan
import FarewellSQL
import FarewellSample
import Foundation
import Logging
import Synchronization
import Testing

/// A database made from SQL text, a plan for it, a state directory and a clock that the test sets.
package struct EngineFixture: Sendable {
    package let database: any SQLDatabase
    /// Where the database lies: a file's path, or a server's address.
    package let address: String
    /// Holds the state directory and, on SQLite, the database.
    package let folder: String
    package let clock = FixtureClock()
    package let log = FixtureLog()
    /// Erasures that workers found taken over when they came to write.
    package let fenced = Guarded(0)

    package var dialect: SQLDialect { database.dialect }
    package var state: String { folder + "/state" }

    /// Makes the database on either server (on PostgreSQL in this encoding), lends it, and removes it. `script` is SQL
    /// for both; `{bytes}` and `{json}` stand for what they are called there.
    package static func with(
        _ dialect: SQLDialect, _ script: String, postgresql configuration: PostgreSQLConfiguration = .init(connectionWait: .seconds(60)),
        encoding: String = "UTF8", _ use: (EngineFixture) async throws -> Void
    ) async throws {
        let name = "farewell_house_\(UInt64.random(in: .min ... .max))"
        let folder = TestFolder.parent.appending(path: name).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        if dialect == .sqlite {
            let path = folder + "/fixture.sqlite"
            let database = try SQLiteDatabase(
                path: path,
                configuration: SQLiteConfiguration(
                    access: .createIfMissing, connectionWait: .seconds(60), busyTimeout: .seconds(60)))
            return try await EngineFixture(database: database, address: path, folder: folder).lend(script, use)
        }
        let options = encoding == "UTF8" ? "" : " ENCODING '\(encoding)' LOCALE 'C' TEMPLATE template0"
        let server = try TestPostgreSQL.database()
        try await server.withConnection { connection in
            try await TestPostgreSQL.make(name, options, on: connection)
            // The role's name is the control store's schema: without this `events` would be the control store's.
            _ = try await connection.run(SQLStatement("ALTER DATABASE \(name) SET search_path = public"))
        }
        let address = try TestPostgreSQL.address(database: name)
        var failure: (any Error)?
        do {
            let database = try PostgreSQLDatabase(url: address, configuration: configuration)
            try await EngineFixture(database: database, address: address, folder: folder).lend(script, use)
        } catch {
            failure = error
        }
        try await server.withConnection { _ = try await $0.run(SQLStatement("DROP DATABASE \(name) WITH (FORCE)")) }
        await server.close()
        if let failure { throw failure }
    }

    private func lend(_ script: String, _ use: (EngineFixture) async throws -> Void) async throws {
        do {
            try await run(script)
            try await use(self)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    /// Runs statements one after the other.
    package func run(_ script: String) async throws {
        let words = dialect == .postgresql ? ("bytea", "jsonb") : ("blob", "json")
        let text = script.replacing("{bytes}", with: words.0).replacing("{json}", with: words.1)
        try await database.withConnection { connection in
            for statement in SQLScript(text).statements { _ = try await connection.run(SQLStatement(statement)) }
        }
    }

    package func name(_ table: String) -> TableName { TableName(schema: dialect == .postgresql ? "public" : nil, table) }

    /// The derived plan, with every question answered `owner` and every row of two subjects erased with either, changed by `edit`.
    package func plan(
        _ subject: String = "people", key: String = "id", identifiers: [(String, String)]? = nil,
        _ edit: (inout Plan) -> Void = { _ in }
    ) async throws -> Plan {
        let schema = try await Schema.read(from: database)
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(name(subject), key)).plan
            .answeringAll(.owner)
        for table in plan.tables.indices {
            for link in plan.tables[table].links.indices
            where plan.tables[table].links[link].shared == nil && !plan.tables[table].links[link].isReference {
                plan.tables[table].links[link].shared = .erase
            }
        }
        if let identifiers { plan.subject.identifiers = identifiers.map { ColumnName(name($0.0), $0.1) } }
        edit(&plan)
        // The further questions that these answers lead to say nothing new.
        plan.questions += FollowingQuestions.of(plan, schema).map { question in
            var question = question
            (question.answer, question.isImplied) = (.unrelated, false)
            return question
        }
        return plan
    }

    /// An engine as one process would have it; another `owner` is another process.
    package func engine(
        _ plan: Plan, owner: String = "here:1:a", dead: Set<String> = [], lease: Int = 15,
        connectors: [String: any Connector] = [:], on other: (any SQLDatabase)? = nil
    ) async throws -> ErasureEngine {
        var environment = self.environment(owner: owner, dead: dead)
        let fenced = fenced
        environment.fenced = { fenced.withLock { $0 += 1 } }
        return try await ErasureEngine.open(
            other ?? database, plan: plan, folder: folder, state: state, lease: lease, connectors: connectors,
            environment: environment)
    }

    /// The world of a process by the fixture's clock, which on PostgreSQL is the database's too.
    package func environment(owner: String = "here:1:a", dead: Set<String> = []) -> EngineEnvironment {
        let clock = clock
        var environment = EngineEnvironment(
            now: { clock.reading }, makeIdentifier: { UUID() }, sleep: { try await ContinuousClock().sleep(for: $0) },
            owner: owner, isDead: { dead.contains($0) }, log: log.logger)
        environment.uptime = { clock.uptime }
        environment.boot = "house"
        environment.databaseNow = { clock.databaseReading }
        return environment
    }

    package func engine() async throws -> ErasureEngine { try await engine(try await plan()) }

    // MARK: Looking

    /// Rows of a query as text, in a fixed order.
    package func rows(_ query: String) async throws -> [String] {
        try await database.withConnection { connection in
            try await connection.run(SQLStatement(query)).rows
                .map { row in row.map { $0.isNull ? "-" : $0.text ?? "\($0)" }.joined(separator: " ") }.sorted()
        }
    }

    package func count(_ table: String) async throws -> Int {
        Int(try await rows("SELECT count(*) FROM \(dialect.quoted(table))").first ?? "") ?? -1
    }

    /// The findings of the check in a plan for the database as it is now.
    package func findings(of plan: Plan) async throws -> [Finding] {
        try await PlanCheck.findings(plan, try await Schema.read(from: database), on: database)
    }

    /// Every row of every table but the control store's.
    package func everything() async throws -> [String: [String]] {
        var found: [String: [String]] = [:]
        for table in try await Schema.read(from: database).tables {
            let quoted = dialect.qualified(table.name)
            found["\(table.name)"] = try await rows("SELECT * FROM \(quoted)")
        }
        return found
    }

    /// A table of the control store.
    package func control(_ table: String) -> String { (dialect == .postgresql ? "farewell." : "farewell_") + table }
}

/// A clock that stands still until it is set.
package final class FixtureClock: Sendable {
    private static let beginning = Date(timeIntervalSince1970: 1_763_726_400)

    private let time = Mutex((now: FixtureClock.beginning, error: TimeInterval(0), databaseError: TimeInterval(0)))

    package init() {}

    /// The present time: setting it lets time pass, by every clock.
    package var now: Date {
        get { time.withLock { $0.now } }
        set { time.withLock { $0.now = newValue } }
    }

    /// By how many seconds the wall clock of the machine is ahead of the time.
    package var error: TimeInterval {
        get { time.withLock { $0.error } }
        set { time.withLock { $0.error = newValue } }
    }

    /// By how many seconds PostgreSQL's clock is ahead of the time.
    package var databaseError: TimeInterval {
        get { time.withLock { $0.databaseError } }
        set { time.withLock { $0.databaseError = newValue } }
    }

    /// The time of PostgreSQL's clock.
    package var databaseReading: Date { time.withLock { $0.now + $0.databaseError } }

    /// The time of the machine's wall clock.
    package var reading: Date { time.withLock { $0.now + $0.error } }

    /// The time of its monotonic clock.
    package var uptime: Duration { .seconds(1_000) + .seconds(now.timeIntervalSince(Self.beginning)) }
}

/// Keeps every line that was logged.
package final class FixtureLog: Sendable {
    private let kept = Mutex<[String]>([])

    package init() {}

    package var lines: [String] { kept.withLock { $0 } }

    package var logger: Logger {
        var logger = Logger(label: "house") { _ in Handler(log: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let log: FixtureLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.kept.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
        }
    }
}

extension TestPostgreSQL {
    /// The address of another database of the same server.
    package static func address(database: String, user: String? = nil) throws -> String {
        guard let address = ProcessInfo.processInfo.environment["FAREWELL_TEST_POSTGRES"],
            var parts = URLComponents(string: address)
        else {
            throw FarewellError(
                "test.no-postgres", .yoursToFix, "The tests need a PostgreSQL server.", remedy: "Run them by make test.")
        }
        parts.path = "/" + database
        if let user { parts.user = user }
        return parts.string ?? address
    }
}

extension [Finding] {
    /// The one of a code; `nil` if there are none or several.
    package func only(_ code: Finding.Code) -> Finding? {
        let found = filter { $0.code == code }
        return found.count == 1 ? found[0] : nil
    }
}
