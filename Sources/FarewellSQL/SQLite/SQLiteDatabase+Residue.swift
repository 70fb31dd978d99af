// SPDX-License-Identifier: Apache-2.0
import Farewell

extension SQLiteDatabase {
    /// The files that may hold what was once in a row: the database, its write-ahead log, the log's index
    /// and the rollback journal. Not every one exists at a given time.
    public var files: [String] {
        ["", "-wal", "-shm", "-journal"].map { path + $0 }
    }

    /// Removes what deleted rows left behind: merges full-text indexes (they keep deleted terms until then),
    /// rewrites the file, and empties the write-ahead log.
    ///
    /// Needs room for a copy of the file and an instant without other readers.
    ///
    /// - Throws: `sql.scrub-busy` (try again) when a reader kept the log from being emptied.
    public func scrub() async throws {
        try await withConnection { connection in
            for table in try await fullTextTables(connection) {
                let name = dialect.quoted(table)
                try await connection.run("INSERT INTO \(name) (\(name)) VALUES ('optimize')")
            }
            try await connection.run("VACUUM")
            let checkpoint = try await connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
            guard checkpoint.scalar?.integer == 0 else {
                throw FarewellError(
                    "sql.scrub-busy", .tryAgain,
                    "The write-ahead log could not be emptied: another connection still reads from it.",
                    remedy: "Try again when no long read is running.")
            }
        }
    }

    private func fullTextTables(_ connection: any SQLConnection) async throws -> [String] {
        let found = try await connection.run(
            """
            SELECT name, lower(sql) FROM sqlite_schema
            WHERE type = 'table' AND lower(sql) GLOB 'create virtual table*' ORDER BY name
            """)
        return found.rows.compactMap { row in
            guard let name = row.first?.text, let module = Self.module(of: row.last?.text ?? "") else { return nil }
            return Self.fullTextModules.contains(module) ? name : nil
        }
    }

    /// The modules that keep deleted text until a merge.
    private static let fullTextModules: Set<String> = ["fts3", "fts4", "fts5"]

    /// The module's name in `CREATE VIRTUAL TABLE … USING module (…)`, in lower case: the first `using` before a name,
    /// because a table may be called `using` as well.
    private static func module(of sql: String) -> String? {
        sql.matches(of: #/\susing\s+([a-z0-9_]+)\s*(?:\(|$)/#).first.map { String($0.1) }
    }
}
