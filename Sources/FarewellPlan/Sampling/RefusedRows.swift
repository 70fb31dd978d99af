// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The rows of a table that a check refuses as they are today, once some of their columns are null.
struct RefusedRows {
    let refused: Int
    /// How many rows with a value were read.
    let read: Int

    /// The most rows with a value that are read.
    private static let mostRead = 10_000
    /// Of a table with more than `large` rows, how many are searched for rows with a value.
    private static let mostSearched = 100_000
    private static let large = 1_000_000

    /// Reads some rows in one bounded statement.
    ///
    /// - Parameter emptied: Columns of the check.
    /// - Returns: `nil` if the database cannot compute the check from the row's columns, or not in time.
    static func read(
        _ check: SchemaCheck, emptying emptied: [String], in table: SchemaTable, on connection: any SQLConnection
    ) async throws -> RefusedRows? {
        let dialect = connection.dialect
        // A refused statement would end a transaction.
        guard table.isReadable, table.kind == .table || table.kind == .partitioned, !check.isOfDomain,
            !table.missingRights.contains("usage")
        else { return nil }
        let columns = check.columns.compactMap { table[$0] }
        guard columns.count == check.columns.count else { return nil }
        let values = columns.map { column in
            let name = dialect.quoted(column.name)
            return emptied.contains(column.name)
                ? "\(dialect.cast("NULL", as: column.qualifiedType)) AS \(name)" : "\(name) AS \(name)"
        }
        let filled = emptied.map { "\(dialect.quoted($0)) IS NOT NULL" }.joined(separator: " OR ")
        let some =
            "SELECT \(values.joined(separator: ", ")) FROM \(source(table, dialect)) WHERE \(filled) LIMIT \(mostRead)"
        let isRefused = "CASE WHEN (\(check.condition)) IS FALSE THEN 1 ELSE 0 END"
        do {
            let answer = try await connection.run(
                SQLStatement(
                    "SELECT count(*), coalesce(sum(\(isRefused)), 0) "
                        + "FROM (\(some)) AS \(dialect.rowOfConditions(of: table.name.name))"))
            guard let row = answer.rows.first, row.count == 2, let read = row[0].integer, let refused = row[1].integer
            else { return nil }
            return RefusedRows(refused: Int(refused), read: Int(read))
        } catch let error as FarewellError where error.family != .tryAgain || error.code == "sql.57014" {
            return nil
        }
    }

    /// The table; of a large one some pages, or the first rows.
    private static func source(_ table: SchemaTable, _ dialect: SQLDialect) -> String {
        let name = dialect.qualified(table.name)
        guard let rows = table.estimatedRows, rows > large else { return name }
        guard dialect.hasTableSamples else {
            return "(SELECT * FROM \(name) LIMIT \(mostSearched)) AS \(dialect.quoted("some rows"))"
        }
        return "\(name) TABLESAMPLE SYSTEM (\(100 * Double(mostSearched) / Double(rows)))"
    }
}
