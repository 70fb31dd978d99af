// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The search ignores values that the plan wrote")
struct PlanWrittenTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text, nick text, label text, code varchar(20));
        INSERT INTO people VALUES (1000001, 'u1@example.org', 'elodie-the-first', 'Premium of Paris', 'CODE-000000000000001'),
            (1000002, 'u2@example.org', 'another-of-them', 'Standard of Rome', 'CODE-000000000000002');
        """

    /// Anonymises the first subject; then what verification finds, of the key alone and of the former names.
    private func scans(
        _ dialect: SQLDialect, on tables: String = tables, _ columns: [String: ColumnRule], identifiers: [String],
        former: [String]
    ) async throws -> (receipt: Receipt, byKey: SubjectVerification, byNames: SubjectVerification) {
        var found: (Receipt, SubjectVerification, SubjectVerification)?
        try await EngineFixture.with(dialect, tables) { fixture in
            let plan = try await fixture.plan(identifiers: identifiers.map { ("people", $0) }) { plan in
                plan.set("people", .anonymise, columns)
                for table in plan.tables where table.table.name != "people" { plan.set(table.table.name, .notPersonal) }
            }
            let engine = try await fixture.engine(plan)
            let before = try await engine.verify("1000001", extent: .complete)
            #expect(before.deepScan.left >= 1, "as long as it is there it is left")
            let outcome = try #require(try await engine.erase(["1000001"], options: ErasureOptions(deepScan: .complete)).first)
            found = (
                try #require(outcome.receipt, "\(outcome)"), try await engine.verify("1000001", extent: .complete),
                try await engine.verify("1000001", identifiers: former, extent: .complete)
            )
        }
        return try #require(found)
    }

    @Test("PL-6 SQL-17 the plan's hashes, whole and cut to the column, do not count as identifiers", arguments: SQLDialect.allCases)
    func hashes(_ dialect: SQLDialect) async throws {
        let found = try await scans(
            dialect, ["email": .keyedHash, "nick": .null, "label": .null, "code": .keyedHash], identifiers: ["email", "nick", "code"],
            former: ["u1@example.org", "elodie-the-first", "CODE-000000000000001"])
        #expect(found.receipt.isComplete && found.receipt.verification.deepScan.left == 0)
        #expect(found.byKey.isClean && found.byKey.deepScan.left == 0 && found.byKey.deepScan.similar == 0)
        #expect(found.byNames.isClean && found.byNames.deepScan.left == 0)
    }

    @Test("PL-6 SQL-17 the plan's constants and the results of its expressions do not count as identifiers", arguments: SQLDialect.allCases)
    func constants(_ dialect: SQLDialect) async throws {
        let left = try ColumnExpression(parsing: "left(label, 7)")
        let made = try ColumnExpression(parsing: "concat('customer ', id)")
        let found = try await scans(
            dialect, ["email": .constant("removed@example.org"), "nick": .expression(made), "label": .expression(left), "code": .null],
            identifiers: ["email", "nick", "label"], former: ["u1@example.org", "elodie-the-first", "removed@example.org"])
        #expect(found.receipt.isComplete && found.receipt.verification.deepScan.left == 0)
        #expect(found.receipt.verification.deepScan.similar == 0, "\(found.receipt.verification.deepScan)")
        #expect(found.byKey.isClean && found.byKey.deepScan.left == 0 && found.byKey.deepScan.similar == 0)
        #expect(found.byNames.isClean, "the constant is in the plan's own column only: \(found.byNames.deepScan)")
    }

    @Test("PL-6 SQL-17 the same text elsewhere, where the plan has not written it, counts as left", arguments: SQLDialect.allCases)
    func elsewhere(_ dialect: SQLDialect) async throws {
        let tables =
            Self.tables + """
                CREATE TABLE notes (n integer PRIMARY KEY, body text);
                INSERT INTO notes VALUES (1, 'u1@example.org'), (2, 'removed@example.org');
                """
        let found = try await scans(
            dialect, on: tables, ["email": .constant("removed@example.org"), "nick": .null, "label": .null, "code": .null],
            identifiers: ["email"], former: ["u1@example.org"])
        #expect(found.receipt.verification.deepScan.places == ["left": ["notes.body"], "similar": [], "not searched": []])
        #expect(!found.receipt.isComplete && found.byKey.isClean && !found.byNames.isClean)
    }

    @Test("PL-6 the key in remaining rows, and Farewell's own tables, do not count as left", arguments: SQLDialect.allCases)
    func ownTables(_ dialect: SQLDialect) async throws {
        let id = "5f0c8a4e-abcd-4000-8000-000000000001"
        let script = """
            CREATE TABLE people (id uuid PRIMARY KEY, email text);
            CREATE TABLE orders (n integer PRIMARY KEY, buyer uuid REFERENCES people (id), address text);
            INSERT INTO people VALUES ('\(id)', 'u1@example.org'); INSERT INTO orders VALUES (1, '\(id)', 'A street');
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan(identifiers: [("people", "email")]) { plan in
                plan.set("people", .anonymise, ["email": .keyedHash])
                plan.set("orders", .anonymise, ["address": .null])
            }
            let engine = try await fixture.engine(plan)
            let outcome = try #require(try await engine.erase([id], options: ErasureOptions(deepScan: .complete, residue: .leave)).first)
            let receipt = try #require(outcome.receipt, "\(outcome)")
            #expect(receipt.verification.deepScan.places == ["left": [], "similar": [], "not searched": []])
            let again = try await engine.verify(id, identifiers: ["u1@example.org"], extent: .complete)
            #expect(again.isClean && again.deepScan.left == 0)
        }
    }
}
