// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("The check of a plan against everything that a database does to changed rows")
struct CatalogCheckTests {
    private static let people = "CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL UNIQUE);"

    // MARK: Conflict clauses

    private static let conflicts: [(action: String, rule: ColumnRule, code: String?)] = [
        ("REPLACE", .constant("gone"), "conflict.replace"), ("IGNORE", .constant("gone"), "conflict.ignore"),
        ("REPLACE", .keyedHash, nil), ("IGNORE", .null, nil), ("ABORT", .constant("gone"), nil),
        ("FAIL", .constant("gone"), nil),
    ]

    @Test(
        "SQL-01 SQL-27 a constant in a key with ON CONFLICT REPLACE or IGNORE is an error; a hash and null are not",
        arguments: conflicts)
    func conflict(_ action: String, _ rule: ColumnRule, _ code: String?) async throws {
        let script =
            Self.people + """
                CREATE TABLE customers (id integer PRIMARY KEY, person integer REFERENCES people (id) ON DELETE SET NULL,
                  shop text NOT NULL, code text, UNIQUE (shop, code) ON CONFLICT \(action));
                CREATE INDEX by_person ON customers (person);
                INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
                INSERT INTO customers VALUES (1, 1, 'north', 'a'), (2, 2, 'north', 'gone');
                """
        try await EngineFixture.with(.sqlite, script) { fixture in
            let plan = try await fixture.plan { $0.set("customers", .anonymise, ["person": .null, "code": rule]) }
            let found = try await fixture.findings(of: plan).filter { $0.code.rawValue.hasPrefix("conflict.") }
            #expect(found.map(\.code.rawValue) == [code].compactMap(\.self), "\(found)")
            guard code != nil else { return }
            #expect(found.allSatisfy { $0.severity == .error && $0.column == "code" && $0.table?.name == "customers" })
            let error = await #expect(throws: FarewellError.self) { _ = try await fixture.engine(plan) }
            #expect(error?.code == "plan.unaccounted")
            #expect(try await fixture.count("customers") == 2)
        }
    }

    // MARK: Keys

    @Test("SQL-06 a key to a dropped table is an error, unless the plan calls the column not personal")
    func dangling() async throws {
        let script =
            Self.people
            + "CREATE TABLE notes (id integer PRIMARY KEY, person integer REFERENCES people__old (id), body text);"
            + "CREATE INDEX by_person ON notes (person);"
        try await EngineFixture.with(.sqlite, script) { fixture in
            var plan = try await fixture.plan()
            let error = try #require(try await fixture.findings(of: plan).only("key.dangling"))
            #expect(error.severity == .error && error.table?.name == "notes" && error.column == "person")
            #expect(error.message.contains("people__old"))
            plan.at("notes") { entry in
                for place in entry.columns.indices where entry.columns[place].name == "person" {
                    entry.columns[place].rule = .notPersonal
                }
            }
            #expect(try await fixture.findings(of: plan).only("key.dangling") == nil)
            // With a link of its own the rows would be changed, which SQLite refuses.
            plan.set("notes", .erase)
            plan.link("notes", Link(columns: ["person"], target: plan.name("people"), targetColumns: ["id"]))
            #expect(try await fixture.findings(of: plan).only("key.dangling")?.severity == .error)
        }
    }

    @Test("SQL-06 a foreign key to columns without a key is an error, since SQLite refuses changes of both tables")
    func mismatched() async throws {
        let script =
            "CREATE TABLE people (id integer PRIMARY KEY, email text);"
            + "CREATE TABLE notes (id integer PRIMARY KEY, person text REFERENCES people (email) ON DELETE CASCADE);"
            + "CREATE INDEX by_person ON notes (person);"
        try await EngineFixture.with(.sqlite, script) { fixture in
            let plan = try await fixture.plan()
            #expect(try await fixture.findings(of: plan).only("key.dangling")?.severity == .error)
            try await fixture.run("CREATE UNIQUE INDEX by_email ON people (email)")
            #expect(try await fixture.findings(of: plan).only("key.dangling") == nil)
        }
    }

    @Test("SQL-07 a link to a column that is not unique is an error", arguments: SQLDialect.allCases)
    func sharedTarget(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text NOT NULL UNIQUE, legacy text NOT NULL DEFAULT '');
            CREATE TABLE orders (id integer PRIMARY KEY, customer text NOT NULL);
            CREATE INDEX by_customer ON orders (customer);
            CREATE TABLE addresses (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
            CREATE INDEX by_person ON addresses (person);
            CREATE TABLE calls (id integer PRIMARY KEY, person integer NOT NULL);
            CREATE INDEX calls_by_person ON calls (person);
            """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan { plan in
                plan.set("orders", .erase)
                plan.link("orders", Link(columns: ["customer"], target: plan.name("people"), targetColumns: ["legacy"]))
                // A column that holds the subject's own key may well be there several times.
                plan.set("calls", .erase)
                plan.link("calls", Link(columns: ["person"], target: plan.name("addresses"), targetColumns: ["person"]))
            }
            let findings = try await fixture.findings(of: plan)
            let error = try #require(findings.only("link.shared-target"), "\(findings)")
            #expect(error.severity == .error && error.table?.name == "orders" && error.column == "customer")
            #expect(error.message.contains("legacy"))
            try await fixture.run("CREATE UNIQUE INDEX by_legacy ON people (legacy)")
            #expect(try await fixture.findings(of: plan).only("link.shared-target") == nil)
        }
    }

    @Test(
        "SQL-26 a composite key with one half that names the subject is an error until that half is a link",
        arguments: SQLDialect.allCases)
    func halfKey(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, tenant integer NOT NULL, email text UNIQUE, UNIQUE (tenant, id));
            CREATE TABLE notes (id integer PRIMARY KEY, tenant integer, person integer, body text NOT NULL,
              FOREIGN KEY (tenant, person) REFERENCES people (tenant, id) ON DELETE CASCADE);
            CREATE INDEX by_both ON notes (tenant, person); CREATE INDEX by_person ON notes (person);
            CREATE TABLE whole (id integer PRIMARY KEY, tenant integer NOT NULL, person integer, body text NOT NULL,
              FOREIGN KEY (tenant, person) REFERENCES people (tenant, id) ON DELETE CASCADE);
            CREATE INDEX by_whole ON whole (tenant, person);
            INSERT INTO people VALUES (1, 1, 'one@example.org'), (2, 1, 'two@example.org');
            INSERT INTO notes VALUES (1, 1, 1, 'whole'), (2, NULL, 1, 'half'), (3, 1, 2, 'of two');
            """
        try await EngineFixture.with(dialect, script) { fixture in
            var plan = try await fixture.plan()
            let asked = try #require(plan.questions.first { $0.columns == ["person"] })
            #expect(asked.table.name == "notes" && asked.answers == [.owner, .reference, .unrelated])
            let place = try #require(plan.questions.firstIndex(of: asked))
            plan.at("notes") { $0.links.removeAll { $0.columns == ["person"] } }
            plan.questions[place].answer = .unrelated
            #expect(try await fixture.findings(of: plan).only("link.half-key") == nil, "the author said that it leads to no user")
            plan.questions = []
            let error = try #require(try await fixture.findings(of: plan).only("link.half-key"))
            #expect(error.severity == .error && error.table?.name == "notes" && error.column == "person")
            #expect(error.remedy?.contains("{from: [person], to: [\(fixture.name("people")).id]}") == true)
            plan.at("notes") { entry in
                let people = entry.links[0].target
                entry.links.append(Link(columns: ["person"], target: people, targetColumns: ["id"], shared: .erase))
            }
            #expect(try await fixture.findings(of: plan).only("link.half-key") == nil)
            let outcome = try #require(try await fixture.engine(plan).erase(["1"]).first)
            #expect(outcome.word == "done", "\(outcome)")
            #expect(try await fixture.rows("SELECT id FROM notes") == ["3"])
        }
    }

    @Test(
        "SQL-26 half of a key to a membership that names the subject itself is a warning",
        arguments: SQLDialect.allCases)
    func halfMembership(_ dialect: SQLDialect) async throws {
        let script =
            Self.people + """
                CREATE TABLE members (org integer NOT NULL, person integer NOT NULL REFERENCES people (id) ON DELETE CASCADE,
                  PRIMARY KEY (org, person));
                CREATE TABLE tasks (id integer PRIMARY KEY, org integer, assignee integer, title text,
                  FOREIGN KEY (org, assignee) REFERENCES members (org, person) ON DELETE SET NULL);
                CREATE INDEX members_person ON members (person); CREATE INDEX tasks_both ON tasks (org, assignee);
                """
        try await EngineFixture.with(dialect, script) { fixture in
            var plan = try await fixture.plan()
            plan.questions = []
            plan.at("tasks") { $0.links.removeAll { $0.columns == ["assignee"] } }
            let error = try #require(try await fixture.findings(of: plan).only("link.half-key"))
            #expect(error.severity == .warning && error.table?.name == "tasks" && error.column == "assignee")
            #expect(error.remedy?.contains("{from: [assignee], to: [\(fixture.name("people")).id]") == true, "\(error)")
            plan.link(
                "tasks", Link(columns: ["assignee"], target: fixture.name("people"), targetColumns: ["id"], role: .reference))
            #expect(try await fixture.findings(of: plan).only("link.half-key") == nil)
        }
    }

    @Test("SQL-26 MATCH FULL has no halves, and a column list of SET NULL leaves the other column")
    func columnLists() async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, tenant integer NOT NULL, email text UNIQUE, UNIQUE (tenant, id));
            CREATE TABLE notes (id integer PRIMARY KEY, tenant integer, person integer,
              FOREIGN KEY (tenant, person) REFERENCES people (tenant, id) MATCH FULL ON DELETE CASCADE);
            CREATE INDEX ON notes (tenant, person);
            CREATE TABLE papers (id integer PRIMARY KEY, tenant integer NOT NULL, person integer,
              FOREIGN KEY (tenant, person) REFERENCES people (tenant, id) ON DELETE SET NULL (person));
            CREATE INDEX ON papers (tenant, person);
            INSERT INTO people VALUES (1, 1, 'one@example.org'); INSERT INTO papers VALUES (1, 1, 1);
            """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan { $0.set("papers", .anonymise, [:]) }
            let findings = try await fixture.findings(of: plan)
            #expect(findings.filter { $0.severity == .error } == [])
            let outcome = try #require(try await fixture.engine(plan).erase(["1"]).first)
            #expect(outcome.word == "done", "\(outcome)")
            #expect(try await fixture.rows("SELECT * FROM papers") == ["1 1 -"])
        }
    }

    // MARK: Emptied columns

    @Test("SQL-14 a generated column cannot be unlinked")
    func generated() async throws {
        let script =
            Self.people + """
                CREATE TABLE messages (id integer PRIMARY KEY, payload jsonb NOT NULL,
                  sender integer GENERATED ALWAYS AS ((payload ->> 's')::integer) STORED REFERENCES people (id),
                  receiver integer GENERATED ALWAYS AS ((payload ->> 'r')::integer) STORED REFERENCES people (id));
                CREATE INDEX ON messages (sender); CREATE INDEX ON messages (receiver);
                """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan { $0.share("messages", "receiver", .unlink) }
            let error = try #require(try await fixture.findings(of: plan).only("link.unlink-generated"))
            #expect(error.severity == .error && error.column == "receiver" && error.table?.name == "messages")
            #expect(try await fixture.findings(of: try await fixture.plan()).only("link.unlink-generated") == nil)
        }
    }

    @Test(
        "SQL-21 a check constraint that refuses null is reported before a run: as certain where it has no other condition",
        arguments: SQLDialect.allCases)
    func checks(_ dialect: SQLDialect) async throws {
        let script =
            Self.people + """
                CREATE TABLE logs (id integer PRIMARY KEY, person integer REFERENCES people (id) ON DELETE SET NULL,
                  other integer, note text CONSTRAINT noted CHECK (note IS NOT NULL), size integer CHECK (size > 0),
                  kind text NOT NULL DEFAULT 'x', CONSTRAINT one_of_two CHECK (person IS NOT NULL OR other IS NOT NULL),
                  CONSTRAINT kinds CHECK (kind <> 'person' OR person IS NOT NULL));
                CREATE INDEX by_person ON logs (person);
                """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan {
                $0.set("logs", .anonymise, ["person": .null, "note": .null, "size": .null])
            }
            let findings = try await fixture.findings(of: plan).filter { $0.code == "check.refuses-null" }
            func severities(_ name: String) -> Set<Finding.Severity> {
                Set(findings.filter { $0.message.contains("“\(name)”") }.map(\.severity))
            }
            #expect(severities("noted") == [.error], "\(findings)")
            #expect(severities("one_of_two") == [.warning], "\(findings)")
            #expect(severities("kinds") == [.warning], "\(findings)")
            #expect(findings.allSatisfy { $0.column != "size" }, "\(findings)")
        }
    }

    @Test("SQL-21 a domain that refuses null is named before a run")
    func domains() async throws {
        let script =
            "CREATE DOMAIN filled AS text CHECK (VALUE IS NOT NULL); CREATE DOMAIN short AS text CHECK (length(VALUE) < 9);"
            + Self.people + """
                CREATE TABLE notes (id integer PRIMARY KEY, person integer REFERENCES people (id) ON DELETE SET NULL,
                  body filled, title short);
                CREATE INDEX ON notes (person);
                """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan { $0.set("notes", .anonymise, ["person": .null, "body": .null, "title": .null]) }
            let found = try await fixture.findings(of: plan).filter { $0.code == "check.refuses-null" }
            #expect(found.map(\.column) == ["body"] && found.allSatisfy { $0.severity == .error }, "\(found)")
        }
    }

    @Test("SQL-22 a constant in an exclusion constraint is reported as in a unique column")
    func exclusion() async throws {
        let script =
            "CREATE EXTENSION btree_gist;" + Self.people + """
                CREATE TABLE bookings (id integer PRIMARY KEY, person integer REFERENCES people (id) ON DELETE SET NULL,
                  guest text NOT NULL, during daterange NOT NULL, EXCLUDE USING gist (guest WITH =, during WITH &&));
                CREATE INDEX ON bookings (person);
                CREATE TABLE handles (id integer PRIMARY KEY, person integer REFERENCES people (id) ON DELETE SET NULL,
                  handle text, EXCLUDE USING btree (handle WITH =));
                CREATE INDEX ON handles (person);
                """
        try await EngineFixture.with(.postgresql, script) { fixture in
            func excluded(_ rule: ColumnRule) async throws -> [Finding] {
                let plan = try await fixture.plan {
                    $0.set("bookings", .anonymise, ["person": .null, "guest": rule])
                    $0.set("handles", .anonymise, ["person": .null, "handle": rule])
                }
                return try await fixture.findings(of: plan).filter { $0.code == "column.excluded" }
            }
            let constant = try await excluded(.constant("gone"))
            #expect(constant.map(\.column) == ["handle", "guest"] && constant.map(\.severity) == [.error, .warning])
            #expect(constant.first?.message.contains("handles_handle_excl") == true)
            #expect(try await excluded(.keyedHash) == [])
        }
    }

    @Test("SQL-23 a default or a constant that is not an existing key is an error", arguments: SQLDialect.allCases)
    func defaults(_ dialect: SQLDialect) async throws {
        let script =
            Self.people + """
                CREATE TABLE articles (id integer PRIMARY KEY,
                  author integer NOT NULL DEFAULT 0 REFERENCES people (id) ON DELETE SET DEFAULT, title text NOT NULL);
                CREATE INDEX by_author ON articles (author);
                INSERT INTO people VALUES (1, 'one@example.org'); INSERT INTO articles VALUES (1, 1, 'by one');
                """
        try await EngineFixture.with(dialect, script) { fixture in
            let plan = try await fixture.plan()
            let codes = Set(try await fixture.findings(of: plan).filter { $0.severity == .error }.map(\.code.rawValue))
            #expect(codes.contains("key.default-leads-nowhere") || codes.contains("link.set-unknown"), "\(codes)")
            try await fixture.run("INSERT INTO people VALUES (0, 'nobody@example.org')")
            #expect(try await fixture.findings(of: plan).filter { $0.severity == .error } == [])
            let outcome = try #require(try await fixture.engine(plan).erase(["1"]).first)
            #expect(outcome.word == "done", "\(outcome)")
            #expect(try await fixture.rows("SELECT author FROM articles") == ["0"])
        }
    }

    @Test("SQL-23 SET DEFAULT without a default on a column that may not be null is an error", arguments: SQLDialect.allCases)
    func noDefault(_ dialect: SQLDialect) async throws {
        let script =
            Self.people + """
                CREATE TABLE articles (id integer PRIMARY KEY,
                  author integer NOT NULL REFERENCES people (id) ON DELETE SET DEFAULT);
                CREATE INDEX by_author ON articles (author);
                """
        try await EngineFixture.with(dialect, script) { fixture in
            let named = try await fixture.findings(of: try await fixture.plan { $0.set("articles", .anonymise, [:]) })
            #expect(
                named.contains { $0.code == "link.reference-not-null" && $0.severity == .error && $0.column == "author" },
                "\(named)")
            let unnamed = try await fixture.findings(of: try await fixture.plan { $0.set("articles", .notPersonal) })
            #expect(
                unnamed.contains { $0.code == "key.blocks" && $0.severity == .error && $0.column == "author" },
                "\(unnamed)")
        }
    }

    @Test("SQL-28 the finding about a key that empties a column of a unique index with equal nulls names the index")
    func nullsNotDistinct() async throws {
        let script =
            Self.people + """
                CREATE TABLE reviews (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE SET NULL,
                  editor integer REFERENCES people (id) ON DELETE SET NULL, item text NOT NULL,
                  CONSTRAINT once UNIQUE NULLS NOT DISTINCT (author, item), CONSTRAINT apart UNIQUE (editor, item));
                CREATE INDEX ON reviews (author); CREATE INDEX ON reviews (editor);
                CREATE TABLE badges (id integer PRIMARY KEY,
                  holder integer UNIQUE NULLS NOT DISTINCT REFERENCES people (id) ON DELETE SET NULL);
                """
        try await EngineFixture.with(.postgresql, script) { fixture in
            let plan = try await fixture.plan {
                $0.set("reviews", .anonymise, [:])
                $0.set("badges", .anonymise, [:])
            }
            let found = try await fixture.findings(of: plan).filter { $0.code == "key.null-not-unique" }
            #expect(found.map(\.column) == ["holder", "author"] && found.map(\.severity) == [.error, .warning], "\(found)")
            #expect(found.last?.message.contains("once") == true && found.last?.message.contains("item") == true)
        }
    }

    @Test(
        "SQL-14 SQL-24 SQL-28 null in a column from which a unique key is computed is reported before the second erasure",
        arguments: SQLDialect.allCases)
    func computedNulls(dialect: SQLDialect) async throws {
        let table = { (name: String, more: String) in
            """
            CREATE TABLE \(name) (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE SET NULL, slot integer
              NOT NULL\(more)); CREATE INDEX \(name)_author ON \(name) (author);
            """
        }
        let generated = "k text GENERATED ALWAYS AS (coalesce(author, 0) || '-' || slot) STORED"
        let label = "label text GENERATED ALWAYS AS ('u' || author) STORED NOT NULL"
        var script =
            Self.people + table("made", ", \(generated) UNIQUE") + table("lowered", ", \(generated)")
            + table("named", ", \(label)") + table("partial", "") + table("expression", "") + table("apart", "") + table("left_out", "")
            + table("alone", "")
                + """
                CREATE UNIQUE INDEX partial_key ON partial (slot) WHERE author IS NULL;
                CREATE UNIQUE INDEX expression_key ON expression (coalesce(author, 0), slot);
                CREATE UNIQUE INDEX apart_key ON apart (author, slot) WHERE author IS NULL;
                CREATE UNIQUE INDEX left_out_key ON left_out (slot) WHERE author IS NOT NULL;
                CREATE UNIQUE INDEX alone_key ON alone (id, coalesce(author, 0));
                CREATE UNIQUE INDEX lowered_key ON lowered (lower(k));
                """
        var expected: Set<String> = ["partial", "expression", "made", "lowered"]
        if dialect == .postgresql {
            script += table("booked", ", EXCLUDE (slot WITH =) WHERE (author IS NULL)")
            script += table("free", ", EXCLUDE (author WITH =, slot WITH =)")
            expected.insert("booked")
        }
        try await EngineFixture.with(dialect, script) { fixture in
            let tables = ["made", "lowered", "named", "partial", "expression", "apart", "left_out", "alone"]
            let more = dialect == .postgresql ? ["booked", "free"] : []
            let plan = try await fixture.plan { plan in
                for name in tables + more { plan.set(name, .anonymise, [:]) }
            }
            let found = try await fixture.findings(of: plan)
            let seen = found.filter { $0.code == "key.null-not-unique" }
            #expect(Set(seen.compactMap { $0.table?.name }) == expected, "\(seen)")
            #expect(seen.allSatisfy { $0.severity == .warning && $0.column == "author" }, "\(seen)")
            let unmade = found.filter { $0.code == "key.null-generated" }
            #expect(unmade.compactMap { $0.table?.name } == ["named"], "\(unmade)")
        }
    }
}
