// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The rows of one table: how many there are, and what each column holds for the n-th.
///
/// Rows are made in the order of time, and the rows of one user are far apart in it, as in a live system; packed
/// together they would flatter every measurement.
struct SampleTable: Sendable {
    let schema: String
    let name: String
    let count: Int
    /// Column names, each with an expression over `n`, the row's number, and `m`, its place in time.
    let columns: [(name: String, value: String)]

    func statement(_ dialect: SQLDialect) -> SQLStatement {
        let scatter = SampleScatter(count: count)
        let names = columns.map { dialect.quoted($0.name) }.joined(separator: ", ")
        let values = columns.map { "\($0.value)" }.joined(separator: ",\n    ")
        let rows =
            switch dialect {
            case .postgresql:
                // OFFSET 0 keeps the planner from copying the arithmetic into every use of n.
                """
                (SELECT m, (m * $2::bigint) % $1::bigint AS n FROM generate_series(0, $1::bigint - 1) AS m OFFSET 0)
                """
            case .sqlite:
                """
                (WITH RECURSIVE series (m, n) AS (
                    SELECT 0, 0 UNION ALL SELECT m + 1, (n + $2) % $1 FROM series WHERE m + 1 < $1)
                 SELECT m, n FROM series)
                """
            }
        let target = dialect.qualified(tableName(dialect))
        let text = "INSERT INTO \(target) (\(names))\nSELECT \(values)\nFROM \(rows) AS made"
        return SQLStatement(
            // SQLite has one kind of whole number and no casts of this form.
            dialect == .sqlite ? text.replacing("::int", with: "") : text,
            [.integer(Int64(count)), .integer(Int64(scatter.step))])
    }

    /// Schemas exist on PostgreSQL only; there `auth.users` is what SQLite calls `auth_users`.
    func tableName(_ dialect: SQLDialect) -> TableName {
        guard !dialect.hasSchemas else { return TableName(schema: schema, name) }
        return TableName(schema == "public" ? name : "\(schema)_\(name)")
    }
}
