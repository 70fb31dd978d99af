// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import Synchronization
import TestFixtures
import Testing

@Suite("Several workers at once, and workers that die or sleep")
struct ConcurrencyTests {
    static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id));
        CREATE INDEX by_author ON posts (author);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org'), (3, 'three@example.org');
        INSERT INTO posts VALUES (10, 1), (11, 1), (20, 2);
        """

    @Test("BX-4 64 simultaneous requests for one subject are one erasure with one receipt", arguments: SQLDialect.allCases)
    func manyAtOnce(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables, postgresql: .init(connectionWait: .seconds(120))) { fixture in
            let plan = try await fixture.plan()
            let engines = [try await fixture.engine(plan), try await fixture.engine(plan, owner: "here:2:b")]
            let outcomes = try await withThrowingTaskGroup(of: [ErasureOutcome].self) { group in
                for number in 0..<64 { group.addTask { try await Self.erased(by: engines[number % 2]) } }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(outcomes.count == 64)
            #expect(outcomes.filter { $0.word == "done" }.count == 1)
            #expect(Set(outcomes.map(\.word)).isSubset(of: ["done", "running", "unknown"]), "\(Set(outcomes.map(\.word)))")
            #expect(try await fixture.rows("SELECT state FROM \(fixture.control("erasures"))") == ["done"])
            #expect(try await fixture.rows("SELECT count(*) FROM \(fixture.control("ledger"))") == ["1"])
            #expect(outcomes.compactMap(\.receipt).first?.erased == ["people": 1, "posts": 2])
            #expect(try await engines[0].verifyAudit() == 2)
        }
    }

    /// Asked again where the turn was waited for too long, on a machine that has much else to do.
    private static func erased(by engine: ErasureEngine) async throws -> [ErasureOutcome] {
        while true {
            do {
                return try await engine.erase(["1"])
            } catch let error as FarewellError where error.code == "sql.55P03" {}
        }
    }

    @Test("BX-4 several engines that start at once on an empty database all start")
    func beginningAtOnce() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let plan = try await fixture.plan()
            let databases = try (1...6).map { _ in try PostgreSQLDatabase(url: fixture.address) }
            for _ in 1...5 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (number, database) in databases.enumerated() {
                        group.addTask { _ = try await fixture.engine(plan, owner: "here:\(number):x", on: database) }
                    }
                    try await group.waitForAll()
                }
                try await fixture.run("DROP SCHEMA farewell CASCADE")
            }
            for database in databases { await database.close() }
        }
    }

    @Test("BX-4 keys that another process makes while this one looks for them are those of the database", arguments: SQLDialect.allCases)
    func keysMadeMeanwhile(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let plan = try await fixture.plan()
            let database = LateDatabase(base: fixture.database) { _ = try await fixture.engine(plan) }
            try await ErasureEngine.refuseOtherKeys(in: database, state: fixture.state)
        }
    }

    /// A database to which something happens before its first answer.
    private struct LateDatabase: SQLDatabase {
        let base: any SQLDatabase
        let happens: @Sendable () async throws -> Void
        private let hasHappened = Guarded(false)

        init(base: any SQLDatabase, _ happens: @escaping @Sendable () async throws -> Void) {
            (self.base, self.happens) = (base, happens)
        }

        var dialect: SQLDialect { base.dialect }

        func withConnection<Value: Sendable>(
            _ body: (any SQLConnection) async throws -> Value
        ) async throws -> Value {
            let isFirst = hasHappened.withLock { hasHappened in
                defer { hasHappened = true }
                return !hasHappened
            }
            if isFirst { try await happens() }
            return try await base.withConnection(body)
        }

        func close() async { await base.close() }
    }

    @Test("BX-6 a row that another transaction deletes during the wait is in no receipt")
    func countedAsDeleted() async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE messages (id integer PRIMARY KEY, sender integer NOT NULL REFERENCES people (id),
                recipient integer NOT NULL REFERENCES people (id));
            CREATE INDEX by_sender ON messages (sender);
            CREATE INDEX by_recipient ON messages (recipient);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org'), (3, 'three@example.org');
            INSERT INTO messages VALUES (10, 1, 2), (11, 1, 3), (12, 2, 3);
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let engine = try await fixture.engine(try await fixture.plan())
            let other = try PostgreSQLDatabase(url: fixture.address)
            let outcomes = try await other.withConnection { connection in
                _ = try await connection.run("BEGIN")
                _ = try await connection.run("DELETE FROM messages WHERE id = 10")
                // Step by step, as where more is verified than reading back.
                async let erased = engine.erase(["1"], options: ErasureOptions(deepScan: .complete))
                try await eventually {
                    let waiting = "wait_event_type = 'Lock' AND query LIKE '%DELETE%messages%'"
                    return try await fixture.rows("SELECT count(*) FROM pg_stat_activity WHERE \(waiting)") == ["1"]
                }
                _ = try await connection.run("COMMIT")
                return try await erased
            }
            #expect(outcomes.compactMap(\.receipt).first?.erased == ["people": 1, "messages": 1])
            #expect(try await fixture.rows("SELECT id FROM messages") == ["12"])
            await other.close()
        }
    }

    @Test(
        "BX-4 two processes get a request for one subject at once: each is erased once, with one receipt", arguments: SQLDialect.allCases)
    func twoProcesses(_ dialect: SQLDialect) async throws {
        let people = (4...60).map { "INSERT INTO people VALUES (\($0), 'p\($0)@example.org');" }.joined()
        try await EngineFixture.with(dialect, Self.tables + people) { fixture in
            let plan = try await fixture.plan()
            let second: any SQLDatabase =
                dialect == .sqlite ? try SQLiteDatabase(path: fixture.address) : try PostgreSQLDatabase(url: fixture.address)
            let engines = [try await fixture.engine(plan), try await fixture.engine(plan, owner: "here:2:b", on: second)]
            let options = ErasureOptions(residue: .leave)
            for person in 1...60 {
                let outcomes = try await withThrowingTaskGroup(of: [ErasureOutcome].self) { group in
                    for engine in engines { group.addTask { try await engine.erase(["\(person)"], options: options) } }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
                #expect(outcomes.filter { $0.word == "done" }.count == 1, "\(outcomes)")
            }
            #expect(try await fixture.rows("SELECT count(*) FROM \(fixture.control("ledger"))") == ["60"])
            await second.close()
        }
    }

    /// Runs A until it reports `event`, lets B take over and finish, then lets A go on.
    private func overtaken(
        _ fixture: EngineFixture, at event: ErasureProgress.Event, sameOwner: Bool, largeFrom: Int = 20_000
    ) async throws -> (a: [ErasureOutcome], b: [ErasureOutcome]) {
        let plan = try await fixture.plan()
        let sleeper = try await fixture.engine(plan)
        let other = try await fixture.engine(plan, owner: sameOwner ? "here:1:a" : "here:2:b")
        let overtaken = Mutex<[ErasureOutcome]?>(nil)
        // Every transition is one of its own where more is verified than reading back.
        let options = ErasureOptions(largeAccount: largeFrom, deepScan: .complete)
        let result = try await sleeper.erase(["1"], options: options) { progress in
            guard progress.event == event, overtaken.withLock({ $0 == nil }) else { return }
            overtaken.withLock { $0 = [] }
            #expect((try? await other.resume())?.isEmpty == true, "a live lease is not stolen")
            let outcomes = (try? await other.resume(takingOver: true, options: options)) ?? []
            overtaken.withLock { $0 = outcomes }
        }
        return (result, overtaken.withLock { $0 ?? [] })
    }

    struct Point: Sendable, CustomTestStringConvertible {
        let event: ErasureProgress.Event
        let sameOwner: Bool
        let largeFrom: Int
        var testDescription: String { "\(event)\(sameOwner ? ", one process" : "")\(largeFrom == 1 ? ", in pieces" : "")" }
    }

    static let points = [ErasureProgress.Event.accepted, .began(step: "rows"), .finished(step: "rows"), .verified, .entered]
        .flatMap { event in
            [false, true].flatMap { same in [20_000, 1].map { Point(event: event, sameOwner: same, largeFrom: $0) } }
        }

    @Test(
        "BX-4 a worker that slept while another took over changes nothing more, and no step happens twice",
        arguments: SQLDialect.allCases, points)
    func zombie(_ dialect: SQLDialect, _ point: Point) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let (a, b) = try await overtaken(fixture, at: point.event, sameOwner: point.sameOwner, largeFrom: point.largeFrom)
            #expect(b.map(\.word) == ["done"], "\(b)")
            #expect(a.map { $0.error?.code } == ["run.lease-lost"], "\(a)")
            #expect(try await fixture.rows("SELECT state, epoch FROM \(fixture.control("erasures"))") == ["done 2"])
            #expect(try await fixture.rows("SELECT count(*) FROM \(fixture.control("ledger"))") == ["1"])
            #expect(b.first?.receipt?.erased == ["people": 1, "posts": 2])
            #expect(try await fixture.rows("SELECT id FROM posts") == ["20"])
            #expect(try await fixture.engine().verifyAudit() == 2)
        }
    }

    @Test("a worker that sleeps while sweeping does not bring back a finished run", arguments: SQLDialect.allCases)
    func sleepingSweep(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables.replacing(" NOT NULL REFERENCES people (id)", with: "")) { fixture in
            let plan = try await fixture.plan { plan in
                plan.set("posts", .erase)
                plan.link("posts", Link(columns: ["author"], target: plan.name("people"), targetColumns: ["id"], shared: .erase))
            }
            let other = try await fixture.engine(plan, owner: "here:2:b")
            let asked = Mutex(false)
            let outcomes = try await fixture.engine(plan).erase(["1"], options: ErasureOptions(deepScan: .complete)) { progress in
                guard progress.event == .finished(step: "rows"),
                    asked.withLock({ asked in
                        defer { asked = true }; return !asked
                    })
                else { return }
                _ = try? await other.resume(takingOver: true)
                // The key is given to another user, who writes: the sleeping worker must not touch it.
                try? await fixture.run("INSERT INTO posts VALUES (30, 1)")
            }
            #expect(outcomes.map { $0.error?.code } == ["run.lease-lost"], "\(outcomes)")
            #expect(try await fixture.rows("SELECT state FROM \(fixture.control("erasures"))") == ["done"])
            #expect(try await fixture.rows("SELECT id FROM posts") == ["20", "30"])
        }
    }

    /// A run of which nothing is left but its record: its worker was killed.
    private func abandoned(_ fixture: EngineFixture, _ plan: Plan, owner: String = "here:1:a") async throws {
        let engine = try await fixture.engine(plan, owner: owner)
        _ = try await Acceptance(context: engine.context(ErasureOptions())).accept([.integer(1)])
    }

    @Test(
        "a live lease is respected; any worker takes a dead owner's lease at once, and an expired lease",
        arguments: SQLDialect.allCases)
    func leases(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let plan = try await fixture.plan()
            try await abandoned(fixture, plan)
            let alive = try await fixture.engine(plan, owner: "here:2:b")
            #expect(try await alive.resume().isEmpty)
            #expect(try await alive.erase(["1"]).map(\.word) == ["running"])
            let knowing = try await fixture.engine(plan, owner: "here:3:c", dead: ["here:1:a"])
            #expect(try await knowing.resume().map(\.word) == ["done"])

            let again = "INSERT INTO people VALUES (1, 'one@example.org')"
            try await fixture.run(again)
            try await abandoned(fixture, plan)
            let past = dialect == .sqlite ? "'2020-01-01T00:00:00.000Z'" : "now() - interval '1 second'"
            try await fixture.run("UPDATE \(fixture.control("erasures")) SET lease_until = \(past) WHERE state = 'running'")
            #expect(try await alive.resume().map(\.word) == ["done"])

            try await fixture.run(again)
            try await abandoned(fixture, plan)
            #expect(try await knowing.erase(["1"]).map(\.word) == ["done"], "asked for again, it goes on")
        }
    }

    @Test("a run whose worker dies ten times is parked, and continues after a release", arguments: SQLDialect.allCases)
    func crashes(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let plan = try await fixture.plan()
            try await abandoned(fixture, plan)
            let engine = try await fixture.engine(plan, owner: "here:2:b", dead: ["here:1:a"])
            for _ in 0..<9 {
                let live = try await engine.control.requests.live().run(in: fixture.database)
                let take = engine.control.leases.take(
                    try #require(live.first), owner: "here:1:a", under: engine.prepared.planFingerprint, isForced: true,
                    locked: .awaited)
                _ = try await take.run(in: fixture.database)
            }
            let outcome = try #require(try await engine.resume().first)
            #expect(outcome.cause?.contains("10 times") == true, "\(outcome)")
            #expect(try await fixture.count("posts") == 3)
            let id = try #require(try await engine.statuses(ofSubject: "1").first).erasure.id
            #expect(try await engine.release(id).map(\.word) == ["done"])
        }
    }

    @Test("runs handed back because of external conditions do not count as crashes", arguments: SQLDialect.allCases)
    func handedBack(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            let work = Task {
                try await engine.erase(["1"], options: ErasureOptions(deepScan: .complete)) {
                    if $0.event == .accepted { withUnsafeCurrentTask { $0?.cancel() } }
                }
            }
            #expect(try await work.value.map(\.word) == ["interrupted"])
            #expect(try await fixture.rows("SELECT count(*) FROM \(fixture.control("erasures")) WHERE owner IS NULL") == ["1"])
            for _ in 0..<7 {
                let again = Task {
                    try await engine.resume { if $0.event == .began(step: "rows") { withUnsafeCurrentTask { $0?.cancel() } } }
                }
                #expect(try await again.value.map(\.word) == ["interrupted"])
            }
            #expect(try await engine.resume().map(\.word) == ["done"])
        }
    }
}
