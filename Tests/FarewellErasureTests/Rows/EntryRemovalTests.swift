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

    private static func plan(
        _ house: EngineFixture, path: [String], _ role: Link.Role = .owner, set value: String? = nil
    ) async throws -> Plan {
        try await house.plan { plan in
            var link = Link(columns: ["facts"], path: path, target: plan.name("people"), targetColumns: ["id"], role: role)
            link.shared = role == .owner ? .unlink : nil
            link.replacement = value
            let added = link
            plan.at("documents") { $0.links.append(added) }
        }
    }

    @Test("PL-3 shared: unlink with a path removes the entry and keeps the rest of the document", arguments: SQLDialect.allCases)
    func entries(_ dialect: SQLDialect) async throws { try await entries(dialect, .owner) }

    @Test("PL-3 role: reference with a path removes the entry and keeps the rest of the document", arguments: SQLDialect.allCases)
    func referenced(_ dialect: SQLDialect) async throws { try await entries(dialect, .reference) }

    private func entries(_ dialect: SQLDialect, _ role: Link.Role) async throws {
        for options in [ErasureOptions(), Self.large] {
            try await EngineFixture.with(dialect, Self.documents) { house in
                let plan = try await Self.plan(house, path: ["by", "id"], role)
                let outcome = try await house.engine(plan).erase(["1"], options: options)
                let isOwned = role == .owner
                #expect(outcome.first?.receipt?.anonymised["documents"] == (isOwned ? 1 : 2), "\(outcome)")
                let rows = try await house.rows("SELECT id, facts, title FROM documents ORDER BY id")
                let written = rows.map { $0.replacing(" ", with: "") }
                // PostgreSQL orders the members of jsonb by their length.
                let first = "1{\"by\":{\"at\":9},\"tag\":\"keep\"}a"
                let second = isOwned ? [] : ["2{\"by\":{}}b"]
                #expect(written == [first] + second + ["3{\"by\":{\"id\":2}}c", "4{\"by\":1}d"], "\(rows)")
            }
        }
    }

    @Test("PL-3 an entry that SQLite cannot remove is refused by check", arguments: [Link.Role.owner, .reference])
    func refused(_ role: Link.Role) async throws {
        try await EngineFixture.with(.sqlite, Self.documents) { house in
            for (path, value, code) in [(["a\"b"], nil, "link.entry-unwritable"), (["by"], "0", "link.set-unfit")]
            where value == nil || role == .reference {
                let plan = try await Self.plan(house, path: path, role, set: value)
                let found = PlanCheck.findings(plan, try await Schema.read(from: house.database))
                #expect(found.filter { $0.severity == .error }.map(\.code.rawValue) == [code], "\(found)")
            }
        }
    }

    @Test("PL-3 of a composite link the tenant stays, by unlink and by reference", arguments: SQLDialect.allCases)
    func composite(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE tenants (id integer PRIMARY KEY);
            CREATE TABLE members (tenant integer NOT NULL REFERENCES tenants, person integer NOT NULL REFERENCES people,
                PRIMARY KEY (tenant, person));
            CREATE TABLE tasks (id integer PRIMARY KEY, tenant integer, assignee integer, owner integer REFERENCES people,
                FOREIGN KEY (tenant, assignee) REFERENCES members (tenant, person));
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO tenants VALUES (7);
            INSERT INTO members VALUES (7, 1), (7, 2);
            INSERT INTO tasks VALUES (1, 7, 1, 2), (2, 7, 2, 2);
            """
        for isUnlinked in [true, false] {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    plan.at("tasks") { entry in
                        entry.links = entry.links.map { link in
                            guard link.columns.count == 2 else { return link }
                            var link = link
                            (link.role, link.shared) = isUnlinked ? (.owner, .unlink) : (.reference, nil)
                            return link
                        }
                    }
                }
                let outcome = try await house.engine(plan).erase(["1"])
                #expect(outcome.first?.receipt?.anonymised["tasks"] == 1, "\(outcome)")
                let rows = try await house.rows("SELECT id, tenant, assignee, owner FROM tasks ORDER BY id")
                #expect(rows == ["1 7 - 2", "2 7 2 2"], "\(rows)")
            }
        }
    }
}
