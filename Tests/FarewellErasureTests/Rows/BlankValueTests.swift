// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("A blank value names no row")
struct BlankValueTests {
    private static let options = [ErasureOptions(), ErasureOptions(largeAccount: 1, residue: .leave)]

    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL UNIQUE, region text, code text, UNIQUE (region, code));
        CREATE TABLE posts (id integer PRIMARY KEY, author integer REFERENCES people, slug text UNIQUE);
        CREATE TABLE audit (id integer PRIMARY KEY, email text NOT NULL DEFAULT '', author integer);
        CREATE TABLE views (id integer PRIMARY KEY, slug text);
        CREATE TABLE notes (id integer PRIMARY KEY, doc {json});
        CREATE TABLE tags (id integer PRIMARY KEY, region text, code text);
        CREATE TABLE rooms (id integer PRIMARY KEY, emails text, listed {json});
        """

    private static func plan(_ house: EngineFixture) async throws -> Plan {
        try await house.plan { plan in
            let people = plan.name("people")
            for table in ["audit", "views", "notes", "tags"] { plan.set(table, .erase) }
            plan.link(
                "audit", Link(columns: ["email"], target: people, targetColumns: ["email"], role: .owner),
                Link(columns: ["author"], target: people, targetColumns: ["id"], role: .owner))
            plan.link(
                "views", Link(columns: ["slug"], target: plan.name("posts"), targetColumns: ["slug"], role: .owner))
            plan.link(
                "notes",
                Link(columns: ["doc"], path: ["by"], target: people, targetColumns: ["email"], role: .owner))
            plan.link(
                "tags",
                Link(columns: ["region", "code"], target: people, targetColumns: ["region", "code"], role: .owner))
            plan.set("rooms", .anonymise)
            plan.link(
                "rooms", Link(columns: ["emails"], target: people, targetColumns: ["email"], list: .comma),
                Link(columns: ["listed"], target: people, targetColumns: ["email"], list: .json))
        }
    }

    @Test("PL-1 SY-3 rows of other users with an empty text do not belong to the subject", arguments: SQLDialect.allCases, ["", "  "])
    func others(_ dialect: SQLDialect, _ blank: String) async throws {
        let script = """
            \(Self.tables)
            INSERT INTO people VALUES (1, '\(blank)', '\(blank)', '\(blank)'), (2, 'two@example.org', 'eu', 'b');
            INSERT INTO posts VALUES (10, 1, '\(blank)'), (20, 2, 'two');
            INSERT INTO audit VALUES (1, '\(blank)', NULL), (2, '\(blank)', 1), (3, 'two@example.org', 2);
            INSERT INTO views VALUES (1, '\(blank)'), (2, 'two');
            INSERT INTO notes VALUES (1, '{"by": "\(blank)"}'), (2, '{"by": "two@example.org"}');
            INSERT INTO tags VALUES (1, '\(blank)', '\(blank)'), (2, 'eu', 'b');
            INSERT INTO rooms VALUES (1, 'x,\(blank),y', '["\(blank)", "x"]'), (2, '\(blank)', '[]');
            """
        for options in Self.options {
            try await EngineFixture.with(dialect, script) { house in
                let engine = try await house.engine(try await Self.plan(house))
                let outcome = try await engine.erase(["1"], options: options)
                #expect(outcome.first?.receipt?.erased == ["people": 1, "posts": 1, "audit": 1], "\(outcome)")
                #expect(try await house.rows("SELECT id FROM audit ORDER BY id") == ["1", "3"])
                #expect(try await house.rows("SELECT emails FROM rooms ORDER BY id") == [blank, "x,\(blank),y"])
                for table in ["views", "notes", "tags"] {
                    #expect(try await house.rows("SELECT id FROM \(table) ORDER BY id") == ["1", "2"], "\(table)")
                }
                #expect(try await engine.verify("1", extent: .none).isClean)
            }
        }
    }

    @Test("PL-1 rows with the subject's own text are deleted, also for several subjects at once", arguments: SQLDialect.allCases)
    func own(_ dialect: SQLDialect) async throws {
        let script = """
            \(Self.tables)
            INSERT INTO people VALUES (1, 'one@example.org', '', 'a'), (2, 'two@example.org', 'eu', 'b'), (3, '', '', '');
            INSERT INTO posts VALUES (10, 1, 'one'), (20, 2, 'two'), (30, 3, '');
            INSERT INTO audit VALUES (1, 'one@example.org', NULL), (2, '', 1), (3, 'two@example.org', 2), (4, '', NULL), (5, '', 3);
            INSERT INTO views VALUES (1, 'one'), (2, 'two'), (3, '');
            INSERT INTO notes VALUES (1, '{"by": "one@example.org"}'), (2, '{"by": ""}');
            INSERT INTO tags VALUES (1, '', 'a'), (2, 'eu', 'b'), (3, '', '');
            INSERT INTO rooms VALUES (1, 'x,,one@example.org', '["", "one@example.org"]'), (2, '', '[]');
            """
        for options in Self.options {
            try await EngineFixture.with(dialect, script) { house in
                let engine = try await house.engine(try await Self.plan(house))
                let outcome = try await engine.erase(["1", "3"], options: options)
                let erased = outcome.map { $0.receipt?.erased }
                #expect(
                    erased == [
                        ["people": 1, "posts": 1, "audit": 2, "views": 1, "notes": 1, "tags": 1],
                        ["people": 1, "posts": 1, "audit": 1],
                    ], "\(outcome)")
                #expect(try await house.rows("SELECT id FROM audit ORDER BY id") == ["3", "4"])
                #expect(try await house.rows("SELECT emails FROM rooms ORDER BY id") == ["", "x,"])
                #expect(try await house.rows("SELECT id FROM tags ORDER BY id") == ["2", "3"])
            }
        }
    }
}
