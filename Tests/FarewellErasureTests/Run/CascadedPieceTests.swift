// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Synchronization
import TestFixtures
import Testing

@Suite("Large accounts of which the database's cascade deletes a part")
struct CascadedPieceTests {
    /// Each of the 6,000 lines has a cost. Five costs have no line, and three of the lines have a cost of the other user.
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE chats (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
        CREATE TABLE lines (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            chat integer NOT NULL REFERENCES chats (id) ON DELETE CASCADE);
        CREATE TABLE costs (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            line integer REFERENCES lines (id) ON DELETE CASCADE);
        CREATE INDEX chats_owner ON chats (owner);
        CREATE INDEX lines_owner ON lines (owner);
        CREATE INDEX lines_chat ON lines (chat);
        CREATE INDEX costs_owner ON costs (owner);
        CREATE INDEX costs_line ON costs (line);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO chats VALUES (1, 1), (2, 2);
        INSERT INTO lines SELECT n, 1, 1 FROM generate_series(1, 6000) AS s (n);
        INSERT INTO lines SELECT n, 2, 2 FROM generate_series(6001, 6010) AS s (n);
        INSERT INTO costs SELECT n, 1, n FROM generate_series(1, 6000) AS s (n);
        INSERT INTO costs SELECT n, 1, NULL FROM generate_series(6001, 6005) AS s (n);
        INSERT INTO costs SELECT 7000 + n, 2, n FROM generate_series(1, 3) AS s (n);
        INSERT INTO costs SELECT 8000 + n, 2, 6000 + n FROM generate_series(1, 4) AS s (n);
        """
    private static let erased = ["people": 1, "chats": 1, "lines": 6_000, "costs": 6_008]
    private static let options = ErasureOptions(largeAccount: 1, residue: .leave)

    /// Erases the first user, is cancelled after so many pieces, and then goes on; returns what was done after each piece.
    private func erase(by engine: ErasureEngine, cancelledAfter point: Int? = nil) async throws -> (ErasureOutcome?, [Int]) {
        let seen = Mutex<[Int]>([])
        let first = try await Task {
            try await engine.erase(["1"], options: Self.options) { progress in
                guard case .advanced(step: "rows", let done, _) = progress.event else { return }
                let pieces = seen.withLock { seen in
                    seen.append(done)
                    return seen.count
                }
                if pieces == point { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }.value
        let last = point == nil ? first : try await engine.resume(options: Self.options)
        return (last.first, seen.withLock { $0 })
    }

    /// A database on which a piece that takes rows of other tables along has another limit of time.
    private static func limited(
        _ database: any SQLDatabase, to limit: String, counting bounded: Guarded<Int>
    ) -> WatchedDatabase {
        WatchedDatabase(database) { statements, _ in
            statements.map { statement in
                guard statement.text.contains("'500ms'") else { return statement }
                bounded.withLock { $0 += 1 }
                return SQLStatement(statement.text.replacing("'500ms'", with: "'\(limit)'"), statement.parameters)
            }
        }
    }

    private func requireOthers(_ fixture: EngineFixture) async throws {
        #expect(try await fixture.rows("SELECT owner, count(*) FROM lines GROUP BY 1") == ["2 10"])
        #expect(try await fixture.rows("SELECT owner, count(*) FROM costs GROUP BY 1") == ["2 4"])
    }

    @Test(
        "BX-8 rows that the database deletes with those of another table are counted exactly, wherever the erasure is interrupted",
        arguments: [nil, 1, 2, 3] as [Int?])
    func counted(_ point: Int?) async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let bounded = Guarded(0)
            let patient = Self.limited(fixture.database, to: "600s", counting: bounded)
            let engine = try await fixture.engine(try await fixture.plan()).on(patient)
            let (outcome, done) = try await erase(by: engine, cancelledAfter: point)
            #expect(outcome?.receipt?.erased == Self.erased, "\(String(describing: outcome))")
            #expect(done.first == 4_003, "2,000 lines, and their 2,003 costs")
            try await requireOthers(fixture)
        }
    }

    @Test("BX-8 PL-5 rows of other users that a key empties, when a cascade deletes what they name, are predicted")
    func emptied() async throws {
        let notices = """
            CREATE TABLE notices (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id) ON DELETE CASCADE,
                cost integer REFERENCES costs (id) ON DELETE SET NULL);
            CREATE INDEX notices_cost ON notices (cost);
            INSERT INTO notices SELECT n, 2, n FROM generate_series(1, 50) AS s (n);
            INSERT INTO notices SELECT 100 + n, 1, 100 + n FROM generate_series(1, 20) AS s (n);
            """
        try await EngineFixture.with(.postgresql, Self.tables + notices) { fixture in
            let bounded = Guarded(0)
            let patient = Self.limited(fixture.database, to: "600s", counting: bounded)
            let engine = try await fixture.engine(try await fixture.plan()).on(patient)
            let (outcome, _) = try await erase(by: engine)
            #expect(bounded.withLock { $0 } > 0, "costs are left to the cascade")
            let expected = Self.erased.merging(["notices": 20]) { $1 }
            #expect(outcome?.receipt?.erased == expected, "\(String(describing: outcome))")
            #expect(try await fixture.rows("SELECT owner, count(*), count(cost) FROM notices GROUP BY 1") == ["2 50 0"])
            try await requireOthers(fixture)
        }
    }

    @Test("BX-8 if the rows that go with a piece take too long, the piece is rolled back, and each table is erased separately")
    func tooLong() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let bounded = Guarded(0)
            let hasty = Self.limited(fixture.database, to: "1ms", counting: bounded)
            let engine = try await fixture.engine(try await fixture.plan()).on(hasty)
            let (outcome, done) = try await erase(by: engine)
            #expect(bounded.withLock { $0 } == 1)
            #expect(outcome?.receipt?.erased == Self.erased, "\(String(describing: outcome))")
            #expect(done.first == 2_000, "only costs")
            try await requireOthers(fixture)
        }
    }

    @Test("BX-8 tables are left to a cascade only where the subject has few of their rows for each row of the other table")
    func few() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let program = try await fixture.engine(try await fixture.plan()).context(.init()).prepared.programForOne
            let index = Dictionary(uniqueKeysWithValues: program.graph.nodes.map { ($0.table.name.name, $0.index) })
            let (costs, lines) = (try #require(index["costs"]), try #require(index["lines"]))
            let chats = try #require(index["chats"])
            #expect(program.cascades(in: program.stepwise) { _, _ in false }.isEmpty)
            #expect(program.cascades(in: program.stepwise) { node, _ in node == costs } == [costs: [lines]])
            #expect(program.cascades(in: program.stepwise) { node, _ in node == lines } == [lines: [chats]])
            let order = program.leaving([costs: [lines]], in: program.stepwise)
            let places = order.map { $0.nodes.first }
            #expect(places.firstIndex(of: costs) == (places.lastIndex(of: lines) ?? 0) + 1)
            #expect(order.filter { $0.nodes == [costs] }.allSatisfy { $0.through == nil })
            #expect(order.filter(\.takesOthers).allSatisfy { $0.nodes == [lines] })
        }
    }

    @Test(
        "BX-8 rows that another key holds, and rows that a trigger watches, are not left to a cascade",
        arguments: [
            "ALTER TABLE costs ADD COLUMN chat integer REFERENCES chats (id)",
            """
            CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';
            CREATE TRIGGER watched BEFORE DELETE ON costs FOR EACH ROW EXECUTE FUNCTION watch()
            """,
        ])
    func held(_ change: String) async throws {
        try await EngineFixture.with(.postgresql, Self.tables + change + ";") { fixture in
            let engine = try await fixture.engine(try await fixture.plan())
            let program = engine.context(.init()).prepared.programForOne
            let costs = try #require(program.graph.nodes.first { $0.table.name.name == "costs" }?.index)
            #expect(program.cascades(in: program.stepwise) { node, _ in node == costs }.isEmpty)
            let (outcome, _) = try await erase(by: engine)
            #expect(outcome?.receipt?.erased == Self.erased, "\(String(describing: outcome))")
            try await requireOthers(fixture)
        }
    }
}
