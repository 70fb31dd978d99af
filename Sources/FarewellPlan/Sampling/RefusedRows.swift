// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The rows of a table that a check refuses as they are today, once some of their columns are null.
package struct RefusedRows {
    package let refused: Int
    /// How many rows with a value were read.
    package let read: Int

    /// The most rows with a value that are read.
    private static let mostRead = 10_000
    /// Of a table with more than `large` rows, how many are searched for rows with a value.
    private static let mostSearched = 100_000
    private static let large = 1_000_000

    /// The rows of one subject.
    package struct Owner {
        package let key: SQLValue
        /// The column that holds the subject's key.
        package let column: String
        /// The columns that hold another key in all rows that count, or none.
        package let others: [String]

        package init(_ key: SQLValue, in column: String, notIn others: [String] = []) {
            (self.key, self.column, self.others) = (key, column, others)
        }

        fileprivate func condition(_ dialect: SQLDialect) -> String {
            let own = "\(dialect.quoted(column)) = $1"
            return ([own] + others.map { "(\(dialect.quoted($0)) = $1) IS NOT TRUE" }).joined(separator: " AND ")
        }
    }

    /// Reads some rows in one bounded statement.
    ///
    /// - Parameters:
    ///   - emptied: Columns of the check.
    ///   - owner: Whose rows are read; `nil`: some rows of everyone.
    /// - Returns: `nil` if the database cannot compute the check from the row's columns, or not in time.
    package static func read(
        _ check: SchemaCheck, emptying emptied: [String], in table: SchemaTable, of owner: Owner? = nil,
        on connection: any SQLConnection
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
        let source = owner == nil ? source(table, dialect) : dialect.qualified(table.name)
        let condition = owner.map { "(\(filled)) AND \($0.condition(dialect))" } ?? filled
        let some =
            "SELECT \(values.joined(separator: ", ")) FROM \(source) WHERE \(condition) LIMIT \(mostRead)"
        let isRefused = "CASE WHEN (\(check.condition)) IS FALSE THEN 1 ELSE 0 END"
        do {
            let answer = try await connection.run(
                SQLStatement(
                    "SELECT count(*), coalesce(sum(\(isRefused)), 0) "
                        + "FROM (\(some)) AS \(dialect.rowOfConditions(of: table.name.name))",
                    owner.map { [$0.key] } ?? []))
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
