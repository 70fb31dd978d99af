// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Checks that refuse null in some rows only: the preview names them for the subject whose erasure would park.
struct CheckSearchTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL UNIQUE);
        CREATE TABLE marks (id integer PRIMARY KEY, person integer REFERENCES people (id) ON DELETE SET NULL, note text,
          CONSTRAINT one_at_least CHECK (person IS NOT NULL OR note IS NOT NULL));
        CREATE INDEX of_person ON marks (person);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO marks VALUES (1, 1, NULL), (2, 1, 'both'), (3, 2, 'both'), (4, NULL, 'note');
        """

    @Test(
        "PL-3 SQL-21 BX-2 preview names the check that would refuse an erasure, with its rows, for that subject alone",
        arguments: SQLDialect.allCases)
    func named(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let engine = try await fixture.engine(try await fixture.plan())
            let blockers = try await engine.preview("1").blockers
            #expect(blockers.map(\.check) == ["one_at_least"] && blockers.map(\.rows) == [1], "\(blockers)")
            #expect(blockers.first?.columns == ["person"] && blockers.first?.table.name == "marks", "\(blockers)")
            #expect(blockers.first?.message.contains("“one_at_least” refuses that person becomes null") == true, "\(blockers)")
            #expect(try await engine.preview("2").blockers.isEmpty)
            #expect(try await engine.erase(["1"]).map(\.word) != ["done"])
            #expect(try await engine.erase(["2"]).map(\.word) == ["done"])
            #expect(try await fixture.rows("SELECT id, person FROM marks ORDER BY id") == ["1 1", "2 1", "3 -", "4 -"])
        }
    }

    @Test("PL-3 SQL-21 rows that are erased with their own user lose nothing, so that no check refuses it", arguments: SQLDialect.allCases)
    func owned(_ dialect: SQLDialect) async throws {
        let script = Self.script.replacing("note text,", with: "owner integer REFERENCES people (id) ON DELETE CASCADE, note text,")
            .replacing("(1, 1, NULL), (2, 1, 'both'), (3, 2, 'both'), (4, NULL, 'note')", with: "(1, 1, 1, NULL), (2, 1, 2, NULL)")
        try await EngineFixture.with(dialect, script) { fixture in
            let engine = try await fixture.engine(try await fixture.plan())
            #expect(try await engine.preview("1").blockers.map(\.rows) == [1], "the row of the other owner stays")
            #expect(try await engine.preview("2").blockers.isEmpty)
        }
    }
}
