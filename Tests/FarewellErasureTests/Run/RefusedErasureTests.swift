// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("An erasure that the database refuses parks with its cause")
struct RefusedErasureTests {
    private static let people = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE notes (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id) ON DELETE CASCADE, body text);
        CREATE INDEX notes_owner ON notes (owner);
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO notes VALUES (1, 1, 'alpha secret words'), (2, 1, 'beta words'), (3, 2, 'gamma words');
        """

    /// The cause with which the erasure of the first subject parks; no row has changed.
    private func cause(
        _ fixture: EngineFixture, edit: @Sendable (inout Plan) -> Void = { _ in }
    ) async throws -> String {
        let engine = try await fixture.engine(try await fixture.plan("people", edit))
        let before = try await fixture.everything()
        let outcome = try #require(try await engine.erase(["1"]).first)
        let cause = try #require(outcome.cause, "\(outcome)")
        #expect(try await fixture.everything() == before)
        let boards = try await fixture.rows("SELECT cause FROM \(fixture.control("erasures"))")
        #expect(boards == [cause], "the board and the command say the same")
        for word in ["@example.org", "words", "secret"] { #expect(!cause.contains(word), "\(cause)") }
        return cause
    }

    @Test("SQL-11 the error about an inconsistent full-text index names the index, and rebuilding it helps")
    func outOfStep() async throws {
        try await EngineFixture.with(.sqlite, Self.people) { fixture in
            try await fixture.database.withConnection { connection in
                try await connection.run("CREATE VIRTUAL TABLE notes_fts USING fts5(body, content='notes', content_rowid='id')")
                try await connection.run(
                    """
                    CREATE TRIGGER notes_ad AFTER DELETE ON notes BEGIN
                      INSERT INTO notes_fts(notes_fts, rowid, body) VALUES ('delete', old.id, old.body); END
                    """)
            }
            let cause = try await cause(fixture)
            for word in ["notes_fts", "INSERT INTO notes_fts(notes_fts) VALUES('rebuild')"] { #expect(cause.contains(word), "\(cause)") }
            #expect(!cause.contains("Restore"))
            try await fixture.database.withConnection { _ = try await $0.run("INSERT INTO notes_fts(notes_fts) VALUES('rebuild')") }
            let parked = try await fixture.rows("SELECT id FROM \(fixture.control("erasures"))")
            let engine = try await fixture.engine(try await fixture.plan())
            let id = try #require(UUID(uuidString: parked[0]))
            #expect(try await engine.release(id).first?.receipt?.erased["people"] == 1, "after the remedy it goes on")
        }
    }

    @Test(
        "SY-4 a refusal of one of Farewell's own tables names that table and what to do there, not a rule of the plan",
        arguments: SQLDialect.allCases, [true, false])
    func ownTable(_ dialect: SQLDialect, byIndex: Bool) async throws {
        try await EngineFixture.with(dialect, Self.people) { fixture in
            let engine = try await fixture.engine(try await fixture.plan())
            _ = try #require(try await engine.erase(["2"]).first?.receipt)
            let own = fixture.control(byIndex ? "audit" : "ledger")
            let (isEnd, trigger) = (
                "(replace(entry, 'erasure.done', '') <> entry)", "CREATE TRIGGER one_end BEFORE INSERT ON \(own)"
            )
            var statements = ["CREATE UNIQUE INDEX one_end ON \(own) (\(isEnd)) WHERE \(isEnd)"]
            if !byIndex, dialect == .sqlite { statements = ["\(trigger) BEGIN SELECT RAISE(ABORT, 'one end'); END"] }
            if !byIndex, dialect == .postgresql {
                statements = [
                    "CREATE FUNCTION one_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'one end'; END $$",
                    "\(trigger) FOR EACH ROW EXECUTE FUNCTION one_end()",
                ]
            }
            try await fixture.database.withConnection { [statements] connection in
                for text in statements { _ = try await connection.run(SQLStatement(text)) }
            }
            let outcome = try #require(try await engine.erase(["1"]).first)
            let cause = try #require(outcome.cause, "\(outcome)")
            #expect(cause.contains("\(own) is a table of Farewell's own"), "\(cause)")
            for word in ["Give the column", "another rule", "erase the row"] { #expect(!cause.contains(word), "\(cause)") }
        }
    }

    @Test("SY-4 an event trigger that forbids Farewell's own tables is named as one, with a remedy that helps")
    func eventTrigger() async throws {
        try await EngineFixture.with(.postgresql, Self.people) { fixture in
            try await fixture.run(
                """
                CREATE FUNCTION no_tables() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'secret words'; END $$; \
                CREATE EVENT TRIGGER no_tables ON ddl_command_start EXECUTE FUNCTION no_tables()
                """)
            let plan = try await fixture.plan()
            let error = await #expect(throws: FarewellError.self) { _ = try await fixture.engine(plan) }
            let told = "\(error?.message ?? "") \(error?.remedy ?? "")"
            #expect(told.contains("event trigger") && told.contains("no_tables") && told.contains("DISABLE"), "\(told)")
            #expect(!told.contains("rule in the plan") && !told.contains("secret"), "\(told)")
        }
    }

    @Test("SQL-12 a statement trigger that raises 42501 is a trigger's refusal, also where the subject has no rows there")
    func statementTrigger() async throws {
        try await EngineFixture.with(.postgresql, Self.people) { fixture in
            try await fixture.database.withConnection { connection in
                try await connection.run("DELETE FROM notes WHERE owner = 1")
                try await connection.run(
                    """
                    CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'not by SQL' USING ERRCODE = '42501'; END $$
                    """)
                try await connection.run("CREATE TRIGGER keep_notes BEFORE DELETE ON notes FOR EACH STATEMENT EXECUTE FUNCTION guard()")
            }
            let cause = try await cause(fixture)
            for word in ["trigger", "keep_notes of public.notes", "guard()", "No right is missing."] {
                #expect(cause.contains(word), "\(cause)")
            }
            #expect(!cause.contains("Grant"))
        }
    }

    @Test("SQL-12 an error about a missing right names the right, and blames no trigger")
    func missingRight() async throws {
        try await EngineFixture.with(.postgresql, Self.people) { fixture in
            try await fixture.database.withConnection { connection in
                try await connection.run("CREATE TABLE audit (id integer)")
                try await connection.run(
                    """
                    CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN SET LOCAL ROLE pg_monitor; INSERT INTO audit VALUES (OLD.id); RETURN OLD; END $$
                    """)
                try await connection.run("CREATE TRIGGER logged BEFORE DELETE ON notes FOR EACH ROW EXECUTE FUNCTION log()")
            }
            let cause = try await cause(fixture) { $0.set("audit", .notPersonal) }
            for word in ["audit", "Grant the missing right", "logged of public.notes"] { #expect(cause.contains(word), "\(cause)") }
        }
    }

    @Test("SQL-13 SQL-29 a foreign key without a matching key, and a trigger that changes an index without content, are named")
    func mistakes() async throws {
        let badges = """
            CREATE TABLE people (id integer PRIMARY KEY, email text, code text);
            CREATE TABLE badges (id integer PRIMARY KEY, code text REFERENCES people (code));
            CREATE INDEX badges_code ON badges (code);
            INSERT INTO people VALUES (1, 'one@example.org', 'a');
            """
        try await EngineFixture.with(.sqlite, badges) { fixture in
            let engine = try? await fixture.engine(try await fixture.plan())
            guard let outcome = try await engine?.erase(["1"]).first else { return }
            let cause = try #require(outcome.cause)
            #expect(cause.contains("badges") && cause.contains("people") && cause.contains("unique index"), "\(cause)")
        }
        try await EngineFixture.with(.sqlite, Self.people) { fixture in
            try await fixture.database.withConnection { connection in
                try await connection.run("CREATE VIRTUAL TABLE notes_tri USING fts5(body, content='')")
                try await connection.run("INSERT INTO notes_tri(rowid, body) SELECT id, body FROM notes")
                try await connection.run(
                    "CREATE TRIGGER notes_ad AFTER DELETE ON notes BEGIN DELETE FROM notes_tri WHERE rowid = old.id; END")
            }
            let cause = try await cause(fixture)
            for word in ["notes_tri", "notes_ad of notes"] { #expect(cause.contains(word), "\(cause)") }
        }
    }

    @Test("SCH-06 in a schema with more statements than a connection keeps prepared, the obstacle to an erasure is named every time")
    func manyTables() async throws {
        let many = (0..<300).map {
            """
            CREATE TABLE t\($0) (id integer PRIMARY KEY, owner integer REFERENCES people (id));
            INSERT INTO t\($0) VALUES (1, 1), (2, 2);
            """
        }
        try await EngineFixture.with(.postgresql, Self.people + many.joined(separator: "\n")) { fixture in
            try await fixture.database.withConnection { connection in
                try await connection.run(
                    """
                    CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION '%', OLD.body USING ERRCODE = '23514'; END $$
                    """)
                try await connection.run("CREATE TRIGGER keep_notes BEFORE DELETE ON notes FOR EACH ROW EXECUTE FUNCTION guard()")
            }
            let engine = try await fixture.engine(try await fixture.plan())
            for subject in ["1", "2"] {
                let outcome = try #require(try await engine.erase([subject]).first)
                let cause = try #require(outcome.cause, "\(outcome)")
                #expect(cause.contains("keep_notes of public.notes") && cause.contains("23514"), "\(cause)")
                #expect(!cause.contains("words"))
            }
            #expect(try await fixture.count("t7") == 2)
        }
    }
}
