// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
@testable import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The check of a plan against a live database")
struct LiveCheckTests {
    private static let posts = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id), data {json});
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO posts VALUES (10, 1, '{"who": 1}'), (20, 2, '{"who": 2}'), (21, 2, NULL);
        """

    /// The findings of one kind, by the first word of their code.
    private func findings(_ kind: String, _ plan: Plan, on database: any SQLDatabase) async throws -> [Finding] {
        let schema = try await Schema.read(from: database)
        return PlanCheck.findings(plan, schema).filter { $0.code.rawValue.hasPrefix(kind + ".") }
    }

    @Test(
        "a constant that the database would refuse is found before any erasure",
        arguments: [
            ("rating", "99999", ["column.constant-unfit"]), ("rating", "9", ["column.constant-refused"]), ("rating", "3", []),
            ("day", "2020-02-31", ["column.constant-unfit"]), ("day", "2020-02-29", []),
            ("price", "123456", ["column.constant-unfit"]), ("price", "1.50", []),
            ("code", "ab", ["column.constant-unfit"]), ("code", "abc", []),
            ("note", "", ["column.constant-refused"]), ("note", "gone", []),
            ("words", "'", ["column.constant-unfit"]), ("words", "gone", []), ("rank", "7", []),
        ])
    func constants(_ column: String, _ constant: String, _ expected: [String]) async throws {
        let script = """
            CREATE DOMAIN codes AS text CHECK (length(VALUE) = 3);
            CREATE TABLE people (id integer PRIMARY KEY);
            CREATE TABLE reviews (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE SET NULL,
                rating smallint CHECK (rating BETWEEN 1 AND 5), day date, price numeric(5, 2), code codes,
                note text CONSTRAINT said CHECK (note <> '' AND note IS NOT NULL), kept boolean,
                words tsvector, rank integer, CHECK (kept OR length(note) > 2));
            CREATE FUNCTION fits(reviews) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT true $$;
            ALTER TABLE reviews ADD CONSTRAINT whole CHECK (rank > 0 AND fits(reviews.*));
            CREATE INDEX ON reviews (author);
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan { $0.set("reviews", .anonymise, [column: .constant(constant)]) }
            let found = try await fixture.findings(of: plan).filter { $0.column == column }
            #expect(found.map(\.code.rawValue) == expected, "\(found)")
            guard !expected.isEmpty else { return _ = try await fixture.engine(plan) }
            await #expect(throws: FarewellError.self) { try await fixture.engine(plan) }
        }
    }

    @Test(
        "a hash that the database would refuse is found before any erasure",
        arguments: [
            ("code", ["column.hash-unfit"]), ("note", ["column.hash-refused"]), ("page", ["column.hash-unfit"]),
            ("leaf", ["column.hash-unfit"]), ("short", []), ("token", []), ("free", []),
        ])
    func hashes(_ column: String, _ expected: [String]) async throws {
        let script = """
            CREATE DOMAIN codes AS text CHECK (length(VALUE) = 3);
            CREATE DOMAIN pages AS xml;
            CREATE DOMAIN leaves AS pages;
            CREATE TABLE people (id integer PRIMARY KEY);
            CREATE TABLE reviews (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE SET NULL,
                code codes, note text CHECK (note ~ '^[A-Z]+$'), page xml, leaf leaves,
                short varchar(20) CHECK (length(short) <= 20), token uuid, free text);
            CREATE INDEX ON reviews (author);
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan { $0.set("reviews", .anonymise, [column: .keyedHash]) }
            let found = try await fixture.findings(of: plan).filter { $0.column == column }
            #expect(found.map(\.code.rawValue) == expected, "\(found)")
        }
    }

    @Test(
        "a constant or a hash that a SQLite check would refuse is found before any erasure",
        arguments: [
            ("rating", .constant("9"), ["column.constant-refused"]), ("rating", .constant("3"), []),
            ("note", .constant(""), ["column.constant-refused"]), ("note", .constant("gone"), []),
            ("note", .keyedHash, ["column.hash-refused"]), ("name", .keyedHash, []),
            ("code", .constant("7"), []), ("code", .constant("8"), ["column.constant-refused"]),
            ("grade", .constant("A"), []), ("other", .constant("x"), []), ("kept", .constant("x"), []),
        ] as [(String, ColumnRule, [String])])
    func checksOfSQLite(_ column: String, _ rule: ColumnRule, _ expected: [String]) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY);
            CREATE TABLE reviews (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE SET NULL,
                rating integer CHECK (rating BETWEEN 1 AND 5), "note" text CONSTRAINT said CHECK ("note" <> '' AND length(note) < 9),
                name varchar(20) CHECK (length(name) = 20), code numeric /* CHECK (0) */ CHECK (typeof(code) <> 'text' AND code = '7'),
                grade text COLLATE NOCASE CHECK (grade IN ('a')), other text, kept text,
                CHECK ("other" = 'y' OR kept = 'y'), CHECK (reviews.rating IS NULL OR rating > 0));
            CREATE INDEX by_author ON reviews (author);
            """
        try await EngineFixture.with(.sqlite, script) { fixture in
            let plan = try await fixture.plan { $0.set("reviews", .anonymise, [column: rule]) }
            let found = try await fixture.findings(of: plan).filter { $0.column == column }
            #expect(found.map(\.code.rawValue) == expected, "\(found)")
        }
    }

    @Test(
        "a constant that gives all rows the same value in a unique index's expression is found, unless the expression is then null",
        arguments: [
            ("email", "gone", ["column.constant-not-unique"]), ("nick", "gone", []), ("nick", "x", ["column.constant-not-unique"]),
            ("name", "gone", []), ("note", "gone", []), ("tag", "gone", ["column.constant-not-unique"]),
            ("word", "gone", ["column.constant-not-unique"]), ("word", "kept", []), ("line", "gone", []),
        ])
    func keysOfExpressions(_ column: String, _ constant: String, _ expected: [String]) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY);
            CREATE TABLE reviews (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE SET NULL,
                email text, nick text, name text, note text, tag text, word text, line text);
            CREATE INDEX by_author ON reviews (author);
            CREATE UNIQUE INDEX by_tag ON reviews (lower(tag) DESC);
            CREATE UNIQUE INDEX by_word ON reviews (lower(word)) WHERE word <> 'kept';
            CREATE UNIQUE INDEX by_line ON reviews (lower(line)) WHERE note = 'gone';
            CREATE UNIQUE INDEX by_email ON reviews (lower(email));
            CREATE UNIQUE INDEX by_nick ON reviews (nullif(nick, 'gone'));
            CREATE UNIQUE INDEX by_name ON reviews (author, lower(name));
            CREATE INDEX by_note ON reviews (lower(note));
            """
        for dialect in SQLDialect.allCases {
            try await EngineFixture.with(dialect, script) { fixture in
                let plan = try await fixture.plan { $0.set("reviews", .anonymise, [column: .constant(constant)]) }
                let found = try await fixture.findings(of: plan).filter { $0.column == column }
                #expect(found.map(\.code.rawValue) == expected, "\(dialect): \(found)")
            }
        }
    }

    @Test(
        "null in a PostgreSQL key that treats nulls as equal is found before any erasure, as a constant is",
        arguments: [
            (["nick": .null], ["column.null-not-unique"]), (["nick": .keyedHash], []), (["name": .null], []),
            (["note": .constant("gone"), "kind": .null], ["column.constant-not-unique"]),
            (["mail": .constant("gone"), "kind": .null], []),
        ] as [([String: ColumnRule], [String])])
    func equalNulls(_ rules: [String: ColumnRule], _ expected: [String]) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY);
            CREATE TABLE reviews (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE SET NULL,
                nick text UNIQUE NULLS NOT DISTINCT, name text UNIQUE, note text, mail text, kind text);
            CREATE INDEX by_author ON reviews (author);
            CREATE UNIQUE INDEX by_note ON reviews (lower(note), kind) NULLS NOT DISTINCT;
            CREATE UNIQUE INDEX by_mail ON reviews (lower(mail), kind);
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan { $0.set("reviews", .anonymise, rules) }
            let found = try await fixture.findings(of: plan)
            #expect(found.map(\.code.rawValue).filter { $0.hasSuffix("-not-unique") } == expected, "\(found)")
            guard !expected.isEmpty else { return }
            await #expect(throws: FarewellError.self) { try await fixture.engine(plan) }
        }
    }

    @Test("PL-9 a key into one partition is followed only there, unless its target is unique in the whole table")
    func partitions() async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE parts (id integer, kind integer, owner integer NOT NULL REFERENCES people (id),
                UNIQUE (id, kind)) PARTITION BY LIST (kind);
            CREATE TABLE parts_1 PARTITION OF parts FOR VALUES IN (1);
            CREATE TABLE parts_2 PARTITION OF parts FOR VALUES IN (2);
            ALTER TABLE parts_1 ADD UNIQUE (id);
            CREATE TABLE whole (id integer PRIMARY KEY, part integer, kind integer,
                FOREIGN KEY (part, kind) REFERENCES parts_1 (id, kind));
            CREATE TABLE notes (id integer PRIMARY KEY, part integer REFERENCES parts_1 (id));
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan()
            let found = try await findings("key", plan, on: fixture.database).filter { $0.code == "key.into-partition" }
            #expect(found.map(\.table) == [fixture.name("notes")] && found.first?.column == "part", "\(found)")
            #expect(found.map(\.severity) == [.note])
            _ = try await fixture.engine(plan)
        }
    }

    @Test(
        "SQL-01 SQL-27 a generated column in a key with ON CONFLICT REPLACE or IGNORE is an error, if its source changes",
        arguments: [
            ("REPLACE", ColumnRule.constant("gone"), ["code conflict.replace", "person conflict.replace"]),
            ("IGNORE", .constant("gone"), ["code conflict.ignore", "person conflict.ignore"]),
            ("REPLACE", .keyedHash, ["person conflict.replace"]), ("IGNORE", .null, ["person conflict.ignore"]),
            ("ABORT", .constant("gone"), []),
        ])
    func generatedConflict(_ action: String, _ rule: ColumnRule, _ expected: [String]) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE customers (id integer PRIMARY KEY, person integer REFERENCES people (id) ON DELETE SET NULL,
              code text, slot text AS (coalesce(person, 0) || '/x') STORED, made text AS (lower(code)) STORED,
              UNIQUE (slot) ON CONFLICT \(action), UNIQUE (made) ON CONFLICT \(action));
            CREATE INDEX by_person ON customers (person);
            """
        try await EngineFixture.with(.sqlite, script) { fixture in
            let plan = try await fixture.plan { $0.set("customers", .anonymise, ["person": .null, "code": rule]) }
            let found = try await fixture.findings(of: plan).filter { $0.code.rawValue.hasPrefix("conflict.") }
            #expect(Set(found.map { "\($0.column ?? "") \($0.code.rawValue)" }) == Set(expected), "\(found)")
            #expect(found.allSatisfy { $0.severity == .error })
        }
    }

    @Test("a SQLite table without a key that distinguishes its rows is refused")
    func noIdentity() async throws {
        let tags = "CREATE TABLE tags (person integer REFERENCES people (id), rowid integer, _rowid_ text, oid text);"
        try await EngineFixture.with(.sqlite, Self.posts + tags) { fixture in
            let found = try await findings("table", try await fixture.plan(), on: fixture.database)
            #expect(found.map(\.code) == ["table.no-identity"] && found.map(\.severity) == [.error], "\(found)")
        }
    }

    @Test("only an index on equality saves an erasure from reading the whole table")
    func indexMethods() async throws {
        try await EngineFixture.with(.postgresql, Self.posts) { fixture in
            let plan = try await fixture.plan()
            for (method, isFit) in [("brin", false), ("hash", true), ("btree", true)] {
                try await fixture.run("CREATE INDEX by_author ON posts USING \(method) (author)")
                let found = try await findings("index", plan, on: fixture.database)
                let expected: [Finding.Code] = isFit ? [] : ["index.missing"]
                #expect(found.map(\.code) == expected, "\(method): \(found)")
                try await fixture.run("DROP INDEX by_author")
            }
        }
    }

    @Test(
        "PL-4 an index over an expression counts only for keys that are compared in that form",
        arguments: [
            (SQLDialect.postgresql, "length(author)", false), (.postgresql, "rtrim(author)", false),
            (.postgresql, "rtrim(note, ' ')", false), (.postgresql, "id, rtrim(author, ' ')", false),
            (.postgresql, "author", false), (.postgresql, "rtrim(author, ' '), id", true),
            (.sqlite, "length(author)", false), (.sqlite, "author", false), (.sqlite, "lower(author)", false),
            (.sqlite, "id, author COLLATE NOCASE", false), (.sqlite, "author COLLATE NOCASE DESC", true),
        ])
    func indexForms(_ dialect: SQLDialect, _ parts: String, _ isFit: Bool) async throws {
        let key = dialect == .sqlite ? "text COLLATE NOCASE" : "character(8)"
        let script = """
            CREATE TABLE people (id \(key) PRIMARY KEY NOT NULL, email text);
            CREATE TABLE posts (id integer PRIMARY KEY, author varchar(20) NOT NULL, note text);
            CREATE INDEX of_posts ON posts (\(parts));
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                let people = plan.name("people")
                plan.set("posts", .erase)
                plan.at("posts") { entry in
                    entry.links = [Link(columns: ["author"], target: people, targetColumns: ["id"], role: .owner)]
                }
            }
            let found = try await findings("index", plan, on: fixture.database)
            #expect(found.map(\.code) == (isFit ? [] : ["index.missing"]), "\(found)")
            guard let remedy = found.first?.remedy else { return }
            try await fixture.run(String(remedy.replacing("Add one: ", with: "").dropLast()))
            #expect(try await findings("index", plan, on: fixture.database).isEmpty, "\(remedy)")
        }
    }

    @Test("the remedy for a missing index can be pasted", arguments: SQLDialect.allCases)
    func indexRemedy(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.posts) { fixture in
            let plan = try await fixture.plan()
            let remedy = try #require(try await findings("index", plan, on: fixture.database).first?.remedy)
            try await fixture.run(String(remedy.replacing("Add one: ", with: "").dropLast()))
            #expect(try await findings("index", plan, on: fixture.database).isEmpty, "\(remedy)")
        }
    }

    @Test(
        "a path into JSON has no index; a generated column of the same value has one, and is followed",
        arguments: SQLDialect.allCases)
    func paths(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.posts + "CREATE INDEX by_author ON posts (author);") { fixture in
            func plan(_ column: String, path: [String]) async throws -> Plan {
                try await fixture.plan { plan in
                    let people = plan.name("people")
                    plan.at("posts") { entry in
                        entry.links.append(
                            Link(columns: [column], path: path, target: people, targetColumns: ["id"], shared: .erase))
                    }
                }
            }
            let byPath = try await findings("index", try await plan("data", path: ["who"]), on: fixture.database)
            #expect(byPath.map(\.code) == ["index.none-for-path"] && byPath.allSatisfy { $0.column == "data" }, "\(byPath)")
            let value = dialect == .postgresql ? "(data ->> 'who') STORED" : "(json_extract(data, '$.who')) VIRTUAL"
            try await fixture.run(
                """
                ALTER TABLE posts ADD COLUMN who text GENERATED ALWAYS AS \(value);
                CREATE INDEX by_who ON posts (who);
                """)
            let remedied = try await plan("who", path: [])
            let left = try await findings("index", remedied, on: fixture.database)
            #expect(left.isEmpty, "\(left)")
            let outcome = try #require(try await fixture.engine(remedied).erase(["1"]).first)
            #expect(outcome.word == "done", "\(outcome)")
            #expect(try await fixture.rows("SELECT id FROM posts") == ["20", "21"])
        }
    }

    @Test("a role without the right to use a schema gets an error before any change, and the remedy can be pasted")
    func schemaUsage() async throws {
        let script = """
            CREATE SCHEMA "The Blog";
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE "The Blog".posts (id integer PRIMARY KEY, author integer NOT NULL REFERENCES people (id));
            CREATE INDEX by_author ON "The Blog".posts (author);
            INSERT INTO people VALUES (1, 'one@example.org');
            INSERT INTO "The Blog".posts VALUES (10, 1);
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let role = "no-usage-\(UInt64.random(in: .min ... .max))"
            try await fixture.run(
                """
                CREATE ROLE "\(role)" LOGIN;
                GRANT SELECT, UPDATE, DELETE ON people, "The Blog".posts TO "\(role)";
                """)
            let plan = try await fixture.plan()
            let name = try await fixture.rows("SELECT current_database()")[0]
            let other = try PostgreSQLDatabase(url: try TestPostgreSQL.address(database: name, user: role))
            let found = try await findings("right", plan, on: other)
            #expect(found.map(\.severity) == [.error] && found.first?.table?.name == "posts", "\(found)")
            #expect(await code { _ = try await fixture.engine(plan, on: other) } == "plan.unaccounted")
            let remedy = found.first?.remedy ?? ""
            #expect(remedy.contains(#"GRANT USAGE ON SCHEMA "The Blog" TO "\#(role)""#), "\(remedy)")
            try await fixture.run(String(remedy.replacing("Grant it: ", with: "").dropLast()))
            #expect(try await findings("right", plan, on: other).isEmpty)
            await other.close()
            try await fixture.run("DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\";")
            #expect(try await fixture.rows("SELECT id FROM \"The Blog\".posts") == ["10"])
        }
    }

    @Test("a trigger that keeps the old row by an update is found", arguments: SQLDialect.allCases)
    func updatingTrigger(_ dialect: SQLDialect) async throws {
        try await EngineFixture.with(dialect, Self.posts) { fixture in
            try await fixture.run("CREATE TABLE totals (n integer, last_text text)")
            let update = "UPDATE totals SET n = n + 1, last_text = OLD.data"
            let statements =
                dialect == .sqlite
                ? ["CREATE TRIGGER keep AFTER DELETE ON posts BEGIN \(update); END"]
                : [
                    "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \(update); RETURN NULL; END $$",
                    "CREATE TRIGGER keep AFTER DELETE ON posts FOR EACH ROW EXECUTE FUNCTION keep()",
                ]
            try await fixture.database.withConnection { connection in
                for statement in statements { _ = try await connection.run(SQLStatement(statement)) }
            }
            let found = try await findings("trigger", try await fixture.plan(), on: fixture.database)
            #expect(found.map(\.code) == ["trigger.copies"], "\(found)")
            #expect(found.allSatisfy { $0.table?.name == "posts" && $0.message.contains("totals") }, "\(found)")
        }
    }
}
