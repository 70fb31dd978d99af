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

    /// Columns that become null in the same change, in rows that name the same user there as in the emptied columns.
    package struct Joint: Sendable, Hashable {
        package let columns: [String]
        /// Columns with equal values in such a row.
        package let pairs: [Pair]

        package init(_ columns: [String], where pairs: [Pair]) { (self.columns, self.pairs) = (columns, pairs) }
    }

    /// Two columns that hold equal values in a row.
    package struct Pair: Sendable, Hashable {
        package let first: String
        package let second: String

        package init(_ first: String, _ second: String) { (self.first, self.second) = (first, second) }
    }

    private static func areEqual(_ pairs: [Pair], _ dialect: SQLDialect) -> String {
        pairs.map { "\(dialect.quoted($0.first)) = \(dialect.quoted($0.second))" }.joined(separator: " AND ")
    }

    /// Reads some rows in one bounded statement.
    ///
    /// - Parameters:
    ///   - emptied: Columns of the check.
    ///   - joint: Further columns that become null in some of the rows.
    ///   - own: Pairs of columns that are equal in rows that are deleted, so that they do not count.
    ///   - owner: Whose rows are read; `nil`: some rows of everyone.
    /// - Returns: `nil` if the database cannot compute the check from the row's columns, or not in time.
    package static func read(
        _ check: SchemaCheck, emptying emptied: [String], with joint: [Joint] = [], in table: SchemaTable,
        notOwn own: [[Pair]] = [], of owner: Owner? = nil, on connection: any SQLConnection
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
            guard !emptied.contains(column.name) else {
                return "\(dialect.cast("NULL", as: column.qualifiedType)) AS \(name)"
            }
            let lost = joint.first { $0.columns.contains(column.name) }
            return lost.map { "CASE WHEN \(areEqual($0.pairs, dialect)) THEN NULL ELSE \(name) END AS \(name)" }
                ?? "\(name) AS \(name)"
        }
        let filled = emptied.map { "\(dialect.quoted($0)) IS NOT NULL" }.joined(separator: " OR ")
        let source = owner == nil ? source(table, dialect) : dialect.qualified(table.name)
        let others = own.map { " AND (\(areEqual($0, dialect))) IS NOT TRUE" }.joined()
        let condition = "(\(filled))\(others)" + (owner.map { " AND \($0.condition(dialect))" } ?? "")
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
    static func source(_ table: SchemaTable, _ dialect: SQLDialect) -> String {
        let name = dialect.qualified(table.name)
        guard let rows = table.estimatedRows, rows > large else { return name }
        guard dialect.hasTableSamples else {
            return "(SELECT * FROM \(name) LIMIT \(mostSearched)) AS \(dialect.quoted("some rows"))"
        }
        return "\(name) TABLESAMPLE SYSTEM (\(100 * Double(mostSearched) / Double(rows)))"
    }
}
