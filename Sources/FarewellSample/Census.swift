// SPDX-License-Identifier: Apache-2.0
import Crypto
public import Farewell
public import FarewellSQL

/// How many rows each table has and a hash over all their bytes: equal censuses mean that not a byte of those
/// rows differs.
public struct Census: Sendable, Hashable, Codable {
    /// Which rows of a table count.
    public struct Part: Sendable, Hashable {
        public var table: TableName
        /// The text after WHERE, over the table called `counted`, and its parameters; `nil` for every row.
        public var condition: SQLStatement?

        public init(_ table: TableName, where condition: SQLStatement? = nil) {
            self.table = table
            self.condition = condition
        }
    }

    /// One table's rows.
    public struct Count: Sendable, Hashable, Codable {
        public var table: TableName
        public var rows: Int
        /// SHA-256 in hexadecimal over the sorted rows.
        public var hash: String
    }

    public var counts: [Count]

    /// Counts whole tables, or the rows of each that meet its condition: for a neighbour test, those that do not belong
    /// to the subject. Without `parts` every row of every table counts.
    public static func take(_ database: any SQLDatabase, parts: [Part]? = nil) async throws -> Census {
        try await database.withConnection { connection in
            let schema = try await Schema.read(from: connection)
            // A partition's rows are counted with their parent.
            let whole = schema.tables.filter { $0.kind != .partition }.map { Part($0.name) }
            var counts: [Count] = []
            for part in (parts ?? whole).sorted(by: { $0.table < $1.table }) {
                guard let table = schema[part.table] else {
                    throw FarewellError("sample.no-table", .yoursToFix, "There is no table \(part.table).")
                }
                counts.append(try await count(table, part.condition, connection))
            }
            return Census(counts: counts)
        }
    }

    /// In words, which tables differ.
    public func differences(to later: Census) -> [String] {
        let before = Dictionary(counts.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        let after = Dictionary(later.counts.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        return Set(before.keys).union(after.keys).sorted().compactMap { table in
            guard before[table] != after[table] else { return nil }
            let (old, new) = (before[table]?.rows ?? 0, after[table]?.rows ?? 0)
            return old == new ? "\(table): \(old) rows, other bytes" : "\(table): \(old) rows before, \(new) after"
        }
    }

    private static func count(
        _ table: SchemaTable, _ condition: SQLStatement?, _ connection: any SQLConnection
    ) async throws -> Count {
        let dialect = connection.dialect
        let name = dialect.qualified(table.name)
        // Each database's own exact text of a row, in which null, an empty text and a number all differ.
        let row =
            switch dialect {
            case .postgresql: "counted::text"
            case .sqlite: table.columns.map { "quote(counted.\(dialect.quoted($0.name)))" }.joined(separator: "||','||")
            }
        let text = "SELECT \(row) FROM \(name) AS counted" + (condition.map { " WHERE \($0.text)" } ?? "")
        let result = try await connection.run(SQLStatement(text, condition?.parameters ?? []))
        var hash = SHA256()
        let lines = result.rows.map { Array(($0.first?.text ?? "").utf8) }
        for line in lines.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            hash.update(data: line)
            hash.update(data: [10])
        }
        let digits = hash.finalize().hexadecimal
        return Count(table: table.name, rows: result.rows.count, hash: digits)
    }
}
