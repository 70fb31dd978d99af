// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

/// Triggers that write an audit row for each deleted row, which names the deleted rows and their users.
@Suite("Rows that triggers write about deleted rows")
struct AuditTriggerTests {
    /// The first user owns album 10 with members 1, 2 and 3, and is a member of album 20. User 4 has nothing but a row.
    private static let albums = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE albums (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
        CREATE TABLE members (album integer NOT NULL REFERENCES albums (id) ON DELETE CASCADE,
            person integer NOT NULL REFERENCES people (id) ON DELETE CASCADE, PRIMARY KEY (album, person));
        CREATE TABLE marks (album integer NOT NULL REFERENCES albums (id) ON DELETE CASCADE, n integer NOT NULL);
        CREATE TABLE album_audit (album integer NOT NULL, person integer NOT NULL);
        CREATE TABLE member_audit (album integer NOT NULL, person integer NOT NULL);
        CREATE TABLE people_audit (person integer NOT NULL);
        INSERT INTO people VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd');
        INSERT INTO albums VALUES (10, 1), (20, 2), (21, 2);
        INSERT INTO members VALUES (10, 1), (10, 2), (10, 3), (20, 1), (21, 3);
        INSERT INTO album_audit VALUES (90, 1), (90, 2);
        """

    private static let triggers = [
        """
        CREATE FUNCTION of_albums() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO album_audit SELECT id, owner FROM old; RETURN NULL; END $$
        """,
        """
        CREATE FUNCTION of_members() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO album_audit SELECT album, person FROM old;
            INSERT INTO marks SELECT album, 1 FROM old WHERE album IN (SELECT id FROM albums);
            IF pg_trigger_depth() = 1 THEN INSERT INTO member_audit SELECT album, person FROM old; END IF;
            RETURN NULL; END $$
        """,
        """
        CREATE FUNCTION of_people() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            INSERT INTO people_audit SELECT id FROM old; RETURN NULL; END $$
        """,
        """
        CREATE TRIGGER albums_deleted AFTER DELETE ON albums REFERENCING OLD TABLE AS old FOR EACH STATEMENT
            WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION of_albums()
        """,
        """
        CREATE TRIGGER members_deleted AFTER DELETE ON members REFERENCING OLD TABLE AS old FOR EACH STATEMENT
            WHEN (pg_trigger_depth() <= 1) EXECUTE FUNCTION of_members()
        """,
        """
        CREATE TRIGGER people_deleted AFTER DELETE ON people REFERENCING OLD TABLE AS old FOR EACH STATEMENT
            WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION of_people()
        """,
    ]

    /// Audit rows belong to the user that they name and, if their album is gone, to its owner.
    private static func plan(_ house: EngineFixture) async throws -> Plan {
        try await house.plan { plan in
            let person = Link(columns: ["person"], target: plan.name("people"), targetColumns: ["id"], shared: .erase, role: .owner)
            let album = Link(columns: ["album"], target: plan.name("albums"), targetColumns: ["id"], shared: .erase, role: .owner)
            for table in ["album_audit", "member_audit"] {
                plan.set(table, .erase)
                plan.link(table, person, album)
            }
            plan.set("people_audit", .erase)
            plan.link("people_audit", person)
        }
    }

    @Test(
        "PL-4 PL-5 the effects that rehearsals of some users offer fit the erasure of every user, which leaves no audit row of theirs",
        arguments: [20_000, 1])
    func audits(_ largeAccount: Int) async throws {
        try await EngineFixture.with(.postgresql, Self.albums) { house in
            try await house.database.withConnection { connection in
                for trigger in Self.triggers { _ = try await connection.run(SQLStatement(trigger)) }
            }
            var plan = try await Self.plan(house)
            let first = try await house.engine(plan)
            let shown = first.effects(declaring: try await first.rehearse(["1", "4"]).flatMap(\.effects))
            let pairs = Set(shown.map { "\($0.table.name) \($0.also.name)" })
            #expect(
                pairs == [
                    "albums album_audit", "members album_audit", "members marks", "members member_audit", "people people_audit",
                ], "\(shown)")
            #expect(shown.allSatisfy { $0.inserts == .perRow(1) && $0.updates == nil && $0.deletes == nil }, "\(shown)")
            plan.effects = shown
            let engine = try await house.engine(plan)
            for rehearsal in try await engine.rehearse(["1", "2", "3", "4"]) { #expect(rehearsal.fits, "\(rehearsal)") }
            for subject in ["1", "2"] {
                let outcome = try #require(
                    try await engine.erase([subject], options: ErasureOptions(largeAccount: largeAccount)).first)
                #expect(outcome.word == "done", "\(outcome)")
            }
            #expect(try await house.rows("SELECT id FROM people") == ["3", "4"])
            for table in ["albums", "members", "marks", "album_audit", "people_audit"] {
                #expect(try await house.rows("SELECT * FROM \(table)") == [], "\(table)")
            }
            #expect(try await house.rows("SELECT * FROM member_audit") == [])
        }
    }

    @Test(
        "P1 P2 PL-5 rows that a trigger writes and that only deleted rows lead to are erased; those of other rows stay",
        arguments: SQLDialect.allCases, [20_000, 1])
    func strays(_ dialect: SQLDialect, _ largeAccount: Int) async throws {
        let tables = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE posts (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
            CREATE TABLE history (post integer, body text);
            INSERT INTO people VALUES (1, 'a'), (2, 'b');
            INSERT INTO posts VALUES (10, 1), (11, 1), (20, 2);
            INSERT INTO history VALUES (10, 'old'), (20, 'other'), (30, 'nameless');
            """
        try await EngineFixture.with(dialect, tables) { house in
            try await house.trigger("copying", "AFTER DELETE ON posts", "INSERT INTO history VALUES (OLD.id, 'copy')")
            let plan = try await house.plan { plan in
                plan.set("history", .erase)
                let post = Link(columns: ["post"], target: plan.name("posts"), targetColumns: ["id"], shared: .erase, role: .owner)
                plan.link("history", post)
                plan.effects = [TriggerEffect(on: plan.name("posts"), also: plan.name("history"), inserts: .perRow(1))]
            }
            let engine = try await house.engine(plan)
            let shown = try #require(try await engine.rehearse(["1"]).first)
            #expect(shown.fits, "\(shown)")
            let options = ErasureOptions(largeAccount: largeAccount, residue: .leave)
            let outcome = try #require(try await engine.erase(["1"], options: options).first)
            #expect(outcome.word == "done", "\(outcome)")
            #expect(outcome.receipt?.erased["history"] == 3, "\(String(describing: outcome.receipt?.erased))")
            #expect(try await house.rows("SELECT post, body FROM history") == ["20 other", "30 nameless"])
            #expect(try await house.rows("SELECT id FROM people") == ["2"])
        }
    }
}
