// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Data that is back in a system when a run looks again")
struct ReturningDataTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text, customer text);
        INSERT INTO people VALUES (1, 'one@example.org', 'cus_1'), (2, 'two@example.org', 'cus_2');
        """

    @Test("BX-5 a receipt counts what the second look at a system erased", arguments: SQLDialect.allCases)
    func counted(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            let billing = ImaginedSystem(["cus_1": 3, "cus_2": 1])
            // The sign-in system's turn comes after that of billing, and something writes there meanwhile.
            let pool = ImaginedSystem(["1": 1]) {
                for _ in 1...2 { await billing.put("cus_1") }
                return ""
            }
            let plan = try await fixture.plan { plan in
                let column = ColumnName(fixture.name("people"), "customer")
                plan.systems = [
                    SystemPlan(name: "billing", kind: "imagined", person: .column(column)),
                    SystemPlan(name: "pool", kind: "imagined", stage: .identity),
                ]
            }
            let engine = try await ErasureEngine.open(
                fixture.database, plan: plan, folder: fixture.folder, state: fixture.state,
                connectors: ["billing": billing, "pool": pool], environment: fixture.environment())
            let outcomes = try await engine.erase(["1"])
            let receipt = try #require(outcomes.first?.receipt, "\(outcomes)")
            #expect(receipt.erased == ["billing": 5, "people": 1, "pool": 1])
            #expect(await billing.entries == ["cus_2": 1])
            let kept = try await engine.status(of: receipt.id)?.steps.first { $0.name == "system: billing" }
            #expect(kept?.counts["erased"] == 5)
        }
    }
}
