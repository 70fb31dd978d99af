// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellSQL
import Foundation
import Testing

@Suite("The changes of a transaction by the database's own counters")
struct ChangeCountersTests {
    @Test(
        "PL-4 rows that keys and triggers change are counted by table, and rolled-back changes are counted separately",
        arguments: TestDatabase.allCases)
    func counts(_ kind: TestDatabase) async throws {
        try await kind.with { database in
            try await database.withConnection { connection in
                let isPostgreSQL = connection.dialect == .postgresql
                for text in [
                    "CREATE TABLE people (id integer PRIMARY KEY, n integer)",
                    "CREATE TABLE posts (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE CASCADE)",
                    "CREATE TABLE notes (id integer PRIMARY KEY, author integer REFERENCES people (id) ON DELETE SET NULL)",
                    "CREATE TABLE log (what integer)",
                    isPostgreSQL
                        ? "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS "
                            + "'BEGIN INSERT INTO log VALUES (OLD.id); RETURN NULL; END'"
                        : "CREATE TRIGGER keep AFTER DELETE ON posts BEGIN INSERT INTO log VALUES (OLD.id); END",
                    isPostgreSQL ? "CREATE TRIGGER keep AFTER DELETE ON posts FOR EACH ROW EXECUTE FUNCTION keep()" : "SELECT 1",
                    "INSERT INTO people VALUES (1, 0), (2, 0)", "INSERT INTO posts VALUES (10, 1), (11, 1), (20, 2)",
                    "INSERT INTO notes VALUES (1, 1), (2, 2)",
                ] { try await connection.run(SQLStatement(text)) }
                let schema = try await Schema.read(from: connection)
                let counters = try await ChangeCounters.prepared(for: schema, on: connection)
                #expect(counters.isCounting)
                try await connection.run("BEGIN")
                let before = try await connection.run(counters.reading)
                try await connection.run("DELETE FROM people WHERE id = 1")
                let middle = try await connection.run(counters.reading)
                try await connection.run("SAVEPOINT s")
                try await connection.run("UPDATE people SET n = 1")
                try await connection.run("ROLLBACK TO SAVEPOINT s")
                let rolledBack = try await connection.run(counters.reading)
                try await connection.run("UPDATE people SET n = 2")
                let after = try await connection.run(counters.reading)
                try await connection.run("ROLLBACK")
                func name(_ table: String) -> TableName {
                    schema.tables.first { $0.name.name == table }?.name ?? TableName(table)
                }
                #expect(
                    try counters.changes(from: before, to: middle) == [
                        name("people"): RowChanges(deleted: 1), name("posts"): RowChanges(deleted: 2),
                        name("notes"): RowChanges(updated: 1), name("log"): RowChanges(inserted: 2),
                    ])
                #expect(try counters.changes(from: rolledBack, to: after) == [name("people"): RowChanges(updated: 1)])
            }
        }
    }

    @Test("PL-5 SQL-01 rows that SQLite's ON CONFLICT REPLACE deletes are counted, with their cascade")
    func replaced() async throws {
        try await TestDatabase.sqlite.with { database in
            try await database.withConnection { connection in
                for text in [
                    "CREATE TABLE codes (id integer PRIMARY KEY, code text, UNIQUE (code) ON CONFLICT REPLACE)",
                    "CREATE TABLE uses (id integer PRIMARY KEY, code integer REFERENCES codes (id) ON DELETE CASCADE)",
                    "CREATE TABLE pairs (a text PRIMARY KEY, b text UNIQUE ON CONFLICT REPLACE) WITHOUT ROWID",
                    "INSERT INTO codes VALUES (1, 'a'), (2, 'b')", "INSERT INTO uses VALUES (1, 2), (2, 2)",
                    "INSERT INTO pairs VALUES ('x', '1'), ('y', '2')",
                ] { try await connection.run(SQLStatement(text)) }
                let counters = try await ChangeCounters.prepared(
                    for: try await Schema.read(from: connection), on: connection)
                let before = try await connection.run(counters.reading)
                try await connection.run("UPDATE codes SET code = 'b' WHERE id = 1")
                try await connection.run("UPDATE pairs SET b = '2' WHERE a = 'x'")
                let after = try await connection.run(counters.reading)
                #expect(
                    try counters.changes(from: before, to: after) == [
                        TableName("codes"): RowChanges(updated: 1, deleted: 1), TableName("uses"): RowChanges(deleted: 2),
                        TableName("pairs"): RowChanges(updated: 1, deleted: 1),
                    ])
            }
        }
    }

    @Test("PL-4 rows of partitions and of every schema are counted under the table that a plan names")
    func partitions() async throws {
        try await TestDatabase.postgresql.with { database in
            try await database.withConnection { connection in
                for text in [
                    "CREATE SCHEMA other", "CREATE TABLE other.log (n integer)",
                    "CREATE TABLE days (id integer, day integer) PARTITION BY RANGE (day)",
                    "CREATE TABLE days_1 PARTITION OF days FOR VALUES FROM (0) TO (10)",
                    "CREATE TABLE days_2 PARTITION OF days FOR VALUES FROM (10) TO (20)",
                    "INSERT INTO days VALUES (1, 1), (2, 11)",
                ] { try await connection.run(SQLStatement(text)) }
                let schema = try await Schema.read(from: connection)
                let counters = try await ChangeCounters.prepared(for: schema, on: connection)
                let days = try #require(schema.tables.first { $0.name.name == "days" }?.name)
                let first = try #require(schema.tables.first { $0.name.name == "days_1" }?.name)
                #expect(counters.place(of: first) == days)
                try await connection.run("BEGIN")
                let before = try await connection.run(counters.reading)
                try await connection.run("DELETE FROM days")
                try await connection.run("INSERT INTO other.log VALUES (1)")
                let after = try await connection.run(counters.reading)
                try await connection.run("ROLLBACK")
                #expect(
                    try counters.changes(from: before, to: after) == [
                        days: RowChanges(deleted: 2), TableName(schema: "other", "log"): RowChanges(inserted: 1),
                    ])
                try await connection.run("SET session_replication_role = replica")
                let off = try await connection.run(counters.reading)
                #expect(throws: FarewellError.self) { try counters.changes(from: before, to: off) }
                try await connection.run("RESET session_replication_role")
                try await connection.run("SET track_counts = off")
                let switched = try await ChangeCounters.prepared(for: schema, on: connection)
                #expect(switched.isCounting, "a superuser may switch it on")
                #expect(switched.opening.count == 1)
            }
        }
    }
}
