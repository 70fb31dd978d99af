// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Links by values that are equal however they are written")
struct EqualSpellingTests {
    /// - Parameter loose: A type of which differently written values are equal.
    private static func script(_ dialect: SQLDialect, _ loose: String) -> String {
        let place = loose == "citext" ? "public" : "ext"
        let types = "CREATE SCHEMA ext; CREATE EXTENSION citext SCHEMA \(place); CREATE DOMAIN mail AS \(place).citext;"
        return (dialect == .postgresql ? types : "") + """
            CREATE TABLE people (id integer PRIMARY KEY, email \(loose) NOT NULL UNIQUE, code text UNIQUE);
            CREATE TABLE invites (id integer PRIMARY KEY, user_email text);
            CREATE TABLE posts (id integer PRIMARY KEY,
                author_email \(loose) NOT NULL REFERENCES people (email) ON DELETE CASCADE ON UPDATE CASCADE);
            CREATE TABLE comments (id integer PRIMARY KEY, post integer NOT NULL REFERENCES posts ON DELETE CASCADE,
                by_email \(loose) REFERENCES people (email) ON DELETE SET NULL);
            CREATE TABLE marks (id integer PRIMARY KEY, code \(loose) NOT NULL REFERENCES people (code) ON DELETE CASCADE);
            CREATE TABLE teams (org integer, name \(loose), owner_id integer NOT NULL REFERENCES people ON DELETE CASCADE,
                PRIMARY KEY (org, name));
            CREATE TABLE members (id integer PRIMARY KEY, org integer NOT NULL, team \(loose) NOT NULL,
                FOREIGN KEY (org, team) REFERENCES teams ON DELETE CASCADE);
            INSERT INTO people VALUES (1, 'Ann@example.org', 'ann'), (2, 'bob@example.org', 'ANN');
            INSERT INTO invites VALUES (1, 'ANN@Example.org'), (2, 'BOB@example.org');
            INSERT INTO posts VALUES (1, 'ann@example.ORG'), (2, 'BOB@example.org');
            INSERT INTO comments VALUES (1, 1, 'bob@example.org'), (2, 2, 'aNN@example.org'), (3, 2, 'bob@example.org');
            INSERT INTO marks VALUES (1, 'ann'), (2, 'ANN');
            INSERT INTO teams VALUES (1, 'Core', 1), (1, 'Ext', 2);
            INSERT INTO members VALUES (1, 1, 'CORE'), (2, 1, 'ext');
            """
    }

    @Test(
        "PL-1 PL-3 PL-6 links through citext and NOCASE find only the values that the database calls equal",
        arguments: [
            (SQLDialect.sqlite, "text COLLATE NOCASE"), (SQLDialect.postgresql, "citext"),
            // Where the session's `search_path` does not lead.
            (SQLDialect.postgresql, "ext.citext"), (SQLDialect.postgresql, "mail"),
        ])
    func equal(_ dialect: SQLDialect, _ loose: String) async throws {
        for options in [ErasureOptions(), ErasureOptions(largeAccount: 1, residue: .leave)] {
            try await EngineFixture.with(dialect, Self.script(dialect, loose)) { house in
                let schema = try await Schema.read(from: house.database)
                let draft = try PlanDerivation.draft(from: schema, subject: ColumnName(house.name("people"), "id")).plan
                #expect(draft.questions.contains { $0.columns == ["user_email"] && $0.answers.contains(.owner) })
                let plan = try await house.plan()
                let errors = PlanCheck.findings(plan, schema).filter { $0.severity == .error }
                #expect(errors.isEmpty, "\(errors)")
                let outcome = try await house.engine(plan).erase(["1"], options: options)
                let receipt = try #require(outcome.first?.receipt, "\(outcome)")
                #expect(receipt.erased.values.reduce(0, +) == 7, "\(receipt.erased)")
                for (table, rows) in [
                    ("people", ["2 bob@example.org ANN"]), ("invites", ["2 BOB@example.org"]),
                    ("posts", ["2 BOB@example.org"]), ("marks", ["2 ANN"]), ("members", ["2 1 ext"]),
                ] {
                    #expect(try await house.rows("SELECT * FROM \(table) ORDER BY 1") == rows, "\(table)")
                }
                #expect(try await house.rows("SELECT id FROM comments WHERE by_email IS NULL") == ["2"])
                #expect(try await house.rows("SELECT id FROM comments ORDER BY id") == ["2", "3"])
                #expect(try await house.rows("SELECT name FROM teams") == ["Ext"])
            }
        }
    }

    @Test("PL-1 a comparison is requested only for PostgreSQL types that have it, in the schema that defines it")
    func comparisons() {
        func column(_ type: String, _ kind: SchemaColumn.Kind = .text, _ loose: String? = nil) -> SchemaColumn {
            SchemaColumn(name: "c", type: type, kind: kind, looseEquality: loose)
        }
        let cases: [(SchemaColumn?, SchemaColumn, KeyEquality)] = [
            (column("citext", .text, "citext"), column("citext", .text, "citext"), .own),
            (column("ext.citext", .text, "citext"), column("ext.citext", .text, "citext"), .lowered),
            (column("mail", .text, "citext"), column("citext", .text, "citext"), .lowered),
            (column("text"), column("citext", .text, "citext"), .lowered),
            (column("citext", .text, "citext"), column("text"), .exact),
            (column("text"), column("text", .text, "loose"), .collated("\"loose\"")),
            (nil, column("text", .text, "loose"), .collated("\"loose\"")),
            // Numbers and UUIDs have no collation.
            (column("bigint", .integer), column("text", .text, "loose"), .own),
            (column("uuid", .uuid), column("text", .text, "loose"), .own),
        ]
        for (number, (column, key, expected)) in cases.enumerated() {
            #expect(SQLDialect.postgresql.equality(of: column, with: key) == expected, "case \(number)")
        }
    }
}
