// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("A JSON entry that names the subject in a row that stays")
struct EntryRemovalTests {
    private static let large = ErasureOptions(largeAccount: 1, residue: .leave)

    private static let documents = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE documents (id integer PRIMARY KEY, owner integer REFERENCES people, facts {json} NOT NULL, title text);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO documents VALUES (1, 2, '{"by":{"id":1,"at":9},"tag":"keep"}', 'a'), (2, NULL, '{"by":{"id":1}}', 'b'),
            (3, 2, '{"by":{"id":2}}', 'c'), (4, 2, '{"by":1}', 'd');
        """

    private static func plan(_ house: EngineFixture, path: [String]) async throws -> Plan {
        try await house.plan { plan in
            var link = Link(columns: ["facts"], path: path, target: plan.name("people"), targetColumns: ["id"], role: .owner)
            link.shared = .unlink
            let added = link
            plan.at("documents") { $0.links.append(added) }
        }
    }

    @Test("PL-3 shared: unlink with a path removes the entry and keeps the rest of the document", arguments: SQLDialect.allCases)
    func entries(_ dialect: SQLDialect) async throws {
        for options in [ErasureOptions(), Self.large] {
            try await EngineFixture.with(dialect, Self.documents) { house in
                let plan = try await Self.plan(house, path: ["by", "id"])
                let outcome = try await house.engine(plan).erase(["1"], options: options)
                #expect(outcome.first?.receipt?.anonymised["documents"] == 1, "\(outcome)")
                let rows = try await house.rows("SELECT id, facts, title FROM documents ORDER BY id")
                let written = rows.map { $0.replacing(" ", with: "") }
                // PostgreSQL orders the members of jsonb by their length.
                let kept = ["1{\"by\":{\"at\":9},\"tag\":\"keep\"}a", "3{\"by\":{\"id\":2}}c", "4{\"by\":1}d"]
                #expect(written == kept, "\(rows)")
            }
        }
    }

    @Test("PL-3 an entry that SQLite cannot remove is refused by check")
    func refused() async throws {
        try await EngineFixture.with(.sqlite, Self.documents) { house in
            let plan = try await Self.plan(house, path: ["a\"b"])
            let found = PlanCheck.findings(plan, try await Schema.read(from: house.database))
            #expect(found.filter { $0.severity == .error }.map(\.code.rawValue) == ["link.entry-unwritable"], "\(found)")
        }
    }
}
