// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import TestFixtures
import Testing

/// PostgreSQL's `INHERITS`: asked for a parent's rows, it answers those of its children too, which share neither its key
/// nor its rule.
@Suite("Tables that inherit from other tables")
struct InheritanceTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, person integer, reply integer REFERENCES posts (id), body text);
        CREATE TABLE special (extra text, PRIMARY KEY (id)) INHERITS (posts);
        CREATE INDEX by_person ON posts (person);
        CREATE INDEX by_reply ON posts (reply);
        CREATE INDEX special_by_person ON special (person);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO posts VALUES (1, 1, NULL, 'x'), (2, 2, NULL, 'y'), (3, 1, 1, 'x');
        INSERT INTO special VALUES (1, 2, NULL, 'theirs', 's'), (2, 1, NULL, 'mine', 's');
        """

    private func plan(_ fixture: EngineFixture, _ special: Rule, _ columns: [String: ColumnRule]) async throws -> Plan {
        try await fixture.plan { plan in
            let person = Link(columns: ["person"], target: plan.name("people"), targetColumns: ["id"], shared: .erase)
            plan.set("posts", .erase)
            plan.set("special", special, columns)
            for table in ["posts", "special"] { plan.at(table) { $0.links.append(person) } }
        }
    }

    @Test("a neighbour's row with the same number as a parent's row stays, and each row is counted once", arguments: [1, 20_000])
    func neighbours(_ large: Int) async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let engine = try await fixture.engine(try await plan(fixture, .erase, [:]))
            let preview = try await engine.preview("1")
            let outcomes = try await engine.erase(["1"], options: ErasureOptions(largeAccount: large))
            let receipt = try #require(outcomes.first?.receipt, "\(outcomes)")
            #expect(receipt.erased == ["people": 1, "posts": 2, "special": 1])
            #expect(preview.erased == 4)
            #expect(try await fixture.rows("SELECT id, person FROM ONLY posts") == ["2 2"])
            #expect(try await fixture.rows("SELECT id, person FROM special") == ["1 2"])
        }
    }

    @Test("rows that a child keeps are not deleted with those of its parent", arguments: [1, 20_000])
    func retained(_ large: Int) async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            let plan = try await plan(fixture, .anonymise, ["body": .null, "extra": .null, "person": .notPersonal])
            let engine = try await fixture.engine(plan)
            let outcomes = try await engine.erase(["1"], options: ErasureOptions(largeAccount: large))
            let receipt = try #require(outcomes.first?.receipt, "\(outcomes)")
            #expect(receipt.erased == ["people": 1, "posts": 2] && receipt.anonymised == ["special": 1])
            #expect(try await fixture.rows("SELECT id, body FROM special") == ["1 theirs", "2 -"])
        }
    }
}
