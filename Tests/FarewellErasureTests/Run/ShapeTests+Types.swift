// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import TestFixtures

extension ShapeTests.Shape {
    private static let people = "CREATE TABLE people (id integer PRIMARY KEY, email text);"
    private static let two = "INSERT INTO people VALUES (2, 'two@example.org'), (3, 'three@example.org');"
    private static let one = "INSERT INTO people VALUES (1, 'one@example.org');"

    /// Types of PostgreSQL that are bound as text and are none: their name, the subject's value, another subject's.
    private static let values = [
        ("mood", "'good'", "'bad'"), ("inet", "'10.0.0.1'", "'10.0.0.2'"), ("integer[]", "'{1,2}'", "'{2}'"),
        ("int4range", "'[1,3)'", "'[3,5)'"), ("interval", "'1 hour'", "'2 hours'"), ("time", "'10:00'", "'11:00'"),
        ("money", "'1.50'", "'2.50'"), ("mood[]", "'{good}'", "'{bad}'"),
    ]

    static let types: [Self] = values.map { type, mine, theirs in
        Self(
            testDescription: "a key of type \(type) between the person's tables", dialects: [.postgresql],
            tables: """
                CREATE TYPE mood AS ENUM ('good', 'bad');
                \(people)
                CREATE TABLE drawers (id \(type) PRIMARY KEY, owner integer NOT NULL REFERENCES people (id));
                CREATE TABLE papers (id integer PRIMARY KEY, drawer \(type) REFERENCES drawers (id));
                CREATE INDEX by_owner ON drawers (owner);
                CREATE INDEX by_drawer ON papers (drawer);
                """,
            others: two
                + "INSERT INTO drawers VALUES (\(theirs), 2); INSERT INTO papers VALUES (1, \(theirs)), (2, NULL);",
            person: one + """
                INSERT INTO drawers VALUES (\(mine), 1);
                INSERT INTO papers VALUES (10, \(mine)); INSERT INTO papers VALUES (11, \(mine));
                """)
    }

    private static let domains = "CREATE TYPE mood AS ENUM ('good', 'bad', 'so-so'); CREATE DOMAIN moods AS mood;"

    /// A domain over an enum is not compared with itself.
    static let ownKeys = [
        Self(
            testDescription: "rows of a tree, told apart by a domain over an enum", dialects: [.postgresql],
            tables: domains + people + """
                CREATE TABLE drawers (id moods PRIMARY KEY, number integer NOT NULL UNIQUE, owner integer REFERENCES people (id),
                    inside integer REFERENCES drawers (number));
                CREATE TABLE papers (id integer PRIMARY KEY, drawer integer NOT NULL REFERENCES drawers (number));
                CREATE INDEX by_owner ON drawers (owner);
                CREATE INDEX by_inside ON drawers (inside);
                CREATE INDEX by_drawer ON papers (drawer);
                """,
            others: two + "INSERT INTO drawers VALUES ('bad', 2, 2, NULL); INSERT INTO papers VALUES (2, 2);",
            person: one + """
                INSERT INTO drawers VALUES ('good', 1, 1, NULL);
                INSERT INTO drawers VALUES ('so-so', 3, NULL, 1);
                INSERT INTO papers VALUES (1, 3);
                """,
            edit: { plan in
                plan.at("drawers") { for place in $0.links.indices { $0.links[place].role = .owner } }
            })
    ]

    /// Types of a link and of what it leads to, which PostgreSQL does not compare, and values as above.
    private static let pairs = [
        ("mood", "text", "'good'", "'bad'"), ("text", "mood", "'good'", "'bad'"), ("mood", "moods", "'good'", "'bad'"),
        ("moods", "mood", "'good'", "'bad'"),
        ("moods", "moods", "'good'", "'bad'"), ("integer[]", "bigint[]", "'{1,2}'", "'{2}'"),
    ]

    static let conversions: [Self] =
        [enumOfText]
        + pairs.map { type, key, mine, theirs in
            Self(
                testDescription: "a link of type \(type) to a key of type \(key)", dialects: [.postgresql],
                tables: """
                    CREATE TYPE mood AS ENUM ('good', 'bad');
                    CREATE DOMAIN moods AS mood;
                    \(people)
                    CREATE TABLE drawers (number integer PRIMARY KEY, id \(key) UNIQUE,
                        owner integer NOT NULL REFERENCES people (id));
                    CREATE TABLE papers (id integer PRIMARY KEY, drawer \(type));
                    CREATE INDEX by_owner ON drawers (owner);
                    CREATE INDEX by_drawer ON papers (drawer);
                    """,
                others: two
                    + "INSERT INTO drawers VALUES (2, \(theirs), 2); INSERT INTO papers VALUES (1, \(theirs)), (2, NULL);",
                person: one + """
                    INSERT INTO drawers VALUES (1, \(mine), 1);
                    INSERT INTO papers VALUES (10, \(mine)); INSERT INTO papers VALUES (11, \(mine));
                    """,
                edit: link("papers", "drawer", to: "drawers"))
        }

    private static let enumOfText =
        Self(
            testDescription: "an enum that holds the person's key, which is text", dialects: [.postgresql],
            tables: """
                CREATE TYPE mood AS ENUM ('good', 'bad');
                CREATE TABLE people (id text PRIMARY KEY, email text);
                CREATE TABLE papers (id integer PRIMARY KEY, who mood);
                CREATE INDEX by_who ON papers (who);
                """,
            others: "INSERT INTO people VALUES ('bad', 'b'), ('none', 'n'); INSERT INTO papers VALUES (1, 'bad');",
            person: "INSERT INTO people VALUES ('good', 'a'); INSERT INTO papers VALUES (2, 'good');",
            subject: "good", edit: link("papers", "who", to: "people"))

    private static func link(_ table: String, _ column: String, to target: String) -> @Sendable (inout Plan) -> Void {
        { plan in
            plan.set(table, .erase)
            plan.link(
                table, Link(columns: [column], target: plan.name(target), targetColumns: ["id"], shared: .erase))
        }
    }
}
