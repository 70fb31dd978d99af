// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
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
            let base = type.hasPrefix("character(") ? "bpchar" : type
            return SchemaColumn(name: "c", type: type, kind: kind, looseEquality: loose, baseType: base)
        }
        func collated(_ collation: String, _ type: String = "text") -> SchemaColumn {
            var made = column(type)
            made.collation = collation
            return made
        }
        let (first, second) = ("pg_catalog.\"C\"", "pg_catalog.ucs_basic")
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
            // A padded key may be written elsewhere with or without its spaces.
            (column("text"), column("character(8)"), .unpadded(nil)), (nil, column("character(8)"), .unpadded(nil)),
            (column("character(12)"), column("character(8)"), .own), (column("uuid", .uuid), column("character(8)"), .own),
            (column("character(8)"), column("text"), .own),
            // The column's collation decides, so that its indexes serve.
            (collated(first), collated(first), .own), (collated(first), column("text"), .own),
            (collated(first), collated(second), .keyCollated(first)),
            (column("text"), collated(second), .keyCollated("pg_catalog.\"default\"")),
            (nil, collated(second), .own), (column("uuid", .uuid), collated(second), .own),
            (collated(first), collated(second, "character(8)"), .unpadded(first)),
        ]
        for (number, (column, key, expected)) in cases.enumerated() {
            #expect(SQLDialect.postgresql.equality(of: column, with: key) == expected, "case \(number)")
        }
    }

    @Test("PL-1 PL-3 a padded key is found wherever it is written, with and without its spaces, and no other user's row")
    func padded() async throws {
        let script = """
            CREATE TABLE people (id character(8) PRIMARY KEY, email text);
            CREATE TABLE teams (code character(6) PRIMARY KEY,
                owner_id character(8) NOT NULL REFERENCES people ON DELETE CASCADE);
            CREATE TABLE notes (id integer PRIMARY KEY, user_id text);
            CREATE TABLE wide (id integer PRIMARY KEY, user_id character(12));
            CREATE TABLE bound (id integer PRIMARY KEY, user_id varchar(20) REFERENCES people ON DELETE CASCADE);
            CREATE TABLE docs (id integer PRIMARY KEY, data jsonb);
            CREATE TABLE lists (id integer PRIMARY KEY, user_ids text[]);
            CREATE TABLE members (id integer PRIMARY KEY, team text);
            INSERT INTO people VALUES ('abc', 'one@example.org'), ('abcd', 'two@example.org');
            INSERT INTO teams VALUES ('t1', 'abc'), ('t2', 'abcd');
            INSERT INTO notes VALUES (1, 'abc'), (2, 'abc     '), (3, 'abc '), (4, ' abc'), (5, 'abcd'), (6, 'abcd    ');
            INSERT INTO wide VALUES (1, 'abc'), (2, 'abcd');
            INSERT INTO bound VALUES (1, 'abc     '), (2, 'abcd');
            INSERT INTO docs VALUES (1, '{"by": "abc     "}'), (2, '{"by": "abc"}'), (3, '{"by": "abcd    "}');
            INSERT INTO lists VALUES (1, ARRAY['abc     ', 'abcd']), (2, ARRAY['abcd    ']);
            INSERT INTO members VALUES (1, 't1'), (2, 't1    '), (3, 't2'), (4, 't2    ');
            """
        let large = ErasureOptions(largeAccount: 1, residue: .leave)
        for (options, subjects) in [(ErasureOptions(), ["abc"]), (large, ["abc"]), (ErasureOptions(), ["abc", "abcd"])] {
            try await EngineFixture.with(.postgresql, script) { house in
                let plan = try await house.plan { plan in
                    let draft = plan
                    func owner(_ column: String, _ target: String = "people", _ key: String = "id") -> Link {
                        Link(columns: [column], target: draft.name(target), targetColumns: [key], role: .owner)
                    }
                    var (document, list, bound) = (owner("data"), owner("user_ids"), owner("user_id"))
                    document.path = ["by"]
                    (list.list, list.role) = (.array, .reference)
                    bound.onDelete = .cascade
                    let links = [
                        "notes": owner("user_id"), "wide": owner("user_id"), "bound": bound, "docs": document,
                        "members": owner("team", "teams", "code"),
                    ]
                    for (table, link) in links {
                        plan.at(table) { $0.links = [link] }
                        plan.set(table, .erase)
                    }
                    plan.at("lists") { $0.links = [list] }
                    plan.set("lists", .anonymise)
                }
                let found = try await house.findings(of: plan)
                #expect(found.allSatisfy { $0.severity != .error }, "\(found)")
                let index = found.first { $0.code == "index.missing" && $0.table?.name == "notes" }?.remedy
                #expect(index?.contains("(rtrim(\"user_id\", ' '))") == true, "\(found)")
                // No index over a padded column finds a text.
                let counts = try await house.engine(plan).prepared.programForOne.counts.text
                for compared in [/t\."id" = \$\d+::bpchar/, /t\."owner_id" = \$\d+::bpchar/] {
                    #expect(counts.contains(compared), "\(counts)")
                }
                let outcomes = try await house.engine(plan).erase(subjects, options: options)
                let erased = outcomes.map { $0.receipt?.erased ?? [:] }
                let first = ["people": 1, "teams": 1, "notes": 3, "wide": 1, "bound": 1, "docs": 2, "members": 2]
                let second = first.merging(["notes": 2, "docs": 1]) { $1 }
                #expect(erased == Array([first, second].prefix(subjects.count)), "\(outcomes)")
                guard subjects.count == 1 else { return }
                for (table, kept) in [
                    ("notes", ["4", "5", "6"]), ("wide", ["2"]), ("bound", ["2"]), ("docs", ["3"]), ("members", ["3", "4"]),
                ] {
                    #expect(try await house.rows("SELECT id FROM \(table) ORDER BY id") == kept, "\(table)")
                }
                #expect(try await house.rows("SELECT id, array_to_string(user_ids, '|') FROM lists") == ["1 abcd", "2 abcd    "])
            }
        }
    }
}
