// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Composite references, of which a part has a meaning of its own.
@Suite("Columns that a composite reference loses")
struct ReferenceColumnsTests {
    private static func script(_ action: String) -> String {
        """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE projects (org integer NOT NULL, id integer NOT NULL, lead integer NOT NULL REFERENCES people ON DELETE CASCADE,
            PRIMARY KEY (org, id));
        CREATE TABLE tasks (id integer PRIMARY KEY, org integer, project_id integer, body text,
            FOREIGN KEY (org, project_id) REFERENCES projects \(action));
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO projects VALUES (5, 1, 1), (5, 2, 2);
        INSERT INTO tasks VALUES (1, 5, 1, 'of two'), (2, 5, 2, 'of two');
        """
    }

    private func erased(_ dialect: SQLDialect, _ action: String) async throws {
        try await EngineFixture.with(dialect, Self.script(action)) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(fixture.name("people"), "id"))
            let engine = try await fixture.engine(draft.plan.answeringAll(.reference))
            let outcome = try #require(try await engine.erase(["1"]).first)
            #expect(outcome.receipt != nil, "\(outcome)")
            #expect(try await fixture.rows("SELECT id, org, project_id FROM tasks") == ["1 5 -", "2 5 2"], "\(action)")
        }
    }

    @Test("PL-3 a reference loses only the columns that the database's SET NULL names")
    func named() async throws { try await erased(.postgresql, "ON DELETE SET NULL (project_id)") }

    @Test("PL-3 a reference by a composite key keeps the tenant", arguments: SQLDialect.allCases)
    func own(_ dialect: SQLDialect) async throws { try await erased(dialect, "") }
}
