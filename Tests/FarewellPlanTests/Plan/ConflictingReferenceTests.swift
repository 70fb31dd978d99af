// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("References in unique keys whose conflict clause refuses nothing")
struct ConflictingReferenceTests {
    @Test(
        "SQL-01 SQL-27 a reference that keeps a value in a key with ON CONFLICT REPLACE or IGNORE is an error",
        arguments: ["REPLACE", "IGNORE", "ABORT"])
    func conflictOfReference(_ action: String) async throws {
        let script =
            """
            CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL UNIQUE);
            CREATE TABLE seats (id integer PRIMARY KEY, room integer, person integer NOT NULL REFERENCES people (id),
              UNIQUE (room, person) ON CONFLICT \(action));
            CREATE TABLE desks (id integer PRIMARY KEY, room integer, person integer REFERENCES people (id),
              UNIQUE (room, person) ON CONFLICT \(action));
            CREATE INDEX by_person ON seats (person); CREATE INDEX of_person ON desks (person);
            INSERT INTO people VALUES (0, 'deleted'), (1, 'one@example.org');
            """
        try await EngineFixture.with(.sqlite, script) { fixture in
            let plan = try await fixture.plan { plan in
                let values: [(String, String?)] = [("seats", "0"), ("desks", nil)]
                for (table, value) in values {
                    plan.set(table, .anonymise)
                    var link = Link(
                        columns: ["person"], target: plan.name("people"), targetColumns: ["id"], onDelete: .noAction,
                        role: .reference)
                    link.replacement = value
                    plan.at(table) { $0.links = [link] }
                }
            }
            let found = try await fixture.findings(of: plan)
            let conflicts = found.filter { $0.code.rawValue.hasPrefix("conflict.") }
            #expect(conflicts.map(\.code.rawValue) == (action == "ABORT" ? [] : ["conflict.\(action.lowercased())"]), "\(found)")
            #expect(conflicts.allSatisfy { $0.severity == .error && $0.table?.name == "seats" && $0.column == "person" })
            // The warning says that the erasure is parked, which it is only where SQLite refuses the change.
            #expect((found.only("link.set-not-unique") != nil) == (action == "ABORT"), "\(found)")
        }
    }
}
