// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellSQL
import TestFixtures
import Testing

@Suite("A trigger that refuses every statement on a table")
struct StatementTriggerTests {
    private static let tables = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE files (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id));
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id));
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org'), (3, 'three@example.org');
        INSERT INTO files VALUES (1, 2);
        INSERT INTO posts VALUES (1, 1), (2, 2), (3, 3);
        """

    @Test("SQL-12 such a trigger does not fire where the subject has no rows, in one transaction, in pieces and in a rehearsal")
    func withoutRows() async throws {
        try await EngineFixture.with(.postgresql, Self.tables) { fixture in
            try await fixture.database.withConnection { connection in
                try await connection.run(
                    """
                    CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN RAISE EXCEPTION 'not by SQL' USING ERRCODE = '42501'; END $$
                    """)
                try await connection.run("CREATE TRIGGER keep BEFORE DELETE ON files FOR EACH STATEMENT EXECUTE FUNCTION guard()")
            }
            let engine = try await fixture.engine(try await fixture.plan("people"))
            #expect(try await engine.rehearse(["1"]).flatMap(\.refusals).isEmpty)
            #expect(try await engine.rehearse(["2"]).flatMap(\.refusals).count == 1)
            #expect(try await engine.erase(["1"]).map(\.word) == ["done"])
            #expect(try await engine.erase(["3"], options: ErasureOptions(largeAccount: 1)).map(\.word) == ["done"])
            let refused = try await engine.erase(["2"]).first?.cause ?? ""
            #expect(refused.contains("keep of public.files"), "\(refused)")
            #expect(try await fixture.rows("SELECT id FROM people") == ["2"])
        }
    }
}
