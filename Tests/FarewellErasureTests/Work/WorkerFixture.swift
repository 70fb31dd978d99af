// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// Requests and workers on the database of a fixture.
struct WorkerFixture: Sendable {
    let fixture: EngineFixture
    let engine: ErasureEngine
    let signals = WakeSignals()

    static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL, body text);
        CREATE INDEX by_author ON posts (author);
        """

    static func with(
        _ dialect: SQLDialect, people: Int = 3, _ edit: @escaping (inout Plan) -> Void = { _ in },
        _ use: (WorkerFixture) async throws -> Void
    ) async throws {
        let rows = (1...people).map { "(\($0), 'p\($0)@example.org')" }.joined(separator: ", ")
        let posts = (1...people).flatMap { ["(\($0)0, \($0), 'a')", "(\($0)1, \($0), 'b')"] }.joined(separator: ", ")
        let script = tables + "INSERT INTO people VALUES \(rows); INSERT INTO posts VALUES \(posts);"
        let wide = PostgreSQLConfiguration(maximumConnections: 16, connectionWait: .seconds(60))
        try await EngineFixture.with(dialect, script, postgresql: wide) { fixture in
            let engine = try await fixture.engine(try await plan(fixture, edit))
            try await use(WorkerFixture(fixture: fixture, engine: engine))
        }
    }

    /// Posts belong to people, though the database knows no key.
    static func plan(_ fixture: EngineFixture, _ edit: @escaping (inout Plan) -> Void = { _ in }) async throws -> Plan {
        try await fixture.plan { plan in
            for table in plan.tables.indices where plan.tables[table].table == fixture.name("posts") {
                plan.tables[table].rule = .erase
                plan.tables[table].links = [
                    Link(columns: ["author"], target: fixture.name("people"), targetColumns: ["id"])
                ]
                plan.tables[table].columns = plan.tables[table].columns.map { .init($0.name) }
            }
            edit(&plan)
        }
    }

    /// The same database as another process would see it.
    func again(owner: String, dead: Set<String> = [], lease: Int = 15) async throws -> WorkerFixture {
        WorkerFixture(
            fixture: fixture, engine: try await fixture.engine(try await Self.plan(fixture), owner: owner, dead: dead, lease: lease))
    }

    static let brisk = ServiceRules(secondLook: 0, poll: 1)

    func requests(_ rules: ServiceRules = brisk) -> ErasureRequests { ErasureRequests(engine, rules: rules, signals: signals) }

    func workers(
        _ rules: ServiceRules = brisk, closing: any SubjectClosing = NoSessions(), delivery: (any EventDelivery)? = nil
    ) -> ErasureWorkers {
        ErasureWorkers(engine, rules: rules, closing: closing, delivery: delivery, signals: signals)
    }

    /// Lets workers work while `body` runs, and stops them.
    func working(
        _ workers: ErasureWorkers? = nil, observe: @escaping ErasureObserver = { _ in },
        _ body: @Sendable () async throws -> Void
    ) async throws {
        let workers = workers ?? self.workers()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await workers.run(observe: observe) }
            do {
                try await body()
            } catch {
                group.cancelAll()
                throw error
            }
            workers.stop()
            try await group.waitForAll()
        }
    }

    /// Addresses what happened, and delivers once to each receiver what is due.
    func deliver(_ delivery: any EventDelivery) async throws {
        let workers = workers(delivery: delivery)
        try await Addresser(workers: workers).perform()
        for deliverer in workers.deliverers { try await deliverer.perform() }
    }

    /// Asks, has it carried out, and answers how it ended. No duty is done: events are not addressed, and nothing is
    /// removed.
    func erased(_ subject: String, _ rules: ServiceRules = brisk) async throws -> RequestedErasure? {
        let requests = requests(rules)
        let asked = try await requests.request(subject)
        let workers = workers(rules)
        await workers.batch { _ in }.carryOut(try #require(await workers.claimed()))
        return try await requests.erasure(asked.erasure.id)
    }

    /// Has workers try until an erasure needs attention: the sessions of its person cannot be ended.
    func park(_ id: UUID, of subject: String) async throws {
        var rules = Self.brisk
        rules.maximumAttempts = 2
        try await working(workers(rules, closing: RefusingClosing(subject: subject))) {
            try await awaitParked(id)
        }
    }

    /// An engine on the fixture's tables for which no limit of a wait and no pause ever passes.
    ///
    /// - Parameter database: `nil` for the fixture's own.
    func withoutTime(
        on database: (any SQLDatabase)? = nil, owner: String = "here:1:a"
    ) async throws -> ErasureEngine {
        var environment = fixture.environment(owner: owner)
        environment.sleep = { _ in
            await untilCancelled()
            throw CancellationError()
        }
        return try await ErasureEngine.open(
            database ?? fixture.database, plan: try await Self.plan(fixture), folder: fixture.folder,
            state: fixture.state, environment: environment)
    }

    /// Waits until working workers park an erasure; no pause delays them.
    func awaitParked(_ id: UUID) async throws {
        try await eventually {
            try await ripen()
            signals.work.wake()
            return try await requests().erasure(id)?.state == .needsAttention
        }
    }

    /// Makes what is waiting ready now: its grace is over, its pause is over.
    func ripen() async throws {
        let past = fixture.dialect == .postgresql ? "now() - interval '1 second'" : "'2000-01-01T00:00:00.000Z'"
        try await fixture.run(
            "UPDATE \(fixture.control("requests")) SET ready_at = \(past) WHERE ready_at IS NOT NULL")
    }

    func states() async throws -> [String] { try await fixture.rows("SELECT state FROM \(fixture.control("erasures"))") }
}

/// Remembers whose sessions were ended, and does what a test wants meanwhile.
struct RememberedClosing: SubjectClosing {
    let closed = Guarded<[String]>([])
    var meanwhile: @Sendable () async throws -> Void = {}

    func close(_ subjects: [String]) async throws {
        try await meanwhile()
        closed.withLock { $0 += subjects }
    }
}
