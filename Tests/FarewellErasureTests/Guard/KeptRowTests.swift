// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Rows that are kept are the cause, and not what waits for them")
struct KeptRowTests {
    /// A comment on another person's post loses its writer when the writer's own row goes.
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE CASCADE);
        CREATE TABLE comments (id integer PRIMARY KEY, post integer NOT NULL REFERENCES posts (id) ON DELETE CASCADE,
            writer integer REFERENCES people (id) ON DELETE SET NULL);
        CREATE TABLE notes (id integer PRIMARY KEY, person integer REFERENCES people (id) ON DELETE CASCADE);
        INSERT INTO people VALUES (1, 'a@example.org'), (2, 'b@example.org');
        INSERT INTO posts VALUES (10, 1), (20, 2);
        INSERT INTO comments VALUES (1, 10, 1), (2, 10, 2), (3, 20, 1);
        INSERT INTO notes VALUES (10, 1), (11, 1), (20, 2);
        """

    private static func keeping(_ dialect: SQLDialect) -> [String] {
        dialect == .sqlite
            ? ["CREATE TRIGGER keep BEFORE DELETE ON notes WHEN OLD.id = 10 BEGIN SELECT RAISE(IGNORE); END"]
            : [
                "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
                "CREATE TRIGGER keep BEFORE DELETE ON notes FOR EACH ROW WHEN (OLD.id = 10) EXECUTE FUNCTION keep()",
            ]
    }

    @Test(
        "SQL-12 SQL-13 a run names the kept row, and not a key that waits for the subject's own row",
        arguments: SQLDialect.allCases, [20_000, 1])
    func named(_ dialect: SQLDialect, _ largeAccount: Int) async throws {
        try await EngineFixture.with(dialect, Self.tables) { fixture in
            try await fixture.database.withConnection { connection in
                for statement in Self.keeping(dialect) { _ = try await connection.run(SQLStatement(statement)) }
            }
            let plan = try await fixture.plan { plan in
                plan.at("comments") { $0.links.removeAll { $0.columns == ["writer"] } }
            }
            let engine = try await fixture.engine(plan)
            let shown = try #require(try await engine.rehearse(["1"]).first)
            #expect(shown.differences.isEmpty && shown.left.keys.contains { $0.hasSuffix("notes") }, "\(shown)")
            let options = ErasureOptions(largeAccount: largeAccount, residue: .leave)
            let outcome = try #require(try await engine.erase(["1"], options: options).first)
            let cause = try #require(outcome.cause)
            #expect(cause.contains("found again") && cause.contains("notes (1)"), "\(cause)")
            #expect(!cause.contains("comments"), "\(cause)")
            #expect(try await fixture.count("people") == 2, "identity stays")
        }
    }

    @Test("SQL-13 a rehearsal names the trigger whose row names a deleted one")
    func written() async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE posts (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE CASCADE);
            CREATE TABLE lines (id integer PRIMARY KEY, post integer NOT NULL REFERENCES posts (id));
            INSERT INTO people VALUES (1, 'a@example.org');
            INSERT INTO posts VALUES (10, 1);
            """
        try await EngineFixture.with(.sqlite, script) { fixture in
            try await fixture.trigger("again", "AFTER DELETE ON posts", "INSERT INTO lines (post) VALUES (OLD.id)")
            let shown = try #require(try await fixture.engine(try await fixture.plan()).rehearse(["1"]).first)
            let refusal = try #require(shown.refusals.first { $0.table?.name == "lines" }, "\(shown)")
            #expect(refusal.remedy.contains("“again” of posts"), "\(refusal)")
        }
    }
}
