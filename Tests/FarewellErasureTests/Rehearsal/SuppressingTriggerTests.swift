// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Triggers that keep rows without an error, or put some back")
struct SuppressingTriggerTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE notes (id integer PRIMARY KEY, person integer REFERENCES people ON DELETE CASCADE, body text);
        INSERT INTO people VALUES (1, 'a'), (2, 'b');
        INSERT INTO notes VALUES (1, 1, 'x'), (2, 2, 'y');
        """

    /// A trigger before each deletion with a condition and statements; PostgreSQL's statements return a row or null.
    private func make(_ house: EngineFixture, _ condition: String, _ lite: String, _ function: String) async throws {
        let isLite = house.dialect == .sqlite
        let start = "CREATE TRIGGER soft BEFORE DELETE ON notes FOR EACH ROW \(condition.isEmpty ? "" : "WHEN (\(condition)) ")"
        let statements =
            isLite
            ? ["DROP TRIGGER IF EXISTS soft", start + "BEGIN \(lite); END"]
            : [
                "DROP TRIGGER IF EXISTS soft ON notes",
                "CREATE OR REPLACE FUNCTION soft() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(function); END $$",
                start + "EXECUTE FUNCTION soft()",
            ]
        try await house.database.withConnection { connection in
            for statement in statements { _ = try await connection.run(SQLStatement(statement)) }
        }
    }

    @Test("PL-4 a trigger that keeps rows without an error is an error of check", arguments: SQLDialect.allCases)
    func checked(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { house in
            let mark = "UPDATE notes SET body = 'gone' WHERE id = OLD.id"
            let ignore = "SELECT RAISE(IGNORE)"
            let cases: [(condition: String, lite: String, function: String, severity: Finding.Severity?)] = [
                ("", ignore, "RETURN NULL", .error),
                ("", "\(mark); \(ignore)", "\(mark); RETURN NULL", .error),
                ("OLD.body <> 'gone'", "\(mark); \(ignore)", "\(mark); RETURN NULL", .error),
                ("OLD.body = 'x'", ignore, "RETURN NULL", .warning),
                (
                    "", "SELECT CASE WHEN OLD.body = 'x' THEN RAISE(IGNORE) END",
                    "IF OLD.body = 'x' THEN RETURN NULL; END IF; RETURN OLD", .warning
                ),
                ("", mark, "\(mark); RETURN OLD", nil),
                // A function for several events returns `NEW` for the others.
                ("", mark, "IF TG_OP = 'DELETE' THEN \(mark); RETURN OLD; END IF; RETURN NEW", nil),
                ("", ignore, "IF TG_OP = 'INSERT' THEN PERFORM 1; END IF; RETURN NEW", .error),
                ("", "SELECT RAISE(ABORT, 'RETURN NULL')", "RAISE NOTICE 'RETURN NULL'; RETURN OLD", nil),
            ]
            for (number, trigger) in cases.enumerated() {
                try await make(house, trigger.condition, trigger.lite, trigger.function)
                let schema = try await Schema.read(from: house.database)
                let found = PlanCheck.findings(try await house.plan(), schema).filter { $0.code == "trigger.keeps-rows" }
                #expect(found.map(\.severity) == [trigger.severity].compactMap(\.self), "case \(number): \(found)")
                #expect(found.allSatisfy { $0.message.contains("“soft”") && $0.table?.name == "notes" })
            }
            guard dialect == .postgresql else { return }
            try await make(house, "", "", "IF current_user = 'farewell' THEN RETURN OLD; END IF; \(mark); RETURN NULL")
            let schema = try await Schema.read(from: house.database)
            let passing = PlanCheck.findings(try await house.plan(), schema).first { $0.code == "trigger.keeps-rows" }
            #expect(passing?.severity == .warning, "the role may pass")
        }
    }

    @Test("PL-4 check confuses neither a table's name in SQLite's trigger text with a role, nor the trigger's event with a statement")
    func named() async throws {
        let tables = Self.tables.replacing("notes", with: "user")
        try await EngineFixture.with(.sqlite, tables) { house in
            let ignore = "SELECT RAISE(IGNORE)"
            let cases: [(trigger: String, rule: Rule, severity: Finding.Severity?)] = [
                ("BEFORE DELETE ON user BEGIN UPDATE user SET body = 'gone'; \(ignore); END", .erase, .error),
                ("BEFORE UPDATE ON user BEGIN UPDATE OR IGNORE user SET body = 'gone'; \(ignore); END", .anonymise, .error),
                ("BEFORE UPDATE ON user WHEN NEW.body < OLD.body BEGIN \(ignore); END", .anonymise, .warning),
                ("BEFORE UPDATE OF id ON user BEGIN UPDATE people SET email = 'x'; \(ignore); END", .anonymise, .warning),
            ]
            for (number, (trigger, rule, severity)) in cases.enumerated() {
                try await house.database.withConnection { connection in
                    _ = try await connection.run("DROP TRIGGER IF EXISTS soft")
                    _ = try await connection.run(SQLStatement("CREATE TRIGGER soft \(trigger)"))
                }
                let schema = try await Schema.read(from: house.database)
                let plan = try await house.plan { plan in
                    for place in plan.tables.indices where plan.tables[place].table.name == "user" {
                        plan.tables[place].rule = rule
                    }
                }
                let found = PlanCheck.findings(plan, schema).filter { $0.code == "trigger.keeps-rows" }
                #expect(found.map(\.severity) == [severity].compactMap(\.self), "case \(number): \(found)")
            }
        }
    }

    @Test("PL-4 check knows a trigger that marks a row of its own table, also if the table's name is not composed")
    func decomposed() async throws {
        let name = "cafe\u{301}"
        try await EngineFixture.with(.sqlite, Self.tables.replacing("notes", with: "\"\(name)\"")) { house in
            // Without the mark the condition would make it uncertain.
            let body = "UPDATE \"\(name)\" SET body = 'gone' WHERE id = OLD.id; SELECT RAISE(IGNORE)"
            try await house.database.withConnection { connection in
                let trigger = "CREATE TRIGGER soft BEFORE DELETE ON \"\(name)\" WHEN OLD.body <> 'gone' BEGIN \(body); END"
                _ = try await connection.run(SQLStatement(trigger))
            }
            let schema = try await Schema.read(from: house.database)
            let found = PlanCheck.findings(try await house.plan(), schema).filter { $0.code == "trigger.keeps-rows" }
            #expect(found.map(\.severity) == [.error], "\(found)")
        }
    }

    @Test("PL-4 a rehearsal names the trigger that keeps a row, and offers no effect for it", arguments: SQLDialect.allCases)
    func rehearsed(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { house in
            let ignore = "SELECT CASE WHEN OLD.body = 'x' THEN RAISE(IGNORE) END"
            try await make(house, "", ignore, "IF OLD.body = 'x' THEN RETURN NULL; END IF; RETURN OLD")
            let shown = try #require(try await house.engine(try await house.plan()).rehearse(["1"]).first)
            #expect(!shown.fits && shown.left.keys.contains { $0.hasSuffix("notes") }, "\(shown)")
            #expect(shown.effects.isEmpty)
            #expect(shown.keepers.count == 1 && shown.keepers[0].contains("“soft”"), "\(shown.keepers)")
        }
    }

    @Test("PL-4 SQL-29 a key that a trigger keeps from being emptied is explained by that trigger")
    func keptKey() async throws {
        let script = """
            CREATE TABLE comments (id integer PRIMARY KEY, note integer REFERENCES notes (id),
                author integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
            INSERT INTO comments VALUES (1, 1, 2);
            """
        try await EngineFixture.with(.sqlite, Self.tables + script) { house in
            try await house.database.withConnection {
                _ = try await $0.run("CREATE TRIGGER hold BEFORE UPDATE ON comments BEGIN SELECT RAISE(IGNORE); END")
            }
            let plan = try await house.plan { plan in
                let (people, notes) = (plan.name("people"), plan.name("notes"))
                plan.questions.removeAll { $0.table.name == "comments" }
                plan.set("comments", .erase)
                plan.at("comments") {
                    $0.links = [
                        Link(columns: ["author"], target: people, targetColumns: ["id"], onDelete: .cascade),
                        Link(
                            columns: ["note"], target: notes, targetColumns: ["id"], onDelete: .noAction,
                            role: .reference),
                    ]
                }
            }
            let shown = try #require(try await house.engine(plan).rehearse(["1"]).first)
            let remedy = try #require(shown.refusals.first { $0.table?.name == "comments" }?.remedy, "\(shown)")
            #expect(remedy.contains("“hold”") && !remedy.contains("Give"), "\(remedy)")
        }
    }

    @Test("PL-4 a trigger that inserts into its own table is one difference, with its name", arguments: SQLDialect.allCases)
    func again(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { house in
            try await house.trigger("again", "AFTER DELETE ON notes", "INSERT INTO notes VALUES (OLD.id + 100, NULL, 'z')")
            let shown = try #require(try await house.engine(try await house.plan()).rehearse(["1"]).first)
            let name = house.name("notes").description
            #expect(shown.differences.map(\.text) == ["\(name): 1 row inserted, none predicted"])
            #expect(shown.effects.map(\.also) == [house.name("notes")] && shown.triggers.first?.contains("“again”") == true)
        }
    }

    @Test(
        "PL-4 a rehearsal, like a run, also erases the copies that a trigger makes of deleted rows", arguments: SQLDialect.allCases)
    func copied(_ dialect: SQLDialect) async throws {
        let history = """

            CREATE TABLE history (note integer, p integer, body text);
            INSERT INTO history VALUES (7, 1, 'w'), (8, 2, 'v');
            """
        let tables = Self.tables + history
        try await EngineFixture.with(dialect, tables) { house in
            try await house.trigger("copying", "AFTER DELETE ON notes", "INSERT INTO history VALUES (OLD.id, OLD.person, OLD.body)")
            var plan = try await house.plan { plan in
                let person = Link(columns: ["p"], target: plan.name("people"), targetColumns: ["id"], shared: .erase)
                plan.set("history", .erase)
                plan.at("history") { $0.links = [person] }
            }
            let shown = try #require(try await house.engine(plan).rehearse(["1"]).first)
            #expect(shown.differences.map { "\($0.table.name) \($0.kind) \($0.rows)" } == ["history inserted 1"])
            #expect(shown.left.isEmpty && shown.effects.map(\.also) == [house.name("history")], "\(shown)")
            plan.effects = shown.effects
            let again = try #require(try await house.engine(plan).rehearse(["1"]).first)
            #expect(again.fits, "\(again)")
            let rows = Dictionary(again.changes.map { ($0.table.name, $0.rows) }) { first, _ in first }
            #expect(rows["history"] == RowChanges(inserted: 1, deleted: 2) && rows["people"]?.deleted == 1, "\(again)")
            #expect(try await house.count("history") == 2, "a rehearsal changes nothing")
            let outcome = try #require(try await house.engine(plan).erase(["1"]).first)
            #expect(outcome.word == "done", "\(outcome)")
            #expect(try await house.rows("SELECT note, p FROM history") == ["8 2"])
        }
    }
}
