// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Testing

@Suite("Conflict clauses of SQLite")
struct SQLiteConflictTests {
    @Test("SQL-01 SQL-27 the clauses of keys and of columns that may not be null are read in every spelling")
    func written() async throws {
        let table = try await SchemaSQLiteFile.table(
            "on conflict (replace",
            [
                #"""
                CREATE TABLE "on conflict (replace" ( -- UNIQUE ON CONFLICT FAIL (
                  id INTEGER CONSTRAINT "primary" PRIMARY KEY ASC ON CONFLICT ROLLBACK AUTOINCREMENT,
                  [unique] TEXT DEFAULT 'not null on conflict fail' UNIQUE/**/ON CONFLICT/* , */IGNORE,
                  `not` "my, type"(3, 4) CONSTRAINT x NOT NULL ON CONFLICT replace CHECK ("not" <> 'unique on conflict fail'),
                  "c""d" TEXT COLLATE NOCASE NULL ON CONFLICT FAIL DEFAULT (max(1, 2)) NOT NULL,
                  e TEXT REFERENCES other (a) ON DELETE SET NULL NOT DEFERRABLE, f TEXT GENERATED ALWAYS AS (e || 'x'),
                  CONSTRAINT "unique" UNIQUE (e COLLATE NOCASE ASC, "c""d") ON CONFLICT REPLACE
                  CHECK (e <> 'a' AND (1)) ON CONFLICT FAIL UNIQUE (f) ON CONFLICT ABORT, FOREIGN KEY (e) REFERENCES other (a)
                )
                """#
            ])
        #expect(table.columns.map(\.onNullConflict) == [nil, nil, .replace, nil, nil, nil])
        let keys = Dictionary(uniqueKeysWithValues: table.indexes.map { ($0.columns, $0.onConflict) })
        #expect(
            keys == [["id"]: .rollback, ["unique"]: .ignore, ["e", "c\"d"]: .replace, ["f"]: .abort])
        #expect(table.checks.map(\.condition) == ["\"not\" <> 'unique on conflict fail'", "e <> 'a' AND (1)"])
        #expect(table.checks.map(\.columns) == [["not"], ["e"]])
    }

    @Test("a removed or added clause makes another schema")
    func drift() async throws {
        let before = try await SchemaSQLiteFile.schema(["CREATE TABLE t (a TEXT UNIQUE ON CONFLICT REPLACE, b TEXT NOT NULL)"])
        let after = try await SchemaSQLiteFile.schema(["CREATE TABLE t (a TEXT UNIQUE, b TEXT NOT NULL ON CONFLICT IGNORE)"])
        #expect(before.fingerprint != after.fingerprint && before.differences(to: after).count == 2)
    }

    /// Names that are words of the grammar, and punctuation.
    private static let names = ["a", "Unique", "on", "conflict (", "replace", "x, \"y", "not null", "--", "/*", "primary key"]
    private static let actions: [ConflictAction?] = [nil, .abort, .fail, .rollback, .ignore, .replace]

    /// SQLite's treatment of a second row with the first one's values, found by trying.
    private func tried(
        _ insert: String, _ connection: any SQLConnection, count: String
    ) async throws -> ConflictAction? {
        try await connection.run("BEGIN")
        try await connection.run("DELETE FROM t")
        try await connection.run(SQLStatement(insert))
        do {
            try await connection.run(SQLStatement(insert))
        } catch {
            let isInside = (try? await connection.run(SQLStatement(count))) != nil
            try await connection.run("ROLLBACK")
            // The two others leave nothing of an earlier part of the statement that one row could show.
            return isInside ? .abort : .rollback
        }
        let rows = try await connection.run(SQLStatement(count)).rows
        try await connection.run("ROLLBACK")
        guard rows.count == 1 else { return nil }
        return rows[0].first?.integer == 1 ? .ignore : .replace
    }

    @Test("SQL-01 SQL-27 the catalog of a random table matches SQLite's behaviour", arguments: 0..<60 as Range<UInt64>)
    func oracle(_ seed: UInt64) async throws {
        var random = Seeded(seed: seed)
        let quoted = Self.names.map(SQLDialect.sqlite.quoted)
        let columns = Array(quoted.shuffled(using: &random).prefix(3))
        let action = Self.actions.randomElement(using: &random) ?? nil
        let clause = action.map { "\(random.next() % 2 == 0 ? " ON CONFLICT " : "\non/*,(*/Conflict\t")\($0.rawValue.uppercased())" } ?? ""
        let noise = ["CHECK (\(columns[0]) <> 'unique) on conflict fail')", "DEFAULT 'a, b) ('", "COLLATE BINARY", "NULL"]
        let isOfTable = random.next() % 2 == 0
        let own = isOfTable ? "" : " UNIQUE\(clause)"
        let first = "\(columns[0]) TEXT \(noise.randomElement(using: &random) ?? "")\(own)"
        let keyed = random.next() % 2 == 0 ? [columns[0]] : [columns[0], columns[2]]
        let rest = isOfTable ? ", CONSTRAINT \(columns[1]) UNIQUE (\(keyed.joined(separator: ", ")))\(clause)" : ""
        try await SchemaSQLiteFile.with([
            "CREATE TABLE t (\(first), \(columns[1]) INTEGER PRIMARY KEY, \(columns[2]) TEXT DEFAULT 1\(rest))"
        ]) { database in
            let schema = try await Schema.read(from: database)
            let index = schema[TableName("t")]?.indexes.first { $0.isUnique && $0.name != "rowid" }
            let read = index?.onConflict
            try await database.withConnection { connection in
                // The first row has 1 in the column that numbers rows, the second 2.
                let found = try await tried(
                    "INSERT INTO t (\(columns[0]), \(columns[1]), \(columns[2])) "
                        + "VALUES ('v', (SELECT count(*) + 1 FROM t), 'w')", connection,
                    count: "SELECT \(columns[1]) FROM t")
                // Ending the statement is what SQLite does unless told otherwise.
                let expected: ConflictAction = read == .fail ? .abort : read ?? .abort
                #expect(found == expected, "\(String(describing: index))")
            }
            return ()
        }
    }
}

/// Numbers that follow from a seed (SplitMix64).
private struct Seeded: RandomNumberGenerator {
    var seed: UInt64

    mutating func next() -> UInt64 {
        seed &+= 0x9E37_79B9_7F4A_7C15
        var mixed = seed
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
