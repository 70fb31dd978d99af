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
}
