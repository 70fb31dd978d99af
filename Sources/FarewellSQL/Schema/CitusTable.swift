// SPDX-License-Identifier: Apache-2.0

/// Citus: the distribution of one table's rows over the servers of the cluster.
///
/// Source: `pg_dist_partition`, as Citus 11 to 13 fill it.
public struct CitusTable: Sendable, Hashable, Codable {
    /// The kind of distribution.
    public enum Spread: String, Sendable, Hashable, Codable {
        /// Rows are on worker nodes, by the hash of one column.
        case hashed
        /// Rows are on worker nodes, by ranges of one column, or in the order of their arrival (`append`).
        case ranged
        /// Every server has a copy of all rows.
        case reference
        /// All rows are on one server (`create_distributed_table(…, NULL)`, schema-based sharding).
        case oneShard = "one shard"
        /// Rows are on the coordinator, and Citus knows the table.
        case managed
        /// Citus does not know of the table.
        case local
    }

    public var spread: Spread
    /// The column that decides the server of a row; `nil` if there is none.
    public var column: String?
    /// Tables of one number have rows of one key on one server; 0 if that is not so.
    public var colocation: Int
    /// Whether rows are stored by columns: such a table refuses `UPDATE` and `DELETE`.
    public var isColumnar: Bool

    public init(spread: Spread, column: String? = nil, colocation: Int = 0, isColumnar: Bool = false) {
        self.spread = spread
        self.column = column
        self.colocation = colocation
        self.isColumnar = isColumnar
    }

    /// Whether Citus plans the statements about the table: rows are in shards, and the table's own counters say
    /// nothing.
    package var isDistributed: Bool { spread != .local }

    /// Whether other servers hold rows.
    package var isElsewhere: Bool { spread != .local && spread != .managed }
}

extension SchemaTable {
    /// Whether the database can keep these columns unique: Citus keeps only keys with the distribution column.
    package func canBeUnique(_ columns: [String]) -> Bool { citus?.column.map(columns.contains) ?? true }
}

extension Schema {
    /// Citus: whether it plans the statements about some table. One statement then cannot do all that PostgreSQL can:
    /// nothing recurses, nothing changes rows inside a query, no row is found by its place, and the coordinator does
    /// not count rows that keys of the database delete.
    package var isDistributed: Bool { tables.contains { $0.citus?.isDistributed == true } }
}
