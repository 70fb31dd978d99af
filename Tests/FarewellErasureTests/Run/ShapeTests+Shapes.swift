// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import TestFixtures

extension ShapeTests.Shape {
    static let all = keys + names + kinds + types + ownKeys + conversions

    private static let people = "CREATE TABLE people (id integer PRIMARY KEY, email text);"
    private static let two = "INSERT INTO people VALUES (2, 'two@example.org'), (3, 'three@example.org');"
    private static let one = "INSERT INTO people VALUES (1, 'one@example.org');"

    private static let keys: [Self] = [
        Self(
            testDescription: "a thread of comments that cascades into itself",
            tables: people + """
                CREATE TABLE comments (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE CASCADE,
                    parent integer REFERENCES comments (id) ON DELETE CASCADE);
                CREATE INDEX by_author ON comments (author);
                CREATE INDEX by_parent ON comments (parent);
                """,
            others: two + "INSERT INTO comments VALUES (1, 2, NULL), (2, 3, 1);",
            person: one + """
                INSERT INTO comments VALUES (10, 1, 1);
                INSERT INTO comments VALUES (11, 1, 10);
                INSERT INTO comments VALUES (12, NULL, 11);
                INSERT INTO comments VALUES (13, NULL, 12);
                """),
        Self(
            testDescription: "two tables that restrict each other",
            tables: people + """
                CREATE TABLE teams (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id),
                    lead integer {late});
                CREATE TABLE players (id integer PRIMARY KEY, team integer NOT NULL REFERENCES teams (id) ON DELETE RESTRICT,
                    person integer REFERENCES people (id));
                CREATE INDEX by_owner ON teams (owner);
                CREATE INDEX by_team ON players (team);
                CREATE INDEX by_person ON players (person);
                CREATE INDEX by_lead ON teams (lead);
                """,
            late: ("teams", "lead", "players (id)"),
            others: two
                + "INSERT INTO teams VALUES (1, 2, NULL); INSERT INTO players VALUES (1, 1, 2), (2, 1, 3); UPDATE teams SET lead = 2;",
            person: one + """
                INSERT INTO teams VALUES (5, 1, NULL);
                INSERT INTO players VALUES (5, 5, 1);
                INSERT INTO players VALUES (6, 5, NULL);
                UPDATE teams SET lead = 6 WHERE id = 5;
                """),
        Self(
            testDescription: "a person whose row names a row of theirs",
            tables: """
                CREATE TABLE people (id integer PRIMARY KEY, email text, photo integer {late});
                CREATE TABLE photos (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id));
                CREATE INDEX by_owner ON photos (owner);
                CREATE INDEX by_photo ON people (photo);
                """,
            late: ("people", "photo", "photos (id)"),
            others:
                "INSERT INTO people VALUES (2, 'b', NULL); INSERT INTO photos VALUES (2, 2); UPDATE people SET photo = 2;",
            person: """
                INSERT INTO people VALUES (1, 'a', NULL); INSERT INTO photos VALUES (1, 1); INSERT INTO photos VALUES (3, 1);
                UPDATE people SET photo = 3 WHERE id = 1;
                """),
        Self(
            testDescription: "composite keys through three tables",
            tables: people + """
                CREATE TABLE shelves (room integer, number integer, owner integer NOT NULL REFERENCES people (id),
                    PRIMARY KEY (room, number));
                CREATE TABLE books (room integer NOT NULL, shelf integer NOT NULL, place integer NOT NULL,
                    PRIMARY KEY (room, shelf, place), FOREIGN KEY (room, shelf) REFERENCES shelves (room, number));
                CREATE TABLE marks (id integer PRIMARY KEY, room integer, shelf integer, place integer,
                    FOREIGN KEY (room, shelf, place) REFERENCES books (room, shelf, place));
                CREATE INDEX by_owner ON shelves (owner);
                CREATE INDEX by_book ON marks (room, shelf, place);
                """,
            others: two + """
                INSERT INTO shelves VALUES (1, 2, 2), (2, 1, 3);
                INSERT INTO books VALUES (1, 2, 1), (2, 1, 1);
                INSERT INTO marks VALUES (1, 1, 2, 1), (2, 2, 1, 1), (3, 1, NULL, 1);
                """,
            person: one + """
                INSERT INTO shelves VALUES (1, 1, 1); INSERT INTO shelves VALUES (2, 2, 1);
                INSERT INTO books VALUES (1, 1, 1); INSERT INTO books VALUES (1, 1, 2); INSERT INTO books VALUES (2, 2, 1);
                INSERT INTO marks VALUES (10, 1, 1, 2); INSERT INTO marks VALUES (11, 2, 2, 1);
                """),
        Self(
            testDescription: "a table without a primary key",
            tables: people + """
                CREATE TABLE visits (person integer NOT NULL REFERENCES people (id), page text);
                CREATE INDEX by_person ON visits (person);
                """,
            others: two + "INSERT INTO visits VALUES (2, 'a'), (2, 'a'), (3, 'a');",
            person: one + """
                INSERT INTO visits VALUES (1, 'a'); INSERT INTO visits VALUES (1, 'a'); INSERT INTO visits VALUES (1, NULL);
                """),
        Self(
            testDescription: "deferred keys in a ring",
            tables: people + """
                CREATE TABLE a (id integer PRIMARY KEY, person integer REFERENCES people (id),
                    b integer NOT NULL {late});
                CREATE TABLE b (id integer PRIMARY KEY, a integer NOT NULL REFERENCES a (id) DEFERRABLE INITIALLY DEFERRED);
                CREATE INDEX by_person ON a (person);
                CREATE INDEX by_b ON a (b);
                CREATE INDEX by_a ON b (a);
                """,
            late: ("a", "b", "b (id) DEFERRABLE INITIALLY DEFERRED"),
            others: two + "BEGIN; INSERT INTO a VALUES (2, 2, 2); INSERT INTO b VALUES (2, 2); COMMIT;",
            person: one + "BEGIN; INSERT INTO a VALUES (1, 1, 1); INSERT INTO b VALUES (1, 1); COMMIT;"),
        needing("a user's row that cannot be without a row of its own", " ON DELETE CASCADE") { _ in },
        needing("the same where the user's row goes later", " ON DELETE CASCADE") { $0.order = [.rows, .files, .identity] },
        needing("the same where neither key cascades", "") { $0.order = [.rows, .files, .identity] },
    ]

    private static func needing(
        _ description: String, _ action: String, _ edit: @escaping @Sendable (inout Plan) -> Void
    ) -> Self {
        Self(
            testDescription: description,
            tables: """
                CREATE TABLE people (id integer PRIMARY KEY, email text, home integer NOT NULL {late});
                CREATE TABLE homes (id integer PRIMARY KEY, person integer NOT NULL REFERENCES people (id)\(action), street text);
                CREATE INDEX by_person ON homes (person);
                CREATE INDEX by_home ON people (home);
                """,
            late: ("people", "home", "homes (id) DEFERRABLE INITIALLY DEFERRED"),
            others: "BEGIN; INSERT INTO people VALUES (2, 'b', 2); INSERT INTO homes VALUES (2, 2, 'x'), (3, 2, 'y'); COMMIT;",
            person: "BEGIN; INSERT INTO people VALUES (1, 'a', 1); INSERT INTO homes VALUES (1, 1, 'x'), (4, 1, 'y'); COMMIT;",
            edit: edit)
    }

    private static let hostile = "we\"ird; DROP TABLE people; -- ''é💥"
    private static let quoted = "\"we\"\"ird; DROP TABLE people; -- ''é💥\""
    private static let long = String(repeating: "long", count: 15) + "end"

    private static let names: [Self] = [
        Self(
            testDescription: "hostile names, keywords and 63 bytes",
            tables: """
                CREATE TABLE \(quoted) (\(quoted) integer PRIMARY KEY, "select" text);
                CREATE TABLE "order" ("table" integer PRIMARY KEY, "from" integer NOT NULL REFERENCES \(quoted) (\(quoted)));
                CREATE TABLE \(long) (\(long) integer PRIMARY KEY, "w h o" integer REFERENCES "order" ("table"));
                CREATE INDEX i1 ON "order" ("from");
                CREATE INDEX i2 ON \(long) ("w h o");
                """,
            others:
                "INSERT INTO \(quoted) VALUES (2, 'b'); INSERT INTO \"order\" VALUES (2, 2); INSERT INTO \(long) VALUES (2, 2);",
            person: """
                INSERT INTO \(quoted) VALUES (1, 'a'); INSERT INTO "order" VALUES (1, 1);
                INSERT INTO \(long) VALUES (1, 1); INSERT INTO \(long) VALUES (3, 1);
                """,
            root: (hostile, hostile)),
        Self(
            testDescription: "several schemas", dialects: [.postgresql],
            tables: people + """
                CREATE SCHEMA shop; CREATE SCHEMA "Other";
                CREATE TABLE shop.people (id integer PRIMARY KEY, who integer NOT NULL REFERENCES people (id));
                CREATE TABLE "Other"."People" (id integer PRIMARY KEY, who integer NOT NULL REFERENCES shop.people (id));
                CREATE INDEX i1 ON shop.people (who); CREATE INDEX i2 ON "Other"."People" (who);
                """,
            others: two + "INSERT INTO shop.people VALUES (1, 2); INSERT INTO \"Other\".\"People\" VALUES (1, 1);",
            person: one + "INSERT INTO shop.people VALUES (2, 1); INSERT INTO \"Other\".\"People\" VALUES (2, 2);"),
    ]

    private static func link(_ table: String, _ column: String, path: [String] = []) -> @Sendable (inout Plan) -> Void {
        { plan in
            plan.set(table, .erase)
            plan.link(
                table,
                Link(columns: [column], path: path, target: plan.name("people"), targetColumns: ["id"], shared: .erase))
        }
    }

    private static let id = "5f0c8a4e-abcd-4000-8000-00000000000"
    private static let digits = id.replacing("-", with: "")

    private static let kinds: [Self] = [
        Self(
            testDescription: "partitions", dialects: [.postgresql],
            tables: people + """
                CREATE TABLE events (id integer NOT NULL, person integer NOT NULL REFERENCES people (id), day date NOT NULL,
                    PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
                CREATE TABLE events_1 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
                CREATE TABLE events_2 PARTITION OF events FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
                CREATE INDEX by_person ON events (person);
                """,
            others: two + "INSERT INTO events VALUES (1, 2, '2024-05-05'), (2, 2, '2025-05-05');",
            person: one
                + "INSERT INTO events VALUES (3, 1, '2024-05-05'); INSERT INTO events VALUES (3, 1, '2025-05-05');"),
        Self(
            testDescription: "a table without rowid", dialects: [.sqlite],
            tables: people + """
                CREATE TABLE tags (person integer REFERENCES people (id), tag text, PRIMARY KEY (person, tag)) WITHOUT ROWID;
                """,
            others: two + "INSERT INTO tags VALUES (2, 'x'), (3, 'x');",
            person: one + "INSERT INTO tags VALUES (1, 'x'); INSERT INTO tags VALUES (1, 'y');"),
        Self(
            testDescription: "a table without a primary key that has a column called rowid", dialects: [.sqlite],
            tables: people + """
                CREATE TABLE tags (person integer REFERENCES people (id), RowID integer, "_rowid_" text);
                CREATE INDEX by_person ON tags (person);
                """,
            others: two + "INSERT INTO tags VALUES (2, 7, 'x'), (3, 7, 'x');",
            person: one + "INSERT INTO tags VALUES (1, 7, 'x'); INSERT INTO tags VALUES (1, 7, 'x');"),
        Self(
            testDescription: "a uuid key and a text column in either letter case, and without hyphens",
            tables: """
                CREATE TABLE people (id uuid PRIMARY KEY, email text);
                CREATE TABLE logs (id integer PRIMARY KEY, who text);
                CREATE INDEX by_who ON logs (who);
                """,
            others:
                "INSERT INTO people VALUES ('\(id)2', 'b'); INSERT INTO logs VALUES (1, '\(id)2'), (2, NULL), (3, 'x'), (4, '\(digits)2');",
            person: """
                INSERT INTO people VALUES ('\(id)1', 'a'); INSERT INTO logs VALUES (5, '\(id)1');
                INSERT INTO logs VALUES (6, '\(id.uppercased())1');
                INSERT INTO logs VALUES (7, '\(digits)1');
                """,
            subject: id + "1", edit: link("logs", "who")),
        Self(
            testDescription: "a uuid held in capitals, asked for in small letters", dialects: [.sqlite],
            tables: """
                CREATE TABLE people (id text PRIMARY KEY, email text);
                CREATE TABLE logs (id integer PRIMARY KEY, who text);
                CREATE INDEX by_who ON logs (who);
                """,
            others:
                "INSERT INTO people VALUES ('\(id.uppercased())2', 'b'); INSERT INTO logs VALUES (1, '\(id)2'), (2, NULL);",
            person: """
                INSERT INTO people VALUES ('\(id.uppercased())1', 'a'); INSERT INTO logs VALUES (5, '\(id)1');
                INSERT INTO logs VALUES (6, '\(id.uppercased())1');
                """,
            subject: id + "1", edit: link("logs", "who")),
        Self(
            testDescription: "uuids held as digits, and named with hyphens in texts that no key binds", dialects: [.sqlite],
            tables: """
                CREATE TABLE people (id char(32) PRIMARY KEY, email text);
                CREATE TABLE chats (id char(32) PRIMARY KEY, owner char(32) NOT NULL REFERENCES people (id));
                CREATE TABLE logs (id integer PRIMARY KEY, who text);
                CREATE TABLE lines (id integer PRIMARY KEY, chat text);
                CREATE INDEX by_owner ON chats (owner);
                CREATE INDEX by_who ON logs (who);
                CREATE INDEX by_chat ON lines (chat);
                """,
            others: """
                INSERT INTO people VALUES ('\(digits)2', 'b'); INSERT INTO chats VALUES ('\(digits)4', '\(digits)2');
                INSERT INTO logs VALUES (1, '\(id)2'), (2, NULL), (3, 'x'); INSERT INTO lines VALUES (1, '\(id)4'), (2, 'x');
                """,
            person: """
                INSERT INTO people VALUES ('\(digits)1', 'a'); INSERT INTO chats VALUES ('\(digits)3', '\(digits)1');
                INSERT INTO logs VALUES (5, '\(id)1'); INSERT INTO logs VALUES (6, '\(digits)1');
                INSERT INTO lines VALUES (10, '\(id)3'); INSERT INTO lines VALUES (11, '\(digits)3');
                """,
            subject: digits + "1",
            edit: { plan in
                link("logs", "who")(&plan)
                plan.set("lines", .erase)
                plan.link(
                    "lines", Link(columns: ["chat"], target: plan.name("chats"), targetColumns: ["id"], shared: .erase))
            }),
        Self(
            testDescription: "text keys that differ in letter case only",
            tables: """
                CREATE TABLE people (id text PRIMARY KEY, email text);
                CREATE TABLE logs (id integer PRIMARY KEY, who text REFERENCES people (id));
                CREATE INDEX by_who ON logs (who);
                """,
            others:
                "INSERT INTO people VALUES ('BOB', 'b'), ('Bob', 'c'); INSERT INTO logs VALUES (1, 'BOB'), (2, 'Bob');",
            person:
                "INSERT INTO people VALUES ('bob', 'a'); INSERT INTO logs VALUES (5, 'bob'); INSERT INTO logs VALUES (6, 'bob');",
            subject: "bob"),
        Self(
            testDescription: "numbers as text and inside JSON",
            tables: people + """
                CREATE TABLE logs (id integer PRIMARY KEY, who text);
                CREATE TABLE docs (id integer PRIMARY KEY, body {json});
                CREATE INDEX by_who ON logs (who);
                """,
            others: two + """
                INSERT INTO logs VALUES (1, '11'), (2, '01'); INSERT INTO docs VALUES (1, '{"a": {"b\\"c": 11}}'), (2, '[]'), (3, NULL);
                """,
            person: one + """
                INSERT INTO logs VALUES (5, '1'); INSERT INTO docs VALUES (5, '{"a": {"b\\"c": 1}}');
                INSERT INTO docs VALUES (6, '{"a": {"b\\"c": "1"}}');
                """,
            edit: { plan in
                link("logs", "who")(&plan)
                link("docs", "body", path: ["a", "b\"c"])(&plan)
            }),
        Self(
            testDescription: "a chat named in JSON and as text, in either letter case",
            tables: people + """
                CREATE TABLE chats (id uuid PRIMARY KEY, owner integer NOT NULL REFERENCES people (id));
                CREATE TABLE lines (id integer PRIMARY KEY, chat text, body {json});
                CREATE INDEX by_owner ON chats (owner);
                CREATE INDEX by_chat ON lines (chat);
                """,
            others: two + """
                INSERT INTO chats VALUES ('\(id)2', 2); INSERT INTO lines VALUES (1, '\(id)2', NULL), (2, 'x', '{}'),
                    (3, NULL, '{"in": {"chat": "\(id)2"}}'), (4, '\(id)2', '{"in": {"chat": "\(id)"}}');
                """,
            person: one + """
                INSERT INTO chats VALUES ('\(id)1', 1); INSERT INTO lines VALUES (10, '\(id)1', '{}');
                INSERT INTO lines VALUES (11, '\(id.uppercased())1', NULL);
                INSERT INTO lines VALUES (12, NULL, '{"in": {"chat": "\(id)1"}}');
                INSERT INTO lines VALUES (13, '\(id)1', '{"in": {"chat": "\(id.uppercased())1"}}');
                """,
            edit: { plan in
                plan.set("lines", .erase)
                plan.link(
                    "lines", Link(columns: ["chat"], target: plan.name("chats"), targetColumns: ["id"], shared: .erase),
                    Link(
                        columns: ["body"], path: ["in", "chat"], target: plan.name("chats"), targetColumns: ["id"], shared: .erase))
            }),
        Self(
            testDescription: "exact numbers as keys",
            tables: """
                CREATE TABLE people (id numeric(20, 0) PRIMARY KEY, email text);
                CREATE TABLE logs (id integer PRIMARY KEY, who numeric(20, 0) REFERENCES people (id));
                CREATE INDEX by_who ON logs (who);
                """,
            others: "INSERT INTO people VALUES (12, 'b'); INSERT INTO logs VALUES (1, 12);",
            person: "INSERT INTO people VALUES (123456789012, 'a'); INSERT INTO logs VALUES (5, 123456789012);",
            subject: "123456789012"),
        Self(
            testDescription: "bytes as a key between the person's tables",
            tables: people + """
                CREATE TABLE chats (id {bytes} PRIMARY KEY, owner integer NOT NULL REFERENCES people (id));
                CREATE TABLE lines (id integer PRIMARY KEY, chat {bytes} REFERENCES chats (id));
                CREATE INDEX by_owner ON chats (owner);
                CREATE INDEX by_chat ON lines (chat);
                """,
            others: two + """
                INSERT INTO chats VALUES (CAST('other' AS {bytes}), 2); INSERT INTO lines VALUES (1, CAST('other' AS {bytes}));
                """,
            person: one + """
                INSERT INTO chats VALUES (CAST('mine' AS {bytes}), 1); INSERT INTO lines VALUES (2, CAST('mine' AS {bytes}));
                """),
        Self(
            testDescription: "generated columns",
            tables: people + """
                CREATE TABLE notes (id integer PRIMARY KEY, person integer REFERENCES people (id), body text,
                    size integer GENERATED ALWAYS AS (length(body)) STORED);
                CREATE INDEX by_person ON notes (person);
                """,
            others: two + "INSERT INTO notes (id, person, body) VALUES (1, 2, 'abc');",
            person: one + "INSERT INTO notes (id, person, body) VALUES (2, 1, 'abc');"),
    ]
}
