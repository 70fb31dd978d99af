// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import TestFixtures
import Testing

@Suite("PostgreSQL: UUIDs that are keys in capital letters")
struct CapitalKeyTests {
    @Test("BX-2 a column of the type uuid that leads to a text key in capitals is counted as it is erased")
    func capitals() async throws {
        let (mine, others) = ("AAAAAAAA-0000-4000-8000-00000000000A", "BBBBBBBB-0000-4000-8000-00000000000B")
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE projects (code text PRIMARY KEY, owner_id integer NOT NULL REFERENCES people ON DELETE CASCADE);
            CREATE TABLE tasks (id integer PRIMARY KEY, project_code uuid);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO projects VALUES ('\(mine)', 1), ('\(others)', 2);
            INSERT INTO tasks VALUES (1, '\(mine)'), (2, '\(others)'), (3, NULL);
            """
        try await EngineFixture.with(.postgresql, script) { house in
            let plan = try await house.plan { plan in
                plan.set("tasks", .erase)
                plan.link("tasks", Link(columns: ["project_code"], target: plan.name("projects"), targetColumns: ["code"]))
            }
            let engine = try await house.engine(plan)
            let preview = try await engine.preview("1")
            #expect(preview.erased == 3, "\(preview.places)")
            let outcome = try await engine.erase(["1"])
            #expect(outcome.first?.receipt?.erased == ["people": 1, "projects": 1, "tasks": 1], "\(outcome)")
            #expect(try await house.rows("SELECT id FROM tasks ORDER BY id") == ["2", "3"])
        }
    }
}
