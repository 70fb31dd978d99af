// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("A transaction that changes other rows than predicted is rolled back")
struct ChangeGuardTests {
    private static let customers = """
        CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE);
        CREATE TABLE customers (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
            shop TEXT NOT NULL, code TEXT NOT NULL, UNIQUE (shop, code) ON CONFLICT CLAUSE);
        CREATE INDEX customers_user ON customers (user_id);
        CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers (id) ON DELETE CASCADE);
        CREATE INDEX invoices_customer ON invoices (customer_id);
        INSERT INTO users VALUES (1, 'u1@example.org'), (2, 'u2@example.org'), (3, 'u3@example.org');
        INSERT INTO customers VALUES (1, 1, 'north', 'anna'), (2, 2, 'north', 'ben'), (3, 3, 'north', 'gone');
        INSERT INTO invoices VALUES (1, 1), (2, 2), (3, 3);
        """

    private func plan(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan("users") { plan in
            plan.set("customers", .anonymise, ["user_id": .null, "code": .constant("gone")])
            plan.set("invoices", .notPersonal)
        }
    }

    @Test("PL-5 SQL-01 a row of another user that ON CONFLICT REPLACE would delete stays, and the run parks", arguments: [20_000, 1])
    func replaced(_ largeAccount: Int) async throws {
        try await EngineFixture.with(.sqlite, Self.customers.replacing("CLAUSE", with: "REPLACE")) { fixture in
            let engine = try await fixture.guardedEngine(try await plan(fixture))
            let before = try await fixture.everything()
            let shown = try #require(try await engine.rehearse(["1"]).first)
            #expect(shown.differences.contains { $0.table.name == "customers" && $0.kind == .deleted && $0.rows == 1 }, "\(shown)")
            #expect(shown.effects.isEmpty, "nothing to be declared: no trigger did it")
            let outcome = try #require(
                try await engine.erase(["1"], options: ErasureOptions(largeAccount: largeAccount, residue: .leave)).first)
            #expect(outcome.cause?.contains("customers") == true, "\(outcome)")
            let after = try await fixture.everything()
            #expect(after["users"] == before["users"] && after["invoices"] == before["invoices"], "identity stays")
            #expect(try await fixture.rows("SELECT id, code FROM customers WHERE id > 1") == ["2 ben", "3 gone"])
            if largeAccount > 1 { #expect(after == before) }
        }
    }

    @Test("PL-5 SQL-27 a change that ON CONFLICT IGNORE would skip parks the run, and the account stays")
    func ignored() async throws {
        try await EngineFixture.with(.sqlite, Self.customers.replacing("CLAUSE", with: "IGNORE")) { fixture in
            let engine = try await fixture.guardedEngine(try await plan(fixture))
            let before = try await fixture.everything()
            let outcome = try #require(try await engine.erase(["1"]).first)
            #expect(outcome.cause?.contains("customers") == true, "\(outcome)")
            #expect(try await fixture.everything() == before)
        }
    }

    @Test(
        "PL-5 SQL-19 rows that a trigger removes by TRUNCATE park the run, unless the plan permits it",
        arguments: [
            "TRUNCATE summaries, staging", "EXECUTE 'TRUNCATE summaries, staging'",
            "EXECUTE format('TRUNCATE %I, %I', 'summaries', 'staging')",
        ])
    func truncated(_ statement: String) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
            CREATE TABLE summaries (day integer); CREATE TABLE staging (day integer);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO posts VALUES (1, 1), (2, 2);
            INSERT INTO summaries VALUES (1), (2);
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            try await fixture.run(
                """
                CREATE FUNCTION emptying() RETURNS trigger LANGUAGE plpgsql
                    AS $$ BEGIN \(statement); RETURN NULL; END $$;
                CREATE TRIGGER emptying AFTER DELETE ON posts FOR EACH ROW EXECUTE FUNCTION emptying();
                """)
            var plan = try await fixture.plan { plan in
                for table in ["summaries", "staging"] { plan.set(table, .notPersonal) }
            }
            let engine = try await fixture.engine(plan)
            let shown = try #require(try await engine.rehearse(["1"]).first)
            // No row was removed from the other table.
            #expect(shown.differences.map { "\($0.table.name) \($0.kind)" } == ["summaries deleted"], "\(shown)")
            #expect(shown.effects.map(\.deletes) == [.any], "\(shown)")
            let outcome = try #require(try await engine.erase(["1"]).first)
            #expect(outcome.cause?.contains("summaries") == true, "\(outcome)")
            #expect(try await fixture.rows("SELECT day FROM summaries") == ["1", "2"])
            plan.effects = shown.effects
            #expect(try await fixture.engine(plan).erase(["2"]).map(\.word) == ["done"])
            #expect(try await fixture.count("summaries") == 0)
        }
    }

    @Test("PL-4 PL-5 an erasure that a counter's trigger parks names the line for the plan in the words of the rehearsal")
    func counted() async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE topics (id integer PRIMARY KEY, replies integer NOT NULL);
            CREATE TABLE posts (id integer PRIMARY KEY, topic integer NOT NULL,
                author integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO topics VALUES (1, 3);
            INSERT INTO posts VALUES (1, 1, 1), (2, 1, 1), (3, 1, 2);
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            try await fixture.run(
                """
                CREATE FUNCTION counting() RETURNS trigger LANGUAGE plpgsql
                    AS $$ BEGIN UPDATE topics SET replies = replies - 1 WHERE id = OLD.topic; RETURN NULL; END $$;
                CREATE TRIGGER counting AFTER DELETE ON posts FOR EACH ROW EXECUTE FUNCTION counting();
                """)
            var plan = try await fixture.plan { $0.set("topics", .notPersonal) }
            let engine = try await fixture.engine(plan)
            let shown = try #require(try await engine.rehearse(["1"]).first)
            #expect(shown.effects.map(\.updates) == [.perRow(1)], "\(shown)")
            let outcome = try #require(try await engine.erase(["1"]).first)
            let words = TriggerEffectText.advice(about: shown.triggers, isReplacing: false)
            let line = TriggerEffectText.line(for: engine.effects(declaring: shown.effects))
            #expect(outcome.cause?.contains("\(words) \(line). Then release") == true, "\(outcome)")
            plan.effects = shown.effects
            #expect(try await fixture.engine(plan).erase(["2"]).map(\.word) == ["done"])
        }
    }

    @Test("PL-5 SQL-02 SQL-20 an erasure enforces keys that are off by default, and every row is counted")
    func keysOff() async throws {
        let owning: (inout Plan) -> Void = { plan in
            plan.set("orders", .erase)
            plan.at("orders") { $0.links[0].role = .owner }
        }
        for edit in [{ _ in }, owning] {
            try await EngineFixture.with(.postgresql, RehearsalTests.tables) { fixture in
                let name = try #require(try await fixture.rows("SELECT current_database()").first)
                try await fixture.run("ALTER DATABASE \(name) SET session_replication_role = replica")
                let other = try PostgreSQLDatabase(url: fixture.address)
                let plan = try await fixture.plan("people", edit)
                let engine = try await fixture.engine(plan, owner: "there:1:a", on: other)
                let shown = try #require(try await engine.rehearse(["1"]).first)
                #expect(shown.differences.isEmpty && shown.refusals.isEmpty, "\(shown)")
                let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
                #expect(receipt.erased["likes"] == 2 && receipt.erased["posts"] == 2, "\(receipt.erased)")
                #expect(try await fixture.rows("SELECT count(*) FROM orders WHERE buyer = 1") == ["0"])
                #expect(try await fixture.rows("SELECT post FROM likes") == ["20"])
                await other.close()
            }
        }
    }

    @Test(
        "PL-5 SQL-19 a trigger's other changes stop every way of erasing until the plan declares them",
        arguments: SQLDialect.allCases, ["alone", "in pieces", "together", "anonymised"])
    func undeclared(_ dialect: SQLDialect, _ way: String) async throws {
        let script = RehearsalTests.tables + "CREATE TABLE history (post integer)"
        try await EngineFixture.with(dialect, script) { fixture in
            let table = way == "anonymised" ? "orders" : "posts"
            let event = way == "anonymised" ? "UPDATE" : "DELETE"
            try await fixture.trigger("copying", "AFTER \(event) ON \(table)", "INSERT INTO history VALUES (OLD.id)")
            var plan = try await fixture.plan { $0.set("history", .notPersonal) }
            let options = ErasureOptions(largeAccount: way == "in pieces" ? 1 : 20_000, residue: .leave)
            let subjects = way == "together" ? ["1", "2"] : ["1"]
            let before = try await fixture.rows("SELECT id FROM people")
            let engine = try await fixture.engine(plan)
            let parked = try await engine.erase(subjects, options: options)
            #expect(parked.allSatisfy { $0.cause?.contains("history") == true }, "\(parked)")
            #expect(try await fixture.rows("SELECT id FROM people") == before, "identity stays")
            #expect(try await fixture.count("history") == 0)
            plan.effects = [TriggerEffect(on: fixture.name(table), also: fixture.name("history"), inserts: .perRow(1))]
            let mended = try await fixture.engine(plan)
            for subject in subjects {
                let id = try #require(try await mended.statuses(ofSubject: subject).first).erasure.id
                #expect(try await mended.release(id, options: options).first?.word == "done")
            }
            #expect(try await fixture.count("history") > 0)
            #expect(try await fixture.rows("SELECT id FROM people").count == 2 - subjects.count)
        }
    }

    @Test("PL-5 a trigger that does more than the plan declares still stops the run", arguments: SQLDialect.allCases)
    func tooMuch(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, RehearsalTests.tables + "CREATE TABLE history (post integer)") { fixture in
            try await fixture.trigger(
                "copying", "AFTER DELETE ON posts", "INSERT INTO history VALUES (OLD.id); INSERT INTO history VALUES (OLD.id)")
            let plan = try await fixture.plan { plan in
                plan.set("history", .notPersonal)
                plan.effects = [TriggerEffect(on: plan.name("posts"), also: plan.name("history"), inserts: .perRow(1))]
            }
            let before = try await fixture.everything()
            let outcome = try #require(try await fixture.engine(plan).erase(["1"]).first)
            #expect(
                outcome.cause?.contains("4 rows inserted, none to 2 predicted") == true
                    || outcome.cause?.contains("history: 4 rows") == true, "\(outcome)")
            #expect(try await fixture.everything() == before)
        }
    }

    @Test("PL-5 a trigger that deletes other users' rows of a planned table stops the run", arguments: SQLDialect.allCases)
    func others(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, RehearsalTests.tables) { fixture in
            try await fixture.trigger("greedy", "AFTER DELETE ON posts", "DELETE FROM likes WHERE id = 102")
            let engine = try await fixture.engine()
            let before = try await fixture.everything()
            let outcome = try #require(try await engine.erase(["1"]).first)
            #expect(outcome.cause?.contains("likes") == true, "\(outcome)")
            #expect(try await fixture.everything() == before)
        }
    }

    @Test("PL-5 workers park a run that changes other rows than predicted", arguments: SQLDialect.allCases)
    func workers(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            try await place.fixture.run("CREATE TABLE history (post integer)")
            try await place.fixture.trigger("copying", "AFTER DELETE ON posts", "INSERT INTO history VALUES (OLD.id)")
            let plan = try await WorkerFixture.plan(place.fixture) { $0.set("history", .notPersonal) }
            let engine = try await place.fixture.engine(plan, owner: "here:2:b")
            let mine = WorkerFixture(fixture: place.fixture, engine: engine)
            _ = try await mine.requests().request("1")
            try await mine.working {
                try await eventually { try await mine.states() == ["needs attention"] }
            }
            #expect(try await place.fixture.count("people") == 3)
            #expect(try await place.fixture.count("history") == 0)
        }
    }
}
