// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation
import Subprocess
import Testing

@Suite("SQLite by GRDB")
struct SQLiteDatabaseTests {
    @Test("write-ahead log, secure deletion, foreign keys and waiting for the disk are on for every connection")
    func settings() async throws {
        try await TestDatabase.withSQLite { database in
            try await database.withConnection { first in
                try await database.withConnection { second in
                    try await first.run("CREATE TABLE t (a text)")
                    for connection in [first, second] {
                        try await connection.expect("PRAGMA journal_mode", gives: [[.text("wal")]])
                        try await connection.expect("PRAGMA secure_delete", gives: [[.integer(1)]])
                        try await connection.expect("PRAGMA foreign_keys", gives: [[.integer(1)]])
                        // FULL: a power failure takes nothing back that was committed.
                        try await connection.expect("PRAGMA synchronous", gives: [[.integer(2)]])
                    }
                }
            }
        }
    }

    /// Statements, and whether they write.
    static let uses: [(statements: [String], isWrite: Bool)] = [
        (["SELECT count(*) FROM t"], false), (["PRAGMA query_only = ON", "BEGIN", "SELECT 1", "ROLLBACK"], false),
        (["BEGIN IMMEDIATE", "ROLLBACK"], true), (["INSERT INTO t VALUES ('b')"], true), (["VACUUM"], true),
    ]

    @Test("PK-2 a file keeps its journal and its bytes until the first write, which waits for another writer", arguments: uses)
    func journal(_ statements: [String], _ isWrite: Bool) async throws {
        try await TestDatabase.withSQLite(
            SQLiteConfiguration(access: .createIfMissing, connectionWait: TestDatabase.longestWait, journal: .unchanged)
        ) { app in
            try await app.withConnection { _ = try await $0.run("CREATE TABLE t (a text)") }
            let before = try Data(contentsOf: URL(fileURLWithPath: app.path))
            let database = try SQLiteDatabase(
                path: app.path, configuration: SQLiteConfiguration(busyTimeout: TestDatabase.longestWait))
            try await app.withConnection { writer in
                if isWrite {
                    try await writer.run("BEGIN IMMEDIATE")
                    try await writer.run("INSERT INTO t VALUES ('a')")
                }
                try await withThrowingTaskGroup { group in
                    group.addTask {
                        try await database.withConnection { connection in
                            for statement in statements { try await connection.run(SQLStatement(statement)) }
                        }
                    }
                    if isWrite { try await writer.run("COMMIT") }
                    try await group.waitForAll()
                }
                // A connection learns of another journal when it reads.
                _ = try await writer.run("SELECT count(*) FROM t")
                try await writer.expect("PRAGMA journal_mode", gives: [[.text(isWrite ? "wal" : "delete")]])
            }
            if !isWrite { #expect(try Data(contentsOf: URL(fileURLWithPath: app.path)) == before) }
            await database.close()
        }
    }

    @Test("OP-2 an explained change is compiled again after another connection changed the schema")
    func explainedAfterMigration() async throws {
        try await TestDatabase.withSQLite { database in
            try await database.withConnection { app in
                try await database.withConnection { connection in
                    try await app.run("CREATE TABLE first (id integer PRIMARY KEY, note text NOT NULL)")
                    let changes = ["UPDATE main.first SET note = note", "DELETE FROM main.first WHERE id = 1"]
                    for round in 0..<40 {
                        try await app.run(
                            SQLStatement("CREATE TABLE t\(round) (a text CHECK (a <> '\(String(repeating: "x", count: 200))'))"))
                        _ = try await connection.run("SELECT count(*) FROM sqlite_schema")
                        for change in changes {
                            let explained = try await connection.run(SQLStatement("EXPLAIN \(change)"))
                            #expect(explained.rows.contains { $0.contains(.text("first")) }, "the table that is changed: \(explained)")
                        }
                    }
                }
            }
        }
    }

    @Test("the keyed hash is HMAC-SHA-256 of the text form, and the hash of null is null")
    func keyedHash() async throws {
        try await TestDatabase.withSQLite { database in
            let key = Array("key".utf8)
            let text = "The quick brown fox jumps over the lazy dog"
            // The well-known test value of HMAC-SHA-256.
            let known = "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"
            try await database.withConnection { connection in
                try await connection.expect(
                    "SELECT farewell_keyed_hash($1, $2), farewell_keyed_hash($1, NULL), farewell_keyed_hash(NULL, $2)",
                    [.bytes(key), .text(text)], gives: [[.text(known), .null, .null]])
                try await connection.expect(
                    "SELECT farewell_keyed_hash($1, 42) = farewell_keyed_hash($1, '42')", [.bytes(key)],
                    gives: [[.integer(1)]])
            }
        }
    }

    @Test("after scrubbing no file holds deleted data, not even a full-text index")
    func scrub() async throws {
        try await TestDatabase.withSQLite { database in
            let canary = "canaryofthemine"
            try await database.withConnection { connection in
                try await connection.run("CREATE TABLE t (id INTEGER PRIMARY KEY, a text)")
                try await connection.run("CREATE VIRTUAL TABLE \"full text\" USING fts5 (a)")
                try await connection.run("CREATE VIRTUAL TABLE older\n  using FTS4(a)")
                // Shows a full-text index and takes no row.
                try await connection.run("CREATE VIRTUAL TABLE terms USING fts5vocab('full text', 'row')")
                for n in Int64(0)..<200 {
                    try await connection.run("INSERT INTO t VALUES ($1, $2)", .integer(n), .text("\(canary) \(n)"))
                    try await connection.run("INSERT INTO \"full text\" (a) VALUES ($1)", .text("\(canary) word\(n)"))
                    try await connection.run("INSERT INTO older (a) VALUES ($1)", .text("\(canary) term\(n)"))
                }
            }
            #expect(try Self.anyFile(of: database, holds: canary))
            try await database.withConnection { connection in
                try await connection.run("DELETE FROM t")
                try await connection.run("DELETE FROM \"full text\"")
                try await connection.run("DELETE FROM older WHERE a MATCH '\(canary)'")
            }
            try await database.scrub()
            #expect(try !Self.anyFile(of: database, holds: canary))
            #expect(database.files.count == 4)
        }
    }

    private static func anyFile(of database: SQLiteDatabase, holds text: String) throws -> Bool {
        try database.files.filter(FileManager.default.fileExists).contains { path in
            try Data(contentsOf: URL(filePath: path)).range(of: Data(text.utf8)) != nil
        }
    }

    @Test("the files' bytes are read completely, and the locks against other processes stay held")
    func readFiles() async throws {
        try await TestDatabase.withSQLite { database in
            let written = String(repeating: "a word like any other, ", count: 9_000) + "needle"
            try await database.withConnection { writer in
                try await writer.run("CREATE TABLE t (a text)")
                try await writer.run("INSERT INTO t VALUES ($1)", .text(written))
                try await writer.run("BEGIN IMMEDIATE")
                let read = Guarded<[Int: Data]>([:])
                try await database.readFiles(window: 1_000) { file, piece in read.withLock { $0[file, default: Data()] += piece } }
                let files = read.withLock { $0 }
                #expect(files.count == 2 && files.values.contains { $0.range(of: Data("needle".utf8)) != nil })
                #expect(files[0]?.prefix(15) == Data("SQLite format 3".utf8))
                #expect(try await Self.anotherProcessMayWrite(to: database.path) == false)
                try await writer.run("COMMIT")
                #expect(try await Self.anotherProcessMayWrite(to: database.path) == true)
            }
        }
    }

    private static func anotherProcessMayWrite(to path: String) async throws -> Bool? {
        let program = """
            import sqlite3, sys
            try:
                sqlite3.connect(sys.argv[1], timeout=0).execute("BEGIN IMMEDIATE")
                print("yes")
            except sqlite3.OperationalError as error:
                print("no" if "locked" in str(error) else error)
            """
        let result = try await Subprocess.run(
            .name("python3"), arguments: ["-c", program, path], output: .string(limit: 1_000), error: .discarded)
        return ["yes\n": true, "no\n": false][result.standardOutput]
    }

    @Test("a reader that keeps the log from being emptied makes scrubbing fail temporarily")
    func scrubWhileReading() async throws {
        let configuration = SQLiteConfiguration(access: .createIfMissing, busyTimeout: .milliseconds(50))
        try await TestDatabase.withSQLite(configuration) { database in
            try await database.withConnection { reader in
                try await reader.run("CREATE TABLE t (a)")
                try await reader.run("BEGIN")
                try await reader.run("SELECT * FROM t")
                let error = await #expect(throws: FarewellError.self) { try await database.scrub() }
                #expect(error?.family == .tryAgain)
                try await reader.run("COMMIT")
                try await database.scrub()
            }
        }
    }

    @Test("a lock held by another connection is sql.55P03 after the busy time-out")
    func busy() async throws {
        let configuration = SQLiteConfiguration(access: .createIfMissing, busyTimeout: .milliseconds(50))
        try await TestDatabase.withSQLite(configuration) { database in
            try await database.withConnection { writer in
                try await writer.run("CREATE TABLE t (a)")
                try await writer.run("BEGIN IMMEDIATE")
                let error = await #expect(throws: FarewellError.self) {
                    try await database.transaction(attempts: 2) { try await $0.run("INSERT INTO t VALUES (1)") }
                }
                #expect(error?.code == "sql.55P03")
                #expect(error?.family == .tryAgain)
                try await writer.run("ROLLBACK")
            }
        }
    }

    @Test("when all connections are lent, another request is refused after the wait, and leaves nothing behind")
    func exhausted() async throws {
        let configuration = SQLiteConfiguration(
            access: .createIfMissing, maximumConnections: 1, connectionWait: .seconds(3))
        try await TestDatabase.withSQLite(configuration) { database in
            try await database.withConnection { connection in
                let error = await #expect(throws: FarewellError.self) {
                    try await database.withConnection { _ = try await $0.run("SELECT 1") }
                }
                #expect(error?.code == "sql.pool-exhausted")
                #expect(error?.family == .tryAgain)
                let waiting = Task { try await database.withConnection { _ = try await $0.run("SELECT 1") } }
                waiting.cancel()
                await #expect(throws: (any Error).self) { try await waiting.value }
                try await connection.expect("SELECT 1", gives: [[.integer(1)]])
            }
            try await database.withConnection { try await $0.expect("SELECT 1", gives: [[.integer(1)]]) }
        }
    }

    @Test("OP-4 BX-5 the replacement of a file is noticed: calls under way fail, later calls use the new file")
    func replaced() async throws {
        try await TestDatabase.withSQLite { database in
            let (path, former, other) = (database.path, database.path + ".former", database.path + ".other")
            let made = try SQLiteDatabase(path: other, configuration: SQLiteConfiguration(access: .createIfMissing))
            for (database, value) in [(database, 1), (made, 2)] {
                try await database.withConnection { _ = try await $0.run(SQLStatement("CREATE TABLE t AS SELECT \(value) AS a")) }
            }
            _ = try await made.withConnection { try await $0.run("PRAGMA wal_checkpoint(TRUNCATE)") }
            await made.close()
            let files = FileManager.default
            let error = await #expect(throws: FarewellError.self) {
                try await database.withConnection { connection in
                    _ = try await connection.run("INSERT INTO t VALUES (7)")
                    try files.moveItem(atPath: path, toPath: former)
                    try files.moveItem(atPath: other, toPath: path)
                    for end in ["-wal", "-shm"] { try? files.removeItem(atPath: path + end) }
                }
            }
            #expect(error?.code == "sql.file-replaced" && error?.family == .tryAgain)
            for value in [3, 4] {
                try await database.withConnection { _ = try await $0.run(SQLStatement("INSERT INTO t VALUES (\(value))")) }
            }
            try await database.withConnection {
                try await $0.expect("SELECT a FROM t ORDER BY a", gives: [[.integer(2)], [.integer(3)], [.integer(4)]])
            }
            try files.removeItem(atPath: path)
            let gone = await #expect(throws: FarewellError.self) {
                try await database.withConnection { _ = try await $0.run("SELECT 1") }
            }
            #expect(gone?.code == "sql.file-replaced" && !files.fileExists(atPath: path), "it is not made anew")
        }
    }

    @Test("a missing file, a folder, another format and a read-only file give an error that says so")
    func files() async throws {
        try await TestDatabase.withSQLite { database in
            try await database.withConnection { _ = try await $0.run("CREATE TABLE t (a)") }
            let path = database.path
            func code(_ path: String, _ access: SQLiteConfiguration.Access, _ text: String) async -> String? {
                do {
                    let database = try SQLiteDatabase(path: path, configuration: SQLiteConfiguration(access: access))
                    _ = try await database.withConnection { try await $0.run(SQLStatement(text)) }
                    return nil
                } catch {
                    return (error as? FarewellError)?.code.rawValue
                }
            }
            #expect(await code(path + ".not", .readWrite, "SELECT 1") == "sql.missing-file")
            #expect(await code(path + ".not", .readOnly, "SELECT 1") == "sql.missing-file")
            #expect(await code(path + ".new", .createIfMissing, "SELECT 1") == nil)
            #expect(await code(path, .readOnly, "SELECT * FROM t") == nil)
            #expect(await code(path, .readOnly, "DELETE FROM t") == "sql.25006")
            #expect(await code(":memory:", .createIfMissing, "SELECT 1") == "sql.bad-address")
            #expect(await code("", .createIfMissing, "SELECT 1") == "sql.bad-address")
            #expect(await code("/nowhere/at/all.sqlite", .createIfMissing, "SELECT 1") == "sql.58P01")
            let folder = URL(filePath: path).deletingLastPathComponent().path
            #expect(await code(folder, .readWrite, "SELECT 1") == "sql.bad-address")
            try Data(repeating: 65, count: 5000).write(to: URL(filePath: path + ".text"))
            #expect(await code(path + ".text", .readWrite, "SELECT 1") == "sql.XX001")
        }
    }

    @Test("a full disk is sql.53100, and the broken transaction accepts no further statement")
    func fullDisk() async throws {
        try await TestDatabase.withSQLite { database in
            try await database.withConnection { connection in
                try await connection.run("CREATE TABLE t (a)")
                try await connection.run("PRAGMA max_page_count = 20")
                try await connection.run("BEGIN")
                try await connection.run("INSERT INTO t VALUES (1)")
                let full = await #expect(throws: FarewellError.self) {
                    try await connection.run("INSERT INTO t VALUES (zeroblob(1000000))")
                }
                #expect(full?.code == "sql.53100")
                let next = await #expect(throws: FarewellError.self) {
                    try await connection.run("INSERT INTO t VALUES (2)")
                    try await connection.run("COMMIT")
                }
                // If the database itself rolled back, every later statement fails for the same reason.
                if next?.code == "sql.53100" { try await connection.run("ROLLBACK") }
                try await connection.expect("SELECT count(*) FROM t", gives: [[.integer(0)]])
            }
        }
    }

    @Test("arrays, instants and JSON are sent as text that SQLite can process")
    func values() async throws {
        try await TestDatabase.withSQLite { database in
            try await database.withConnection { connection in
                try await connection.expect(
                    "SELECT value FROM json_each($1)",
                    [.array([.text("a\"b"), .integer(2), .null, .bool(true), .double(0.5)])],
                    gives: [[.text("a\"b")], [.integer(2)], [.null], [.integer(1)], [.double(0.5)]])
                let texts = ["plain", #"C:\new"#, "a/b", "tab\t", "\u{7F}", "ø 🙂", ""].map(SQLValue.text)
                try await connection.expect("SELECT value FROM json_each($1)", [.array(texts)], gives: texts.map { [$0] })
                let instant = Date(timeIntervalSince1970: 1_778_051_289.123456)
                try await connection.expect(
                    "SELECT $1, $2, $3, $4, datetime($1)",
                    [.timestamp(instant), .bool(false), .json("{}"), .numeric("1.50")],
                    gives: [
                        [
                            .text("2026-05-06T07:08:09.123456Z"), .integer(0), .text("{}"), .text("1.50"),
                            .text("2026-05-06 07:08:09"),
                        ]
                    ])
                for never in [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude] {
                    let written = SQLValue.timestamp(Date(timeIntervalSinceReferenceDate: never))
                    try await connection.expect("SELECT typeof($1), datetime($1)", [written], gives: [[.text("text"), .null]])
                }
                let error = await #expect(throws: FarewellError.self) {
                    try await connection.run("SELECT $1", .array([.bytes([1])]))
                }
                #expect(error?.code == "sql.0A000")
            }
        }
    }

    @Test("parameters are found only outside texts, quoted names and comments")
    func parameters() async throws {
        try await TestDatabase.withSQLite { database in
            try await database.withConnection { connection in
                try await connection.expect(
                    """
                    SELECT '$1''$1', "a$1", "b""$2" /* $1 '$2 */, $1 || $2 -- $1 "
                    FROM (SELECT 1 AS "a$1", 2 AS "b""$2")
                    """, [.text("x"), .text("y")],
                    gives: [[.text("$1'$1"), .integer(1), .integer(2), .text("xy")]])
            }
        }
    }
}
