// SPDX-License-Identifier: Apache-2.0
import Farewell

extension SQLiteCatalog {
    /// What makes values equal that are written differently, by table and column.
    ///
    /// No pragma tells a column's collation, so SQLite is asked what it takes for equal: a column of no rows gives its
    /// collation to a value that stands in its place. A collation of somebody else's program cannot be asked; the
    /// erasure that meets it says so.
    static func looseEqualities(
        of tables: [TableEntry], _ connection: any SQLConnection
    ) async throws -> [String: [String: String]] {
        var equalities: [String: [String: String]] = [:]
        for table in tables {
            let columns = table.columns.filter { !$0.isHidden }.map(\.name)
            let probes = columns.map { probe($0, of: table) }.joined(separator: ", ")
            guard let row = try await connection.run("SELECT \(probes)").rows.first else { continue }
            for (column, value) in zip(columns, row) {
                let equality = value.integer.flatMap { [1: "NOCASE", 2: "RTRIM"][$0] }
                equalities[table.name, default: [:]][column] = equality
            }
        }
        return equalities
    }

    /// 1 where the column takes two letter cases for equal, 2 where it overlooks spaces at the end.
    private static func probe(_ column: String, of table: TableEntry) -> String {
        let dialect = SQLDialect.sqlite
        return "(SELECT sum((v = 'a') * n) FROM (SELECT \(dialect.quoted(column)) AS v, 0 AS n "
            + "FROM main.\(dialect.quoted(table.name)) WHERE 0 UNION ALL VALUES ('A', 1), ('a ', 2)))"
    }
}
