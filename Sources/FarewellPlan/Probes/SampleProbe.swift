// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// Asks the database, in bounded statements: for some rows of a table, and which values are keys.
struct SampleProbe {
    let connection: any SQLConnection
    private var dialect: SQLDialect { connection.dialect }

    /// Values per statement.
    private static let chunk = 1_000

    /// Some rows' values of some columns, from different parts of a large table.
    func rows(of table: SchemaTable, columns: [String], limit: Int) async throws -> [[SQLValue]] {
        let list = columns.map { read($0, of: table) }.joined(separator: ", ")
        let name = quoted(table.name)
        let bound = SQLValue.integer(Int64(limit))
        let isLarge = (table.estimatedRows ?? 0) > limit * 10
        if dialect.hasTableSamples, isLarge, table.kind != .foreign {
            let rows = try await scattered(list, name, limit: limit, of: table.estimatedRows ?? limit)
            if !rows.isEmpty { return rows }
        } else if !dialect.hasTableSamples, table.hasRowID, table.kind == .table {
            let half = SQLValue.integer(Int64((limit + 1) / 2))
            let statement = SQLStatement(
                "SELECT \(list) FROM (SELECT * FROM \(name) ORDER BY rowid LIMIT $1) UNION ALL "
                    + "SELECT \(list) FROM (SELECT * FROM \(name) ORDER BY rowid DESC LIMIT $1)", [half])
            return try await connection.run(statement).rows
        }
        return try await connection.run(SQLStatement("SELECT \(list) FROM \(name) LIMIT $1", [bound])).rows
    }

    /// The texts of some rows, without those that are long. Of a large table, no other rows are read.
    func shortTexts(of table: SchemaTable, columns: [String], limit: Int) async throws -> [[SQLValue]] {
        let list = columns.map { column in
            let name = dialect.quoted(column)
            return "CASE WHEN length(CAST(\(name) AS text)) <= \(Self.longestText) THEN CAST(\(name) AS text) END"
        }.joined(separator: ", ")
        let statement = SQLStatement(
            "SELECT \(list) FROM \(quoted(table.name)) LIMIT $1", [.integer(Int64(limit))])
        return try await connection.run(statement).rows
    }

    private static let longestText = 2_000

    /// A column as it is read: an array of a domain as one of the domain's base type, which arrives as a list.
    private func read(_ column: String, of table: SchemaTable) -> String {
        let name = dialect.quoted(column)
        guard let element = table[column]?.elementType, Self.elements.contains(element) else { return name }
        return "CAST(\(name) AS \(element)[])"
    }

    private static let elements: Set<String> = [
        "uuid", "int2", "int4", "int8", "numeric", "float4", "float8", "text", "varchar",
    ]

    /// Rows from all over a large table: row by row up to a million rows, page by page beyond.
    private func scattered(_ list: String, _ name: String, limit: Int, of total: Int) async throws -> [[SQLValue]] {
        let byPage = total > 1_000_000
        // Neighbours on a page were written together; of twenty times as many rows a few of each page are taken.
        let percent = min(100, 100 * Double(limit * (byPage ? 20 : 2)) / Double(total))
        let statement = SQLStatement(
            "SELECT \(list) FROM \(name) TABLESAMPLE \(byPage ? "SYSTEM" : "BERNOULLI") ($1) "
                + "ORDER BY random() LIMIT $2", [.double(percent), .integer(Int64(limit))])
        return try await connection.run(statement).rows
    }

    /// Which of the UUIDs are values of a column; it may be text in any of the spellings.
    func present(_ uuids: Set<String>, in column: ColumnName, kind: SchemaColumn.Kind) async throws -> Set<String> {
        if dialect.holdsUUIDs(kind) {
            return try await present(
                uuids.sorted().compactMap(UUID.init(text:)).map { .uuid($0) }, "uuid", column)
        }
        let spellings = uuids.sorted().compactMap(UUID.init(text:)).flatMap { uuid in
            UUIDSpelling.allCases.map { $0.text(of: uuid) }
        }
        let found = try await present(spellings.map { .text($0) }, "text", column)
        return Set(found.map { UUID(spelled: $0)?.text ?? $0 })
    }

    /// Which of the texts are values of a column, or equal to one in a column that does not regard letter case.
    func matching(_ texts: Set<String>, inText name: ColumnName, _ column: SchemaColumn) async throws -> Set<String> {
        guard column.looseEquality != nil, !column.isIncomparable else {
            return try await present(texts.sorted().map { .text($0) }, "text", name, lowercased: false)
        }
        let key = dialect.quoted(name.column)
        let equality = dialect.equality(of: nil, with: column)
        // An index over the column serves where the values take its type.
        let typed = column.caselessType.map { "CAST(k.value AS \($0))" }
        let value = typed ?? equality.side("k.value")
        let stored = typed == nil ? equality.keySide(key) : key
        var found: Set<String> = []
        let all = texts.sorted()
        for start in stride(from: 0, to: all.count, by: Self.chunk) {
            let chunk = all[start..<min(start + Self.chunk, all.count)].map { SQLValue.text($0) }
            let statement = SQLStatement(
                "SELECT k.value FROM \(dialect.unpacked("$1", "text", as: "k")) "
                    + "WHERE \(value) IN (SELECT \(stored) FROM \(quoted(name.table)))", [.array(chunk)])
            found.formUnion(try await connection.run(statement).rows.compactMap { $0.first?.text })
        }
        return found
    }

    func present(_ integers: Set<Int64>, in column: ColumnName) async throws -> Set<Int64> {
        Set(try await present(integers.sorted().map { .integer($0) }, "bigint", column).compactMap { Int64($0) })
    }

    /// The least and greatest value and how many rows there are, about.
    func range(of column: ColumnName, estimate: Int?) async throws -> (range: ClosedRange<Int64>, count: Int64)? {
        let name = dialect.quoted(column.column)
        let table = quoted(column.table)
        let ends = try await connection.run("SELECT min(\(name)), max(\(name)) FROM \(table)")
        guard let row = ends.rows.first, row.count == 2, let least = row[0].integer, let greatest = row[1].integer,
            least <= greatest
        else { return nil }
        if let estimate, estimate > 0 { return (least...greatest, Int64(estimate)) }
        return (least...greatest, try await connection.run("SELECT count(*) FROM \(table)").scalar?.integer ?? 0)
    }

    private func present(
        _ values: [SQLValue], _ type: String, _ column: ColumnName, lowercased: Bool = true
    ) async throws -> Set<String> {
        let name = dialect.quoted(column.column)
        let table = quoted(column.table)
        var found: Set<String> = []
        for start in stride(from: 0, to: values.count, by: Self.chunk) {
            let chunk = Array(values[start..<min(start + Self.chunk, values.count)])
            let statement = SQLStatement(
                "SELECT \(name) FROM \(table) WHERE \(name) \(dialect.isAmong("$1", type))", [.array(chunk)])
            for row in try await connection.run(statement).rows {
                guard let text = row.first?.text else { continue }
                found.insert(lowercased ? text.lowercased() : text)
            }
        }
        return found
    }

    private func quoted(_ table: TableName) -> String {
        dialect.qualified(table)
    }
}
