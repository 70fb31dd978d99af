// SPDX-License-Identifier: Apache-2.0

/// Citus: how the rows of one table lie on the servers of the cluster.
///
/// Source: `pg_dist_partition`, as Citus 11 to 13 fill it.
public struct CitusTable: Sendable, Hashable, Codable {
    /// Where the rows lie.
    public enum Spread: String, Sendable, Hashable, Codable {
        /// Rows lie on worker nodes, by the hash of one column.
        case hashed
        /// Rows lie on worker nodes, by ranges of one column, or in the order in which they came (`append`).
        case ranged
        /// Every server has a copy of all rows.
        case reference
        /// All rows lie on one server (`create_distributed_table(…, NULL)`, schema-based sharding).
        case oneShard = "one shard"
        /// Rows lie on the coordinator, and Citus knows of the table.
        case managed
        /// Citus does not know of the table.
        case local
    }

    public var spread: Spread
    /// The column that decides on which server a row lies; `nil` where none does.
    public var column: String?
    /// Tables of one number have rows of one key on one server; 0 where that is not so.
    public var colocation: Int
    /// Whether rows are stored by columns: such a table refuses `UPDATE` and `DELETE`.
    public var isColumnar: Bool

    public init(spread: Spread, column: String? = nil, colocation: Int = 0, isColumnar: Bool = false) {
        self.spread = spread
        self.column = column
        self.colocation = colocation
        self.isColumnar = isColumnar
    }

    /// Whether Citus plans the statements about the table: rows lie in shards, and the table's own counters say
    /// nothing.
    package var isDistributed: Bool { spread != .local }

    /// Whether other servers hold rows.
    package var isElsewhere: Bool { spread != .local && spread != .managed }
}

extension Schema {
    /// Citus: whether it plans the statements about some table. One statement then cannot do all that PostgreSQL can:
    /// nothing recurses, nothing changes rows inside a query, no row is found by its place, and the coordinator does
    /// not count rows that keys of the database delete.
    package var isDistributed: Bool { tables.contains { $0.citus?.isDistributed == true } }
}
