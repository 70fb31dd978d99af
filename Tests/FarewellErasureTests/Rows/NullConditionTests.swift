// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("A link to rows without a value")
struct NullConditionTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text UNIQUE);
        CREATE TABLE orders (id integer PRIMARY KEY, buyer_id integer REFERENCES people, email text);
        CREATE TABLE items (id integer PRIMARY KEY, order_id integer NOT NULL REFERENCES orders ON DELETE CASCADE);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO orders VALUES (1, 1, 'one@example.org'), (2, NULL, 'one@example.org'), (3, 2, 'one@example.org'),
            (4, NULL, 'two@example.org'), (5, NULL, NULL);
        INSERT INTO items VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5);
        """

    @Test(
        "PL-1 PL-2 a guest's order with the subject's address is erased with its items, and the order of another user with it stays",
        arguments: SQLDialect.allCases)
    func guests(_ dialect: SQLDialect) async throws {
        for options in [ErasureOptions(residue: .leave), ErasureOptions(largeAccount: 1, residue: .leave)] {
            try await EngineFixture.with(dialect, Self.script) { house in
                let drafted = try await house.plan()
                let plan = try PlanFile.read(Array(PlanFile.text(for: drafted).utf8), path: "farewell.yaml").answered()
                let errors = PlanCheck.findings(plan, try await Schema.read(from: house.database)).filter { $0.severity == .error }
                #expect(errors.isEmpty, "\(errors)")
                let engine = try await house.engine(plan)
                let preview = try await engine.preview("1")
                #expect(preview.erased == 5, "\(preview.places)")
                let outcome = try await engine.erase(["1"], options: options)
                #expect(outcome.first?.receipt?.erased == ["people": 1, "orders": 2, "items": 2], "\(outcome)")
                #expect(try await house.rows("SELECT id FROM orders ORDER BY id") == ["3", "4", "5"])
                #expect(try await house.rows("SELECT id FROM items ORDER BY id") == ["3", "4", "5"])
            }
        }
    }

    private static let mails = """
        CREATE TABLE people (id integer PRIMARY KEY, email text UNIQUE);
        CREATE TABLE emails (id integer PRIMARY KEY, user_id integer REFERENCES people, to_email text, cc text, body text);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO emails VALUES (1, 1, 'two@example.org', NULL, 'of one'), (2, 2, 'one@example.org', NULL, 'to one'),
            (3, NULL, 'one@example.org', NULL, 'of the app'), (4, NULL, 'two@example.org', 'one@example.org', 'of the app'),
            (5, 2, 'two@example.org', NULL, 'of two');
        """

    @Test(
        "PL-1 PL-2 a mail that another user sent to the subject stays without the address, and one of no user is erased",
        arguments: SQLDialect.allCases)
    func receivers(_ dialect: SQLDialect) async throws {
        for options in [ErasureOptions(residue: .leave), ErasureOptions(largeAccount: 1, residue: .leave)] {
            try await EngineFixture.with(dialect, Self.mails) { house in
                let plan = try await house.plan()
                let errors = PlanCheck.findings(plan, try await Schema.read(from: house.database)).filter { $0.severity == .error }
                #expect(errors.isEmpty, "\(errors)")
                let engine = try await house.engine(plan)
                #expect(try await engine.preview("1").blockers.isEmpty)
                let receipt = try #require(try await engine.erase(["1"], options: options).first?.receipt)
                #expect(receipt.erased == ["people": 1, "emails": 2] && receipt.anonymised == ["emails": 2], "\(receipt)")
                #expect(
                    try await house.rows("SELECT id, user_id, to_email, cc FROM emails")
                        == ["2 2 - -", "4 - two@example.org -", "5 2 two@example.org -"])
            }
        }
    }
}
