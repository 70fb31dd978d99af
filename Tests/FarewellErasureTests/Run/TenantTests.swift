// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("An app of many tenants, each with its own user numbers")
struct TenantTests {
    @Test("Item 43: a user with the same number in another tenant is another user", arguments: SQLDialect.allCases, [1, 20_000])
    func numbers(_ dialect: SQLDialect, large: Int) async throws {
        let tables = """
            CREATE TABLE people (id integer PRIMARY KEY, tenant integer NOT NULL, number integer NOT NULL, UNIQUE (tenant, number));
            CREATE TABLE notes (id integer PRIMARY KEY, tenant integer NOT NULL, number integer NOT NULL,
                FOREIGN KEY (tenant, number) REFERENCES people (tenant, number));
            CREATE INDEX by_person ON notes (tenant, number);
            INSERT INTO people VALUES (10, 1, 1), (11, 1, 2), (20, 2, 1), (21, 2, 2);
            INSERT INTO notes VALUES (1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 2, 2), (5, 1, 1);
            """
        try await EngineFixture.with(dialect, tables) { fixture in
            let outcomes = try await fixture.engine(try await fixture.plan()).erase(
                ["10"], options: ErasureOptions(largeAccount: large))
            #expect(outcomes.first?.receipt?.erased == ["notes": 2, "people": 1], "\(outcomes)")
            #expect(try await fixture.rows("SELECT id FROM people ORDER BY id") == ["11", "20", "21"])
            #expect(try await fixture.rows("SELECT id FROM notes ORDER BY id") == ["2", "3", "4"])
        }
    }

    @Test("Item 43: a key that is unique only within its tenant names no user, and erases nothing", arguments: SQLDialect.allCases)
    func ambiguous(_ dialect: SQLDialect) async throws {
        let tables = """
            CREATE TABLE people (tenant integer NOT NULL, id integer NOT NULL, PRIMARY KEY (tenant, id));
            INSERT INTO people VALUES (1, 1), (2, 1);
            """
        try await EngineFixture.with(dialect, tables) { fixture in
            let plan = try await fixture.plan()
            let refused = await #expect(throws: FarewellError.self) { _ = try await fixture.engine(plan) }
            #expect(refused?.message.contains("two people could share it") == true, "\(String(describing: refused))")
            #expect(try await fixture.count("people") == 2)
        }
    }
}
