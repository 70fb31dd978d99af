// SPDX-License-Identifier: Apache-2.0

/// Reads from Citus's own catalog how tables are distributed over the servers. Not used without Citus.
enum CitusCatalog {
    /// Whether Citus is installed in this database; an expression.
    static let isThere = "pg_catalog.to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL"

    /// The tables by their numbers in the catalog.
    static func tables(on connection: any SQLConnection) async throws -> [Int64: CitusTable] {
        var tables: [Int64: CitusTable] = [:]
        for row in try await connection.run(query).rows {
            var row = CatalogRow(row)
            let number = try row.integer()
            let (method, model) = (try row.optionalText(), try row.optionalText())
            let (column, colocation) = (try row.optionalName(), Int(try row.integer()))
            tables[number] = CitusTable(
                spread: spread(method: method, model: model, colocation: colocation), column: column,
                colocation: colocation, isColumnar: try row.flag())
        }
        return tables
    }

    /// - Parameters:
    ///   - method: `h` hash, `r` range, `a` append, `n` no column; `nil` for a table that Citus does not know.
    ///   - model: `t` copies committed together, `s` streaming replication, `c` the coordinator's own.
    static func spread(method: String?, model: String?, colocation: Int) -> CitusTable.Spread {
        switch (method, model) {
        case (nil, _): .local
        case ("h", _): .hashed
        case ("n", "t"): .reference
        case ("n", _): colocation == 0 ? .managed : .oneShard
        default: .ranged
        }
    }

    private static let query = SQLStatement(
        """
        SELECT class.oid::bigint, spread.partmethod::text, spread.repmodel::text,
               pg_catalog.column_to_column_name(spread.logicalrelid, spread.partkey),
               coalesce(spread.colocationid, 0)::bigint, coalesce(method.amname = 'columnar', false)
        FROM pg_catalog.pg_class AS class
        LEFT JOIN pg_catalog.pg_dist_partition AS spread ON spread.logicalrelid = class.oid
        LEFT JOIN pg_catalog.pg_am AS method ON method.oid = class.relam
        WHERE spread.logicalrelid IS NOT NULL OR class.relkind = 'r' AND method.amname = 'columnar'
        """)
}
