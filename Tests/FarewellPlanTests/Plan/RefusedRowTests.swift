// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Checks that depend on more than which columns are null: the rows of the database decide what they refuse.
struct RefusedRowTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL UNIQUE);
        CREATE TABLE tickets (id integer PRIMARY KEY, status text NOT NULL, closed_by integer REFERENCES people (id),
          CONSTRAINT done_closed CHECK ((status = 'done') = (closed_by IS NOT NULL)));
        CREATE INDEX of_closer ON tickets (closed_by);
        CREATE TABLE marks (id integer PRIMARY KEY, person integer REFERENCES people (id) ON DELETE SET NULL, note text,
          CONSTRAINT one_at_least CHECK (person IS NOT NULL OR note IS NOT NULL));
        CREATE INDEX of_person ON marks (person);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        """
    private static let rows = """
        INSERT INTO tickets VALUES (1, 'done', 1), (2, 'open', NULL), (3, 'done', 2);
        INSERT INTO marks VALUES (1, 1, NULL), (2, 1, 'both'), (3, NULL, 'note');
        """

    private static func findings(
        _ fixture: EngineFixture, readingKeys: Bool = true
    ) async throws -> [Finding] {
        let plan = try await fixture.plan { plan in
            plan.at("tickets") { tickets in
                tickets.rule = .anonymise
                for place in tickets.links.indices {
                    tickets.links[place].role = .reference
                    tickets.links[place].shared = nil
                }
                for place in tickets.columns.indices { tickets.columns[place].rule = .notPersonal }
            }
        }
        let schema = try await Schema.read(from: fixture.database)
        return try await PlanCheck.findings(plan, schema, readingKeys: readingKeys, on: fixture.database)
            .filter { $0.code == "check.refuses-null" }
    }

    @Test(
        "PL-3 SQL-21 where the rows decide what a check refuses, check names the constraint and counts the rows",
        arguments: SQLDialect.allCases)
    func counted(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script + Self.rows) { fixture in
            let found = try await Self.findings(fixture)
            let tickets = try #require(found.first { $0.table?.name == "tickets" }, "\(found)")
            #expect(tickets.severity == .error && tickets.column == "closed_by", "\(found)")
            #expect(tickets.message.contains("“done_closed” refuses that in 2 of 2 rows"), "\(found)")
            let marks = try #require(found.first { $0.table?.name == "marks" }, "\(found)")
            #expect(marks.message.contains("“one_at_least” refuses that in 1 of 2 rows"), "\(found)")
            // The engine itself reads no rows for this: one row stops no other subject's erasure.
            let prepared = try await Self.findings(fixture, readingKeys: false)
            #expect(prepared.count == 2 && prepared.allSatisfy { $0.severity == .warning }, "\(prepared)")
        }
    }

    @Test("PL-3 SQL-21 without a row that the check refuses, it may still refuse one later", arguments: SQLDialect.allCases)
    func unrefused(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { fixture in
            let found = try await Self.findings(fixture)
            #expect(found.count == 2 && found.allSatisfy { $0.severity == .warning }, "\(found)")
            #expect(found.allSatisfy { $0.message.contains("may refuse that, depending on") }, "\(found)")
        }
    }
}
