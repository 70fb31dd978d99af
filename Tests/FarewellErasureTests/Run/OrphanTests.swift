// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import TestFixtures
import Testing

@Suite("Rows of a subject whose own row is gone")
struct OrphanTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
        CREATE TABLE comments (id integer PRIMARY KEY, post integer NOT NULL REFERENCES posts (id) ON DELETE CASCADE);
        CREATE INDEX posts_author ON posts (author); CREATE INDEX comments_post ON comments (post);
        INSERT INTO people VALUES (1, 'one@example.org');
        INSERT INTO posts VALUES (10, 1);
        INSERT INTO comments VALUES (100, 10);
        PRAGMA foreign_keys = OFF;
        INSERT INTO posts VALUES (70, 7); INSERT INTO comments VALUES (700, 70);
        PRAGMA foreign_keys = ON;
        """

    @Test("SQL-12 rows that a program without foreign keys left behind are erased, although no cascade reaches them")
    func orphans() async throws {
        try await EngineFixture.with(.sqlite, Self.script) { fixture in
            let engine = try await fixture.engine()
            let rehearsal = try #require(try await engine.rehearse(["7"]).first)
            #expect(rehearsal.isKnown && rehearsal.differences.isEmpty && rehearsal.refusals.isEmpty, "\(rehearsal)")
            let outcome = try #require(try await engine.erase(["7"]).first)
            #expect(outcome.receipt?.isComplete == true, "\(outcome)")
            #expect(outcome.receipt?.erased == ["posts": 1, "comments": 1])
            #expect(try await fixture.rows("SELECT id FROM posts") == ["10"])
            #expect(try await fixture.rows("SELECT id FROM comments") == ["100"])
        }
    }
}
