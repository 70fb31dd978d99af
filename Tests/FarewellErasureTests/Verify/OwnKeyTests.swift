// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Remaining rows without their link are read back by their former key")
struct OwnKeyTests {
    private static func tables(_ reference: String = "") -> String {
        """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE orders (shop integer NOT NULL, number varchar(8) NOT NULL, customer integer\(reference), name text,
            city text, PRIMARY KEY (shop, number));
        CREATE TABLE lives (n integer);
        CREATE INDEX by_customer ON orders (customer);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO orders VALUES (1, 'a', 1, 'One', 'Rome'), (1, 'b', 1, 'One', 'Rome'), (2, 'a', 2, 'Two', 'Bonn'),
            (2, 'b', NULL, 'Guest', 'Bath');
        """
    }

    /// A trigger puts something in one order back as often as there are rows in `lives`.
    private static func trigger(_ dialect: SQLDialect, _ back: String) -> [String] {
        guard dialect == .postgresql else {
            return [
                """
                CREATE TRIGGER back AFTER UPDATE ON orders WHEN OLD.name = 'One' AND NEW.name IS NULL AND OLD.number = 'a'
                AND EXISTS (SELECT 1 FROM lives) BEGIN
                DELETE FROM lives WHERE n = (SELECT max(n) FROM lives);
                UPDATE orders SET \(back) WHERE shop = OLD.shop AND number = OLD.number; END
                """
            ]
        }
        return [
            """
            CREATE FUNCTION back() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF OLD.name = 'One' AND NEW.name IS NULL AND OLD.number = 'a' AND EXISTS (SELECT 1 FROM lives) THEN
            DELETE FROM lives WHERE n = (SELECT max(n) FROM lives);
            UPDATE orders SET \(back) WHERE shop = OLD.shop AND number = OLD.number; END IF; RETURN NULL; END $$
            """, "CREATE TRIGGER back AFTER UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION back()",
        ]
    }

    private func plan(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan { plan in
            plan.set("orders", .anonymise, ["customer": .null, "name": .null, "city": .constant("gone")])
            plan.set("lives", .notPersonal)
            plan.effects = [
                TriggerEffect(on: plan.name("orders"), also: plan.name("orders"), updates: .perRow(1)),
                TriggerEffect(on: plan.name("orders"), also: plan.name("lives"), deletes: .perRow(1)),
            ]
            let isKnown = plan.tables.first { $0.table.name == "orders" }?.links.isEmpty == false
            guard !isKnown else { return }
            plan.link("orders", Link(columns: ["customer"], target: plan.name("people"), targetColumns: ["id"]))
        }
    }

    private func with(
        _ dialect: SQLDialect, lives: Int, reference: String = "", back: String = "name = OLD.name",
        _ use: (EngineFixture, ErasureEngine) async throws -> Void
    ) async throws {
        try await EngineFixture.with(dialect, Self.tables(reference)) { fixture in
            try await fixture.database.withConnection { connection in
                for statement in Self.trigger(dialect, back) { _ = try await connection.run(SQLStatement(statement)) }
                for life in 0..<lives { _ = try await connection.run("INSERT INTO lives VALUES ($1)", .integer(Int64(life))) }
            }
            try await use(fixture, try await fixture.engine(try await plan(fixture)))
        }
    }

    private static let orders = "SELECT shop, number, customer, name, city FROM orders"

    @Test(
        "BX-5 a value that a trigger restores in a row without any link left is found and made anonymous again",
        arguments: SQLDialect.allCases, [0, 1, 3])
    func swept(_ dialect: SQLDialect, lives: Int) async throws {
        for subjects in [["1"], ["1", "2"]] {
            try await with(dialect, lives: lives, reference: " REFERENCES people (id) ON DELETE SET NULL") { fixture, engine in
                let outcomes = try await engine.erase(subjects)
                #expect(outcomes.map(\.word) == subjects.map { _ in "done" }, "\(outcomes)")
                let receipts = outcomes.compactMap(\.receipt)
                let mine = try #require(receipts.max { ($0.anonymised["orders"] ?? 0) < ($1.anonymised["orders"] ?? 0) })
                #expect(mine.anonymised == ["orders": 2 + lives], "\(mine.steps)")
                #expect(receipts.allSatisfy { $0.erased == ["people": 1] })
                #expect(mine.verification.readBack == .init(places: 2, rowsLeft: 0))
                #expect(!mine.notVerifiable.contains { $0.about == "rows that stay" }, "\(mine.notVerifiable)")
                let second = subjects.count == 1 ? "2 a 2 Two Bonn" : "2 a - - gone"
                #expect(try await fixture.rows(Self.orders) == ["1 a - - gone", "1 b - - gone", second, "2 b - Guest Bath"])
            }
        }
    }

    @Test(
        "BX-5 a value restored each time parks the run, the account stays, and a release after the repair completes the run",
        arguments: SQLDialect.allCases)
    func parked(_ dialect: SQLDialect) async throws {
        try await with(dialect, lives: 20) { fixture, engine in
            let outcome = try #require(try await engine.erase(["1"]).first)
            #expect(outcome.cause?.contains("orders (1)") == true, "\(outcome)")
            #expect(try await fixture.rows("SELECT id FROM people") == ["1", "2"])
            try await fixture.run("DELETE FROM lives")
            fixture.clock.now = fixture.clock.now.addingTimeInterval(3 * 86_400)
            let id = try #require(try await engine.statuses(ofSubject: "1").first).erasure.id
            let released = try await engine.release(id)
            #expect(released.map(\.word) == ["done"], "\(released)")
            #expect(released.first?.receipt?.anonymised == ["orders": 6], "two, and one of them four times again")
            #expect(try await fixture.rows("SELECT id FROM people") == ["2"])
            #expect(try await fixture.rows(Self.orders + " WHERE shop = 1") == ["1 a - - gone", "1 b - - gone"])
        }
    }

    @Test("a row that another user received meanwhile belongs to that user, and stays unchanged", arguments: SQLDialect.allCases)
    func givenAway(_ dialect: SQLDialect) async throws {
        try await with(dialect, lives: 0) { fixture, engine in
            let outcome = try #require(
                try await engine.erase(["1"], options: ErasureOptions(deepScan: .complete)) { progress in
                    guard progress.event == .finished(step: "rows") else { return }
                    try? await fixture.run(
                        """
                        UPDATE orders SET customer = 2, name = 'Two', city = 'Bonn' WHERE shop = 1 AND number = 'a';
                        UPDATE orders SET city = 'Rome' WHERE shop = 1 AND number = 'b'
                        """)
                }.first)
            #expect(outcome.word == "done", "\(outcome)")
            #expect(outcome.receipt?.anonymised == ["orders": 3], "the other one again, which a job had written to")
            #expect(try await fixture.rows(Self.orders + " WHERE shop = 1") == ["1 a 2 Two Bonn", "1 b - - gone"])
        }
    }

    @Test(
        "rows that lead to the subject again were known before; new ones were not, and the receipt says so",
        arguments: SQLDialect.allCases)
    func known(_ dialect: SQLDialect) async throws {
        try await with(dialect, lives: 3, back: "name = OLD.name, customer = OLD.customer") { fixture, engine in
            let receipt = try #require(try await engine.erase(["1"]).first?.receipt)
            #expect(receipt.anonymised == ["orders": 5], "two, and one of them three times again: \(receipt.steps)")
            #expect(!receipt.notVerifiable.contains { $0.about == "rows that stay" }, "\(receipt.notVerifiable)")
            #expect(try await fixture.rows(Self.orders + " WHERE shop = 1") == ["1 a - - gone", "1 b - - gone"])
        }
        try await with(dialect, lives: 0) { fixture, engine in
            let outcome = try #require(
                try await engine.erase(["1"], options: ErasureOptions(deepScan: .complete)) { progress in
                    guard progress.event == .finished(step: "rows") else { return }
                    try? await fixture.run("INSERT INTO orders VALUES (3, 'a', 1, 'One', 'Rome')")
                }.first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(receipt.anonymised == ["orders": 3])
            #expect(receipt.notVerifiable.contains { $0.about == "rows that stay" }, "\(receipt.notVerifiable)")
            #expect(try await fixture.rows(Self.orders + " WHERE shop = 3") == ["3 a - - gone"])
        }
    }

    @Test("no extra read runs where the erasure empties no link", arguments: SQLDialect.allCases)
    func free(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables()) { fixture in
            let plan = try await fixture.plan { plan in
                plan.set("orders", .anonymise, ["name": .null, "city": .constant("gone")])
                plan.set("lives", .notPersonal)
                plan.link("orders", Link(columns: ["customer"], target: plan.name("people"), targetColumns: ["id"]))
            }
            #expect(try await fixture.engine(plan).prepared.program.captures.isEmpty)
            let keyed = try await fixture.engine(try await self.plan(fixture)).prepared.program
            #expect(keyed.neededCaptures.map { keyed.graph.nodes[$0.node].table.name.name } == ["orders"])
        }
    }
}
