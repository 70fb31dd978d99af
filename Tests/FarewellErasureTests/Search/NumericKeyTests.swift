// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The search finds numeric keys")
struct NumericKeyTests {
    private static let key = "175928847299117063"

    @Test("PL-6 SQL-16 a long numeric key in a log line counts as left; the neighbour's does not", arguments: SQLDialect.allCases)
    func logLine(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id bigint PRIMARY KEY, handle text NOT NULL UNIQUE);
            CREATE TABLE app_log (id bigint PRIMARY KEY, line text NOT NULL);
            INSERT INTO people VALUES (\(Self.key), 'one-of-a-kind'), (175928847299117064, 'somebody-else');
            INSERT INTO app_log VALUES (1, 'user \(Self.key) signed in from 203.0.113.7'), (2, 'user 175928847299117064 signed in'),
                (3, 'hash a\(Self.key)b, 1\(Self.key), \(Self.key)0, -\(Self.key), 0.\(Self.key)');
            """
        let (receipt, again) = try await SearchPlace.scans(dialect, script, subject: Self.key, identifiers: ["handle"])
        #expect(receipt.verification.deepScan.left == 1 && !receipt.isComplete)
        #expect(receipt.verification.deepScan.places == ["left": ["app_log.line"], "similar": [], "not searched": []])
        #expect(again.deepScan.left == 1 && !again.isClean)
    }

    /// A column of `other`, its type, a value, and how the key 42 in it counts.
    struct Column: Sendable, CustomTestStringConvertible {
        let name: String
        let type: String
        let value: String
        let expected: String

        init(_ name: String, _ type: String, _ value: String, _ expected: String) {
            (self.name, self.type, self.value, self.expected) = (name, type, value, expected)
        }

        var testDescription: String { "\(name) \(type) \(value)" }

        static let all: [Column] = [
            .init("owner_id", "integer", "42", "left"), .init("person_id", "bigint", "42", "left"),
            .init("createdBy", "numeric", "42", "left"), .init("user_ref", "text", "'42'", "left"),
            .init("quantity", "integer", "42", "similar"), .init("amount", "numeric", "42.00", "similar"),
            .init("size", "double precision", "42", "similar"), .init("record_id", "integer", "42", "similar"),
            .init("gadget_id", "integer", "42", "similar"), .init("code", "text", "'42'", "similar"),
            .init("quantity", "integer", "421", "none"), .init("quantity", "integer", "-42", "none"),
            .init("data", "{json}", "'{\"user_id\": 42}'", "left"), .init("data", "{json}", "'{\"userId\":\"42\"}'", "left"),
            .init("data", "{json}", "'{\"members\": {\"user_ids\": [7, 42]}}'", "left"),
            .init("data", "{json}", "'{\"count\": 42}'", "similar"), .init("data", "{json}", "'[41, 42]'", "similar"),
            .init("data", "{json}", "'{\"count\": 42.5, \"x\": \"a42\"}'", "none"),
            .init("line", "text", "'GET /users/42/photo'", "similar"), .init("line", "text", "'x?user_id=42&y'", "left"),
            .init("line", "text", "'route 42 is late'", "none"), .init("line", "text", "'user_id: 421, x-user-id 142'", "none"),
        ]
    }

    @Test(
        "PL-6 SQL-16 a short numeric key counts as left only where the name of its column or member concerns the subject",
        arguments: SQLDialect.allCases,
        Column.all)
    func short(_ dialect: SQLDialect, _ column: Column) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE gadgets (id integer PRIMARY KEY, label text);
            CREATE TABLE other (n integer PRIMARY KEY, \(dialect.quoted(column.name)) \(column.type));
            INSERT INTO people VALUES (7, 'u1@example.org'); INSERT INTO gadgets VALUES (42, 'a gadget');
            INSERT INTO other VALUES (1, \(column.value));
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let plan = try await fixture.plan(identifiers: [("people", "email")]) { plan in
                for table in plan.tables.indices where plan.tables[table].table.name != "people" {
                    plan.tables[table].rule = .notPersonal
                    plan.tables[table].links = []
                }
            }
            let subject = SearchedSubject(key: "42", identifiers: [])
            let outcome = try await DeepScan(schema: schema, plan: plan).run(for: [subject], extent: .complete, on: fixture.database)[0]
            let verdict = !outcome.left.isEmpty ? "left" : !outcome.similar.isEmpty ? "similar" : "none"
            #expect(verdict == column.expected, "\(outcome)")
            #expect(outcome.left.keys.allSatisfy { $0.contains("other") } && outcome.similar.keys.allSatisfy { $0.contains("other") })
        }
    }

    @Test(
        "PL-6 SQL-16 arrays, ranges and composite values are searched for the key",
        arguments: [
            ("integer[]", "'{7,42}'", "similar"), ("bigint[]", "'{421}'", "none"), ("text[]", "'{x,42}'", "similar"),
            ("int8range", "'[42,50)'", "similar"), ("pair", "ROW('x', 42)", "similar"), ("money_like", "42", "similar"),
        ])
    func structures(_ type: String, _ value: String, _ expected: String) async throws {
        let script = """
            CREATE TYPE pair AS (a text, b integer); CREATE DOMAIN money_like AS integer;
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE other (n integer PRIMARY KEY, v \(type));
            INSERT INTO people VALUES (42, 'u1@example.org'); INSERT INTO other VALUES (1, \(value));
            """
        let (receipt, _) = try await SearchPlace.scans(.postgresql, script, subject: "42")
        let scan = receipt.verification.deepScan
        #expect(scan.places == ["left": [], "similar": expected == "none" ? [] : ["other.v"], "not searched": []])
        #expect(receipt.isComplete)
    }

    @Test("PL-6 a key is not compared with a column that the database declares to name other things", arguments: SQLDialect.allCases)
    func otherKeys(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE orders (id integer PRIMARY KEY, total integer);
            CREATE TABLE lines (n integer PRIMARY KEY, order_id integer REFERENCES orders (id));
            INSERT INTO people VALUES (42, 'u1@example.org'); INSERT INTO orders VALUES (42, 1);
            INSERT INTO lines VALUES (42, 42);
            """
        let (receipt, _) = try await SearchPlace.scans(dialect, script, subject: "42")
        #expect(receipt.verification.deepScan.places == ["left": [], "similar": [], "not searched": []])
    }

    @Test(
        "PL-6 SQL-08 a number in a conditional link counts as similar where the condition does not hold",
        arguments: SQLDialect.allCases)
    func conditional(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE roles (n integer PRIMARY KEY, owner_type text NOT NULL, owner_id integer NOT NULL);
            INSERT INTO people VALUES (42, 'u1@example.org'); INSERT INTO roles VALUES (1, 'User', 42), (2, 'Team', 42);
            """
        let (receipt, again) = try await SearchPlace.scans(dialect, script, subject: "42") { plan in
            guard let place = plan.tables.firstIndex(where: { $0.table.name == "roles" }) else { return }
            var link = Link(columns: ["owner_id"], target: plan.subject.table, targetColumns: ["id"])
            link.condition = LinkCondition([.init(column: "owner_type", values: ["User"])])
            plan.tables[place].rule = .erase
            plan.tables[place].links = [link]
        }
        #expect(receipt.verification.deepScan.places == ["left": [], "similar": ["roles.owner_id"], "not searched": []])
        #expect(receipt.isComplete && again.isClean)
    }
}
