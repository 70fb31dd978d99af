// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation

extension SQLDatabaseConformance {
    static let statements: [Case] = [
        Case("a value comes back as it went") { database in
            _ = try await run(
                database, "CREATE TABLE t (a bigint, b double precision, c text, d \(bytesType(database)), e text)")
            let sent: [SQLValue] = [
                .integer(.min), .double(0.1), .text("ÄÖ 👩‍👩‍👧 'quoted' \\ \"\n"), .bytes([0, 255, 10]), .null,
            ]
            try await database.withConnection { connection in
                try await connection.run(SQLStatement("INSERT INTO t VALUES ($1, $2, $3, $4, $5)", sent))
                let result = try await connection.run("SELECT * FROM t")
                try expectEqual(result.columns, ["a", "b", "c", "d", "e"], "The columns")
                try expectEqual(result.rows, [sent], "The row")
            }
        },
        Case("uuids, instants and JSON have the same text on both databases") { database in
            let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255))
            let found = try await run(database, "SELECT $1 AS a", .uuid(uuid))
            try expectEqual(found.scalar?.text, "01020304-0506-0708-090a-0b0c0d0e0fff", "The uuid")
        },
        Case("parameters may be used twice, in any order, and not in texts") { database in
            let found = try await run(
                database,
                "SELECT '$1' || \(cast("$2", database)) || \(cast("$1", database)) || \(cast("$2", database)) -- $9",
                .text("one"), .text("two"))
            try expectEqual(found.scalar, .text("$1twoonetwo"), "The text")
        },
        Case("affected counts the statement's own rows, without cascades") { database in
            try await makeFamily(database)
            let inserted = try await run(database, "INSERT INTO child (id, parent) VALUES (3, 1), (4, 2)")
            try expectEqual(inserted.affected, 2, "Rows inserted")
            let updated = try await run(database, "UPDATE child SET parent = 1 WHERE parent = $1", .integer(1))
            try expectEqual(updated.affected, 3, "Rows updated")
            let deleted = try await run(database, "DELETE FROM parent WHERE id = $1", .integer(1))
            try expectEqual(deleted.affected, 1, "Rows deleted")
            let left = try await run(database, "SELECT count(*) FROM child")
            try expectEqual(left.scalar, .integer(1), "Children left by the cascade")
            try expectEqual(left.affected, 0, "Rows affected by a query")
            let none = try await run(database, "DELETE FROM parent WHERE id = $1", .integer(77))
            try expectEqual(none.affected, 0, "Rows deleted where there is none")
        },
        Case("a change may return its rows") { database in
            try await makeFamily(database)
            let found = try await run(database, "DELETE FROM child WHERE parent = $1 RETURNING id", .integer(1))
            try expectEqual(Set(found.rows), [[.integer(1)], [.integer(2)]], "Rows returned")
            try expectEqual(found.affected, 2, "Rows deleted")
        },
        Case("hostile identifiers are only identifiers") { database in
            for name in [
                "a\"b", "x\"; DROP TABLE t; --", "ünïcödé 👋", "select", " ", String(repeating: "n", count: 63),
            ] {
                let quoted = database.dialect.quoted(name)
                _ = try await run(database, "CREATE TABLE \(quoted) (\(quoted) text)")
                _ = try await run(database, "INSERT INTO \(quoted) (\(quoted)) VALUES ($1)", .text(name))
                let found = try await run(database, "SELECT \(quoted) FROM \(quoted)")
                try expectEqual(found.columns, [name], "The column's name")
                try expectEqual(found.scalar, .text(name), "The value")
            }
        },
        Case("a text of ten megabytes goes and comes") { database in
            let big = String(repeating: "0123456789abcdeß", count: 620_000)
            _ = try await run(database, "CREATE TABLE t (a text)")
            _ = try await run(database, "INSERT INTO t VALUES ($1)", .text(big))
            let found = try await run(database, "SELECT a FROM t")
            try expect(found.scalar == .text(big), "the text is the same")
        },
        Case("a query of many rows gives them all, in order") { database in
            let found = try await run(
                database,
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                SELECT i FROM n ORDER BY i
                """
            )
            try expectEqual(found.rows.count, 20_000, "The number of rows")
            try expectEqual(found.rows.last, [.integer(20_000)], "The last row")
        },
    ]

    static func bytesType(_ database: any SQLDatabase) -> String {
        database.dialect.bytesType
    }

    static func cast(_ parameter: String, _ database: any SQLDatabase) -> String {
        database.dialect.typed(parameter, "text")
    }

    /// Two parents; the first has two children, which are deleted with it.
    static func makeFamily(_ database: any SQLDatabase) async throws {
        try await database.withConnection { connection in
            _ = try await connection.pipeline([
                SQLStatement("CREATE TABLE parent (id bigint PRIMARY KEY, name text NOT NULL)"),
                SQLStatement(
                    """
                    CREATE TABLE child (
                        id bigint PRIMARY KEY, parent bigint REFERENCES parent (id) ON DELETE CASCADE,
                        age bigint CONSTRAINT grown CHECK (age < 200))
                    """),
                SQLStatement("INSERT INTO parent (id, name) VALUES (1, 'Ada'), (2, 'Bob')"),
                SQLStatement("INSERT INTO child (id, parent) VALUES (1, 1), (2, 1)"),
            ])
        }
    }
}
