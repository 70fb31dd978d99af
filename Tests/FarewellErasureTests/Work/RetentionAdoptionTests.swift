// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Rows whose retention ends after another user has received them")
struct RetentionAdoptionTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE invoices (id integer PRIMARY KEY, customer integer, issued timestamp, total text, data DATA);
        CREATE TABLE lines (id integer PRIMARY KEY, invoice integer, what text);
        INSERT INTO people VALUES (1, 'ada@example.org'), (2, 'bob@example.org'), (3, 'ghost@example.org');
        INSERT INTO invoices VALUES (201, 2, '2010-01-01 00:00:00', '1.00', '{"user": 2}'),
            (101, 1, '2010-01-01 00:00:00', '2.00', '{"user": 1}'), (102, 1, '2010-01-01 00:00:00', '3.00', '{"user": 1}'),
            (103, 1, '2010-01-01 00:00:00', '4.00', '{"user": 1}'), (104, 1, '2010-01-01 00:00:00', '5.00', '{"user": 1}');
        INSERT INTO lines VALUES (1, 101, 'book'), (2, 102, 'pen'), (4, 104, 'ink');
        """

    /// The ways in which invoices lead to people.
    enum Way: String, CaseIterable {
        case emptied, constant, path, kept
    }

    private static func plan(_ fixture: EngineFixture, _ way: Way) async throws -> Plan {
        try await fixture.plan { plan in
            let retention = Retention(reason: "tax law", period: Period(10, .year), start: "issued", then: .erase)
            let lines = Retention(reason: "tax law", period: Period(1, .day), then: .erase)
            let customer: ColumnRule =
                switch way {
                case .emptied, .path: .null
                case .constant: .constant("3")
                case .kept: .retain
                }
            plan.set(
                "invoices", .retain(retention),
                ["customer": customer, "issued": .retain, "total": .retain, "data": way == .path ? .retain : .notPersonal])
            let people = plan.name("people")
            var link = Link(columns: ["customer"], target: people, targetColumns: ["id"])
            if way == .path { link = Link(columns: ["data"], path: ["user"], target: people, targetColumns: ["id"]) }
            plan.link("invoices", link)
            plan.set("lines", .retain(lines), ["what": .retain])
            plan.link("lines", Link(columns: ["invoice"], target: plan.name("invoices"), targetColumns: ["id"]))
        }
    }

    @Test(
        "BX-3 P9 SV-7 the end of a retention keeps rows, with the rows below, that belong to another user or were written again",
        arguments: SQLDialect.allCases, Way.allCases)
    func adopted(_ dialect: SQLDialect, way: Way) async throws {
        let script = Self.script.replacing("DATA", with: dialect == .sqlite ? "text" : "jsonb")
        try await EngineFixture.with(dialect, script) { fixture in
            let engine = try await fixture.engine(try await Self.plan(fixture, way))
            #expect(try await engine.erase(["1"]).map(\.word) == ["done"])
            #expect(try await fixture.count("invoices") == 5)
            try await fixture.run(
                """
                UPDATE invoices SET customer = 2, data = '{"user": 2}' WHERE id = 102;
                DELETE FROM invoices WHERE id = 103;
                INSERT INTO invoices VALUES (103, NULL, '2026-01-01 00:00:00', '6.00', NULL);
                DELETE FROM invoices WHERE id = 104;
                INSERT INTO invoices VALUES (104, 2, '2010-01-01 00:00:00', '7.00', '{"user": 2}');
                """)
            fixture.clock.now = Date(timeIntervalSince1970: 2_079_259_200)
            try await Retainer(workers: ErasureWorkers(engine)).perform()
            #expect(
                try await fixture.rows("SELECT id, total FROM invoices ORDER BY id")
                    == ["102 3.00", "103 6.00", "104 7.00", "201 1.00"], "\(fixture.log.lines.suffix(6))")
            #expect(try await fixture.rows("SELECT id, what FROM lines ORDER BY id") == ["2 pen", "4 ink"])
            #expect(fixture.log.lines.contains { $0.contains("belong to another user by now") })
            _ = try await engine.verifyAudit()
        }
    }

    @Test(
        "BX-3 SV-7 kept links to users from before the erasure make no row theirs; a date that was written later keeps no row",
        arguments: SQLDialect.allCases)
    func shared(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE orders (id integer PRIMARY KEY, customer integer, seller integer, paid timestamp, total text);
            CREATE TABLE items (id integer PRIMARY KEY, "order" integer REFERENCES orders (id), what text);
            INSERT INTO people VALUES (1, 'ada@example.org'), (2, 'bob@example.org');
            INSERT INTO orders VALUES (11, 1, 2, NULL, '2.00'), (12, 2, 2, NULL, '3.00');
            INSERT INTO items VALUES (1, 11, 'book'), (2, 12, 'pen');
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                let retention = Retention(reason: "tax law", period: Period(1, .year), start: "paid", then: .erase)
                let people = plan.name("people")
                plan.set(
                    "orders", .retain(retention),
                    ["customer": .retain, "seller": .retain, "paid": .retain, "total": .retain])
                plan.link("orders", Link(columns: ["customer"], target: people, targetColumns: ["id"], shared: .erase))
                let seller = Link(columns: ["seller"], target: people, targetColumns: ["id"], shared: .erase)
                for index in plan.tables.indices where plan.tables[index].table == plan.name("orders") {
                    plan.tables[index].links.append(seller)
                }
                plan.set(
                    "items", .retain(Retention(reason: "tax law", period: Period(1, .year), then: .erase)),
                    ["what": .retain])
                plan.link(
                    "items",
                    Link(columns: ["order"], target: plan.name("orders"), targetColumns: ["id"], onDelete: .noAction))
            }
            let engine = try await fixture.engine(plan)
            #expect(try await engine.erase(["1"]).map(\.word) == ["done"])
            try await fixture.run("UPDATE orders SET paid = '2026-01-01 00:00:00' WHERE id = 11")
            fixture.clock.now = Date(timeIntervalSince1970: 2_079_259_200)
            try await Retainer(workers: ErasureWorkers(engine)).perform()
            #expect(try await fixture.rows("SELECT id FROM items") == ["2"], "\(fixture.log.lines.suffix(6))")
            #expect(try await fixture.rows("SELECT id FROM orders") == ["12"], "\(fixture.log.lines.suffix(6))")
        }
    }
}
