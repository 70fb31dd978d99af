// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("A rehearsed and rolled-back erasure")
struct RehearsalTests {
    static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
        CREATE TABLE likes (id integer PRIMARY KEY, post integer NOT NULL REFERENCES posts (id) ON DELETE CASCADE);
        CREATE TABLE orders (id integer PRIMARY KEY, buyer integer REFERENCES people (id) ON DELETE SET NULL);
        CREATE INDEX by_author ON posts (author); CREATE INDEX by_post ON likes (post);
        CREATE INDEX by_buyer ON orders (buyer);
        INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');
        INSERT INTO posts VALUES (10, 1), (11, 1), (20, 2);
        INSERT INTO likes VALUES (100, 10), (101, 10), (102, 20);
        INSERT INTO orders VALUES (1, 1), (2, 2);
        """

    /// The changes of one rehearsal by bare table name: inserted, updated, deleted.
    static func changes(_ rehearsal: Rehearsal) -> [String: [Int]] {
        Dictionary(
            rehearsal.changes.map { ($0.table.name, [$0.rows.inserted, $0.rows.updated, $0.rows.deleted]) },
            uniquingKeysWith: { first, _ in first })
    }

    @Test("PL-4 a rehearsal changes nothing, and reports the changes it would make in every table", arguments: SQLDialect.allCases)
    func nothingRemains(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            let before = try await fixture.everything()
            let rehearsals = try await engine.rehearse(["1", "2", "9"])
            #expect(try await fixture.everything() == before)
            #expect(rehearsals.map(\.isKnown) == [true, true, false])
            #expect(rehearsals.allSatisfy { $0.fits }, "\(rehearsals)")
            #expect(
                Self.changes(rehearsals[0]) == [
                    "people": [0, 0, 1], "posts": [0, 0, 2], "likes": [0, 0, 2], "orders": [0, 1, 0],
                ])
            let outcome = try await engine.erase(["1"], options: ErasureOptions(residue: .leave)).first
            #expect(outcome?.word == "done", "\(String(describing: outcome))")
        }
    }

    @Test("PL-4 SQL-19 a trigger's other writes are shown with lines for the plan, which then fit", arguments: SQLDialect.allCases)
    func triggers(_ dialect: SQLDialect) async throws {
        let script = Self.tables + "CREATE TABLE history (post integer); CREATE TABLE counts (n integer); INSERT INTO counts VALUES (3)"
        try await EngineFixture.with(dialect, script) { fixture in
            try await fixture.trigger(
                "copying", "AFTER DELETE ON posts",
                "INSERT INTO history VALUES (OLD.id); UPDATE counts SET n = n - 1")
            var plan = try await fixture.plan { plan in
                plan.set("history", .notPersonal)
                plan.set("counts", .notPersonal)
            }
            let shown = try #require(try await fixture.engine(plan).rehearse(["1"]).first)
            #expect(Set(shown.differences.map { "\($0.table.name) \($0.kind) \($0.rows)" }) == ["history inserted 2", "counts updated 2"])
            let lines = TriggerEffectText.lines(for: shown.effects)
            #expect(lines.first == "effects:" && lines.count == 3, "\(lines)")
            #expect(lines.contains { $0.hasSuffix("history, inserts: 1}") }, "\(lines)")
            plan.effects = shown.effects
            let again = try #require(try await fixture.engine(plan).rehearse(["1"]).first)
            #expect(again.fits, "\(again)")
            let text = PlanFile.text(for: plan)
            #expect(try PlanFile.read(Array(text.utf8), path: "farewell.yaml").effects == plan.effects)
        }
    }

    @Test("PL-4 SQL-21 SQL-29 a rehearsal reports all refusals together, each with its table and a remedy", arguments: SQLDialect.allCases)
    func allRefusals(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE logs (id integer PRIMARY KEY, who integer REFERENCES people (id) ON DELETE SET NULL,
                robot integer, CONSTRAINT one_principal CHECK (who IS NOT NULL OR robot IS NOT NULL));
            CREATE TABLE bills (id integer PRIMARY KEY, payer integer REFERENCES people (id) ON DELETE SET NULL,
                CONSTRAINT has_payer CHECK (coalesce(payer, 0) > 0));
            CREATE TABLE notes (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
            CREATE TABLE tags (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
            CREATE INDEX by_who ON logs (who); CREATE INDEX by_payer ON bills (payer);
            CREATE INDEX by_author ON notes (author); CREATE INDEX by_tag ON tags (author);
            INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');
            INSERT INTO logs VALUES (1, 1, NULL), (2, 2, 5); INSERT INTO bills VALUES (1, 1), (2, 2);
            INSERT INTO notes VALUES (1, 1), (2, 2); INSERT INTO tags VALUES (1, 1);
            """
        try await EngineFixture.with(dialect, script) { fixture in
            try await fixture.refusing("no_notes", "BEFORE DELETE ON notes")
            let engine = try await fixture.guardedEngine(try await fixture.plan())
            let before = try await fixture.everything()
            let shown = try #require(try await engine.rehearse(["1"]).first)
            #expect(try await fixture.everything() == before)
            #expect(Set(shown.refusals.compactMap(\.table?.name)) == ["logs", "bills", "notes"], "\(shown.refusals)")
            #expect(shown.refusals.allSatisfy { !$0.remedy.isEmpty })
            #expect(shown.refusals.contains { $0.name == "no_notes" }, "\(shown.refusals)")
            if dialect == .postgresql {
                #expect(Set(shown.refusals.compactMap(\.name)) == ["one_principal", "has_payer", "no_notes"])
            }
            #expect(try await engine.rehearse(["2"]).first?.refusals.compactMap(\.table?.name).sorted() == ["bills", "notes"])
        }
    }

    @Test("PL-4 a run refuses everything that a rehearsal refuses, and changes nothing", arguments: SQLDialect.allCases)
    func deferred(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE pets (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id) DEFERRABLE INITIALLY DEFERRED);
            CREATE TABLE visits (id integer PRIMARY KEY, pet integer REFERENCES pets (id) DEFERRABLE INITIALLY DEFERRED, who integer);
            CREATE INDEX by_owner ON pets (owner); CREATE INDEX by_pet ON visits (pet);
            INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');
            INSERT INTO pets VALUES (1, 1), (2, 2); INSERT INTO visits VALUES (1, 1, 2), (2, NULL, 1);
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.set("visits", .erase)
                plan.link("visits", Link(columns: ["who"], target: plan.name("people"), targetColumns: ["id"], shared: .erase))
            }
            let engine = try await fixture.guardedEngine(plan)
            let shown = try #require(try await engine.rehearse(["1"]).first)
            #expect(shown.refusals.map(\.code) == ["sql.23503"], "\(shown)")
            #expect(shown.refusals.first?.table?.name == "visits", "\(shown.refusals)")
            let before = try await fixture.rows("SELECT id FROM people")
            #expect(try await engine.erase(["1"]).first?.word == "parked")
            #expect(try await fixture.rows("SELECT id FROM people") == before)
        }
    }

    @Test("PL-4 a trigger that ends SQLite's whole transaction commits nothing")
    func rolledBackByTrigger() async throws {
        try await EngineFixture.with(.sqlite, Self.tables) { fixture in
            try await fixture.trigger("stop", "BEFORE DELETE ON posts", "SELECT RAISE(ROLLBACK, 'no')")
            let engine = try await fixture.engine()
            let before = try await fixture.everything()
            let shown = try #require(try await engine.rehearse(["1"]).first)
            #expect(shown.refusals.count == 1 && shown.refusals.first?.name == "stop", "\(shown)")
            #expect(try await fixture.everything() == before)
        }
    }

    @Test("PL-4 an interrupted rehearsal leaves no change", arguments: SQLDialect.allCases)
    func interrupted(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            let before = try await fixture.everything()
            let transaction = RehearsalTransaction(
                prepared: engine.prepared, control: engine.control, limits: RehearsalLimits())
            await #expect(throws: CancellationError.self) {
                try await transaction.run(in: fixture.database) { connection in
                    try await connection.run("DELETE FROM likes")
                    throw CancellationError()
                }
            }
            #expect(try await fixture.everything() == before)
        }
    }

    @Test("PL-4 a sample contains users who have rows", arguments: SQLDialect.allCases)
    func sampled(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let engine = try await fixture.engine()
            let sample = try await engine.sampleSubjects(10)
            #expect(sample.sorted() == ["1", "2"])
            #expect(try await engine.sampleSubjects(1).count == 1)
            #expect(try await engine.findingsOfRehearsal(sampling: 2).isEmpty)
        }
    }

    @Test("PL-2 PL-4 the rows of a pair that are about another table name no user of a sample", arguments: SQLDialect.allCases)
    func sampledPairs(_ dialect: SQLDialect) async throws {
        let notes = """
            CREATE TABLE notes (id integer PRIMARY KEY, kind text, about integer);
            INSERT INTO notes VALUES (1, 'Team', 9), (2, 'User', 2), (3, NULL, 8);
            """
        try await EngineFixture.with(dialect, Self.tables + notes) { fixture in
            let plan = try await fixture.plan { plan in
                var link = Link(columns: ["about"], target: plan.subject.table, targetColumns: ["id"], role: .owner)
                link.condition = LinkCondition([.init(column: "kind", values: ["User", "people"])])
                plan.set("notes", .erase)
                plan.link("notes", link)
            }
            let sample = try await fixture.engine(plan).sampleSubjects(10)
            #expect(sample.sorted() == ["1", "2"])
        }
    }

    @Test("PL-4 a rehearsal is refused on a read-only server, and its time is bounded when another transaction holds a lock")
    func servers() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let engine = try await fixture.engine()
            try await fixture.database.withConnection { holder in
                try await holder.run("BEGIN")
                try await holder.run("LOCK TABLE likes IN ACCESS EXCLUSIVE MODE")
                await #expect { try await engine.rehearse(["1"], limits: RehearsalLimits(lock: 1)) } throws: {
                    ["sql.55P03", "sql.57014"].contains(($0 as? FarewellError)?.code)
                }
                try await holder.run("ROLLBACK")
            }
            let name = try #require(try await fixture.rows("SELECT current_database()").first)
            try await fixture.run("ALTER DATABASE \(name) SET default_transaction_read_only = on")
            let reading = try PostgreSQLDatabase(url: fixture.address)
            let looking = try await ErasureEngine.looking(
                at: reading, plan: engine.plan, environment: fixture.environment())
            await #expect { try await looking.rehearse(["1"]) } throws: {
                ($0 as? FarewellError)?.code == "rehearsal.read-only"
                    && ($0 as? FarewellError)?.remedy?.contains("default_transaction_read_only") == true
            }
            await reading.close()
        }
    }
}

extension EngineFixture {
    /// A trigger for each row with these statements.
    func trigger(_ name: String, _ when: String, _ statements: String) async throws {
        guard dialect == .postgresql else {
            return try await database.withConnection {
                _ = try await $0.run(SQLStatement("CREATE TRIGGER \(name) \(when) BEGIN \(statements); END"))
            }
        }
        try await database.withConnection { connection in
            let function =
                "CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(statements); RETURN NULL; END $$"
            try await connection.run(SQLStatement(function))
            try await connection.run(SQLStatement("CREATE TRIGGER \(name) \(when) FOR EACH ROW EXECUTE FUNCTION \(name)()"))
        }
    }

    /// A trigger that refuses every row.
    func refusing(_ name: String, _ when: String) async throws {
        let raise = dialect == .postgresql ? "RAISE EXCEPTION 'no'" : "SELECT RAISE(ABORT, 'no')"
        try await trigger(name, when, raise)
    }
}
