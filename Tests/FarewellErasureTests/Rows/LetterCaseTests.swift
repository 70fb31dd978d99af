// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Links that ignore letter case")
struct LetterCaseTests {
    @Test(
        "PL-1 PL-6 an address is found in any letter case, and of two users who differ by it alone each keeps the own rows",
        arguments: SQLDialect.allCases)
    func letters(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text UNIQUE);
            CREATE TABLE letters (id integer PRIMARY KEY, email text NOT NULL);
            CREATE TABLE rooms (id integer PRIMARY KEY, email text);
            INSERT INTO people VALUES (1, 'Ann@One.example'), (2, 'bob@two.example'), (3, 'BOB@two.example');
            INSERT INTO letters VALUES (1, 'ann@one.example'), (2, 'ANN@ONE.EXAMPLE'), (3, 'bob@two.example'),
              (4, 'BOB@two.example'), (5, 'Bob@two.example');
            INSERT INTO rooms VALUES (1, 'ann@one.example'), (2, 'bob@two.example');
            """
        for options in [ErasureOptions(), ErasureOptions(largeAccount: 1, residue: .leave)] {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    let link = Link(
                        columns: ["email"], target: plan.name("people"), targetColumns: ["email"], role: .owner,
                        ignoresCase: true)
                    plan.set("letters", .erase)
                    plan.link("letters", link)
                    var naming = link
                    naming.role = .reference
                    plan.set("rooms", .anonymise)
                    plan.link("rooms", naming)
                }
                let engine = try await house.engine(plan)
                let kept = [("1", ["3", "4", "5"]), ("3", ["3", "5"]), ("2", [])]
                for (subject, letters) in kept {
                    let outcome = try await engine.erase([subject], options: options)
                    #expect(outcome.first?.receipt?.erased["people"] == 1, "\(outcome)")
                    #expect(try await house.rows("SELECT id FROM letters ORDER BY id") == letters, "\(subject)")
                }
                #expect(try await engine.verify("1", extent: .none).isClean)
                #expect(try await house.rows("SELECT coalesce(email, '-') FROM rooms ORDER BY id") == ["-", "-"])
            }
        }
    }
}
