// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Pairs that lead to rows with a key of several columns")
struct PairParentTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text UNIQUE);
        CREATE TABLE posts (org_id integer NOT NULL, id integer NOT NULL, user_id integer NOT NULL REFERENCES people ON DELETE CASCADE,
            PRIMARY KEY (org_id, id));
        CREATE TABLE comments (id integer PRIMARY KEY, org_id integer NOT NULL, commentable_type text, commentable_id integer,
            body text);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO posts VALUES (7, 1, 1), (8, 1, 2), (7, 2, 2);
        INSERT INTO comments VALUES (1, 7, 'Post', 1, 'a'), (2, 8, 'Post', 1, 'b'), (3, 7, 'Post', 2, 'c'),
            (4, 8, 'people', 1, 'd'), (5, 7, 'people', 2, 'e'), (6, 7, 'Photo', 1, 'f');
        """

    @Test("PL-1 PL-2 rows of a pair go with the row of their own tenant only", arguments: SQLDialect.allCases)
    func owned(_ dialect: SQLDialect) async throws {
        for options in [ErasureOptions(), ErasureOptions(largeAccount: 1, residue: .leave)] {
            try await EngineFixture.with(dialect, Self.script) { house in
                let plan = try await house.plan()
                let outcome = try #require(try await house.engine(plan).erase(["1"], options: options).first)
                #expect(outcome.receipt?.erased == ["people": 1, "posts": 1, "comments": 2], "\(outcome)")
                #expect(try await house.rows("SELECT id FROM comments") == ["2", "3", "5", "6"])
            }
        }
    }

    @Test("PL-1 PL-3 rows of a pair that stay lose the number and keep their tenant", arguments: SQLDialect.allCases)
    func referring(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.script) { house in
            let schema = try await Schema.read(from: house.database)
            let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("people"), "id"))
            let outcome = try #require(try await house.engine(draft.plan.answeringAll(.reference)).erase(["1"]).first)
            #expect(outcome.receipt?.anonymised == ["comments": 2], "\(outcome)")
            let left = try await house.rows("SELECT id, org_id, commentable_id FROM comments")
            #expect(left == ["1 7 -", "2 8 1", "3 7 2", "4 8 -", "5 7 2", "6 7 1"])
        }
    }
}
