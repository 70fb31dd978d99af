// SPDX-License-Identifier: Apache-2.0
import Farewell

extension SQLiteCatalog {
    /// The collations that make differently written values equal, by table and column.
    ///
    /// No pragma reports a column's collation, so SQLite compares values: a column of no rows gives its collation to
    /// the compared value.
    static func looseEqualities(
        of tables: [TableEntry], _ connection: any SQLConnection
    ) async throws -> [String: [String: String]] {
        var equalities: [String: [String: String]] = [:]
        for table in tables {
            let columns = table.columns.filter { !$0.isHidden }.map(\.name)
            if let row = try? await connection.run(asking(columns, of: table)).rows.first {
                equalities[table.name] = Dictionary(
                    zip(columns, row).compactMap { column, value in named(value).map { (column, $0) } },
                    uniquingKeysWith: { first, _ in first })
                continue
            }
            // Another program's collation is unknown here and fails the whole query.
            for column in columns {
                let value = try? await connection.run(asking([column], of: table)).scalar
                equalities[table.name, default: [:]][column] = value.map(named) ?? SchemaColumn.unknownCollation
            }
        }
        return equalities
    }

    private static func named(_ value: SQLValue) -> String? {
        value.integer.flatMap { [1: "NOCASE", 2: "RTRIM"][$0] }
    }

    private static func asking(_ columns: [String], of table: TableEntry) -> SQLStatement {
        SQLStatement("SELECT \(columns.map { probe($0, of: table) }.joined(separator: ", "))")
    }

    /// 1 if the column treats two letter cases as equal, 2 if it ignores spaces at the end.
    private static func probe(_ column: String, of table: TableEntry) -> String {
        let dialect = SQLDialect.sqlite
        return "(SELECT sum((v = 'a') * n) FROM (SELECT \(dialect.quoted(column)) AS v, 0 AS n "
            + "FROM main.\(dialect.quoted(table.name)) WHERE 0 UNION ALL VALUES ('A', 1), ('a ', 2)))"
    }
}
