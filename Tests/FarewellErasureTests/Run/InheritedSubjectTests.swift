// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// PostgreSQL's `INHERITS` under the subject's own table: the subject's row is in the table, in a child or in a
/// grandchild, and foreign keys do not lead to it there.
@Suite("Tables that inherit from the subject's table")
struct InheritedSubjectTests {
    private static let tables = """
        CREATE TABLE people (id bigint PRIMARY KEY, email text UNIQUE, name text);
        CREATE TABLE staff (desk text, login text, PRIMARY KEY (id)) INHERITS (people);
        CREATE TABLE managers (grade integer) INHERITS (staff);
        CREATE TABLE notes (id integer PRIMARY KEY, person_id bigint NOT NULL, body text);
        CREATE TABLE letters (id integer PRIMARY KEY, sender text, body text);
        CREATE TABLE pages (id integer PRIMARY KEY, letter integer REFERENCES letters (id), body text);
        CREATE TABLE shifts (id integer PRIMARY KEY, staff_id bigint NOT NULL REFERENCES staff (id), hours integer);
        CREATE TABLE logs (id integer PRIMARY KEY, line text);
        INSERT INTO people VALUES (1, 'one@example.org', 'One One'), (4, 'four@example.org', 'Four Four');
        INSERT INTO staff VALUES (2, 'two@example.org', 'Two Two', 'a', 'two.two.login'), (5, 'five@example.org', 'Five', 'b', 'f');
        INSERT INTO managers VALUES (3, 'three@example.org', 'Three Three', 'a', 'three.three.login', 9),
            (6, 'six@example.org', 'Six', 'b', 's', 9);
        INSERT INTO notes SELECT n, n, 'x' FROM generate_series(1, 6) AS n;
        INSERT INTO letters SELECT id, email, 'x' FROM people;
        INSERT INTO pages SELECT id, id, 'x' FROM people;
        INSERT INTO shifts VALUES (1, 2, 8), (2, 5, 8);
        INSERT INTO logs VALUES (1, 'sent to two@example.org'), (2, 'by three.three.login'), (3, 'six@example.org');
        """

    private func plan(_ fixture: EngineFixture) async throws -> Plan {
        try await fixture.plan { plan in
            let sender = Link(columns: ["sender"], target: plan.name("people"), targetColumns: ["email"], shared: .erase)
            plan.set("letters", .erase)
            plan.at("letters") { $0.links = [sender] }
            let letter = Link(
                columns: ["letter"], target: plan.name("letters"), targetColumns: ["id"], onDelete: .noAction, shared: .erase)
            plan.set("pages", .erase)
            plan.at("pages") { $0.links = [letter] }
        }
    }

    @Test("PL-1 PL-5 PL-6 a subject whose row is in a child or grandchild table is found, erased and searched for", arguments: [1, 20_000])
    func erased(_ large: Int) async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let plan = try await plan(fixture)
            let errors = PlanCheck.findings(plan, try await Schema.read(from: fixture.database)).filter { $0.severity == .error }
            #expect(errors.isEmpty, "\(errors)")
            let engine = try await fixture.engine(plan)
            #expect(try await engine.preview("3").erased == 4)
            var receipts: [Receipt] = []
            for subject in ["1", "2", "3"] {
                let options = ErasureOptions(largeAccount: large, deepScan: .complete)
                let outcome = try #require(try await engine.erase([subject], options: options).first)
                receipts.append(try #require(outcome.receipt, "\(outcome)"))
            }
            #expect(receipts[0].erased == ["people": 1, "notes": 1, "letters": 1, "pages": 1])
            #expect(receipts[1].erased == ["staff": 1, "notes": 1, "letters": 1, "pages": 1, "shifts": 1])
            #expect(receipts[2].erased == ["managers": 1, "notes": 1, "letters": 1, "pages": 1])
            #expect(receipts.map(\.verification.deepScan.occurrences) == [0, 1, 1])
            for table in ["people", "notes", "letters", "pages"] {
                #expect(try await fixture.rows("SELECT id FROM \(table)") == ["4", "5", "6"], "\(table)")
            }
            #expect(try await fixture.rows("SELECT id, login FROM staff") == ["5 f", "6 s"])
            #expect(try await fixture.rows("SELECT staff_id FROM shifts") == ["5"])
        }
    }

    @Test("PL-1 a table that inherits from the subject's and is not erased by the subject's key is an error")
    func refused() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let drafted = try await plan(fixture)
            #expect(drafted.subject.identifiers.map(\.description).contains("public.managers.login"))
            let edits: [(inout Plan) -> Void] = [
                { $0.set("managers", .notPersonal) }, { plan in plan.at("managers") { $0.links = [] } },
                { plan in plan.at("managers") { $0.links[0].role = .reference } },
            ]
            for edit in edits {
                var plan = drafted
                edit(&plan)
                let found = PlanCheck.findings(plan, schema).filter { $0.code.rawValue == "table.inherits-subject" }
                #expect(found.map(\.table?.name) == ["managers"] && found.first?.severity == .error, "\(found)")
            }
        }
    }
}
