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

    /// Person 7 does not exist: of this person there are a post, a comment on it, a visit, and the name of the reader in
    /// a comment that goes with another person's post.
    private static func named(_ unchecked: String, _ checked: String) -> String {
        """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
        CREATE TABLE comments (
            id integer PRIMARY KEY, post integer NOT NULL REFERENCES posts (id) ON DELETE CASCADE,
            reader integer REFERENCES people (id) ON DELETE SET NULL);
        CREATE TABLE visits (id integer PRIMARY KEY, person integer REFERENCES people (id) ON DELETE SET NULL);
        INSERT INTO people VALUES (1, 'one@example.org');
        \(unchecked);
        INSERT INTO posts VALUES (10, 1), (70, 7);
        INSERT INTO comments VALUES (100, 10, 1), (101, 10, 7), (700, 70, 1);
        INSERT INTO visits VALUES (1000, 1), (7000, 7);
        \(checked);
        """
    }

    @Test(
        "SQL-12 where the subject's own row is gone, statements also empty the columns that a key would have emptied",
        arguments: SQLDialect.allCases, [1, 20_000])
    func emptied(_ dialect: SQLDialect, _ large: Int) async throws {
        let script =
            dialect == .sqlite
            ? Self.named("PRAGMA foreign_keys = OFF", "PRAGMA foreign_keys = ON")
            : Self.named("SET session_replication_role = replica", "SET session_replication_role = origin")
        try await EngineFixture.with(dialect, script) { fixture in
            let engine = try await fixture.engine()
            let rehearsal = try #require(try await engine.rehearse(["7"]).first)
            #expect(rehearsal.isKnown && rehearsal.differences.isEmpty && rehearsal.refusals.isEmpty, "\(rehearsal)")
            let options = ErasureOptions(largeAccount: large)
            let outcome = try #require(try await engine.erase(["7"], options: options).first)
            #expect(outcome.receipt?.isComplete == true, "\(outcome)")
            #expect(try await fixture.rows("SELECT id FROM posts") == ["10"])
            #expect(try await fixture.rows("SELECT * FROM comments") == ["100 10 1", "101 10 -"])
            #expect(try await fixture.rows("SELECT * FROM visits") == ["1000 1", "7000 -"])
        }
    }

    /// Person 7 does not exist, and only the reader of a comment on another person's post names them.
    private static func reader(_ unchecked: String, _ checked: String) -> String {
        """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
        CREATE TABLE comments (
            id integer PRIMARY KEY, post integer NOT NULL REFERENCES posts (id) ON DELETE CASCADE,
            reader integer REFERENCES people (id) ON DELETE SET NULL);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        \(unchecked);
        INSERT INTO posts VALUES (10, 1);
        INSERT INTO comments VALUES (100, 10, 2), (101, 10, 7);
        \(checked);
        """
    }

    @Test(
        "SQL-12 a subject without a row of its own that only a key without a link names is known, and the key is emptied",
        arguments: SQLDialect.allCases, [1, 20_000])
    func onlyNamed(_ dialect: SQLDialect, _ large: Int) async throws {
        let script =
            dialect == .sqlite
            ? Self.reader("PRAGMA foreign_keys = OFF", "PRAGMA foreign_keys = ON")
            : Self.reader("SET session_replication_role = replica", "SET session_replication_role = origin")
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan()
            #expect(plan.tables.flatMap(\.links).allSatisfy { $0.columns != ["reader"] }, "\(plan.tables)")
            let engine = try await fixture.engine(plan)
            let rehearsals = try await engine.rehearse(["7"])
            let rehearsal = try #require(rehearsals.first)
            #expect(rehearsal.isKnown && rehearsal.differences.isEmpty && rehearsal.refusals.isEmpty, "\(rehearsal)")
            #expect(try await engine.preview("7").blockers.isEmpty)
            let options = ErasureOptions(largeAccount: large)
            let outcomes = try await engine.erase(["7", "9"], options: options)
            #expect(outcomes.map(\.word).sorted() == ["done", "unknown"], "\(outcomes)")
            #expect(outcomes.compactMap(\.receipt).first?.isComplete == true, "\(outcomes)")
            #expect(try await fixture.rows("SELECT * FROM comments") == ["100 10 2", "101 10 -"])
            #expect(try await engine.erase(["7"], options: options).map(\.word) == ["unknown"])
        }
    }

    /// A trigger keeps one of two teams of person 7, who does not exist.
    private static func keeper(_ dialect: SQLDialect) -> [String] {
        guard dialect == .postgresql else {
            return ["CREATE TRIGGER keep BEFORE DELETE ON teams WHEN OLD.id = 70 BEGIN SELECT RAISE(IGNORE); END"]
        }
        return [
            "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
            "CREATE TRIGGER keep BEFORE DELETE ON teams FOR EACH ROW WHEN (OLD.id = 70) EXECUTE FUNCTION keep()",
        ]
    }

    private static func kept(_ dialect: SQLDialect) -> String {
        named(
            """
            CREATE TABLE teams (id integer PRIMARY KEY, owner integer REFERENCES people (id) ON DELETE SET NULL);
            \(dialect == .sqlite ? "PRAGMA foreign_keys = OFF" : "SET session_replication_role = replica");
            INSERT INTO teams VALUES (20, 1), (70, 7), (71, 7)
            """,
            dialect == .sqlite ? "PRAGMA foreign_keys = ON" : "SET session_replication_role = origin")
    }

    @Test(
        "SQL-12 a row that a trigger keeps does not lose its link to a subject whose own row is gone, and parks the run",
        arguments: SQLDialect.allCases, [1, 20_000])
    func keptRow(_ dialect: SQLDialect, _ large: Int) async throws {
        try await EngineFixture.with(dialect, Self.kept(dialect)) { fixture in
            try await fixture.database.withConnection { connection in
                for statement in Self.keeper(dialect) { _ = try await connection.run(SQLStatement(statement)) }
            }
            let plan = try await fixture.plan { plan in
                plan.set("teams", .erase)
                plan.link(
                    "teams",
                    Link(
                        columns: ["owner"], target: plan.name("people"), targetColumns: ["id"], onDelete: .setNull,
                        role: .owner))
            }
            let engine = try await fixture.engine(plan)
            let rehearsal = try #require(try await engine.rehearse(["7"]).first)
            #expect(rehearsal.differences.isEmpty && rehearsal.keepers.count == 1, "\(rehearsal)")
            let options = ErasureOptions(largeAccount: large, residue: .leave)
            let outcome = try #require(try await engine.erase(["7"], options: options).first)
            let cause = try #require(outcome.cause, "\(outcome)")
            #expect(cause.contains("found again") && cause.contains("teams (1)"), "\(cause)")
            #expect(try await fixture.rows("SELECT * FROM teams") == ["20 1", "70 7"])
        }
    }
}
