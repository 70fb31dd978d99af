// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// One table.
public struct SchemaTable: Sendable, Hashable, Codable {
    /// The kind of table, if that changes how its rows are found or deleted.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// An ordinary table.
        case table
        /// A partitioned parent; its rows are in its partitions.
        case partitioned
        /// A partition of `parent`.
        case partition
        /// A foreign table (`postgres_fdw`): another server's rows.
        case foreign
        /// A virtual table of SQLite (FTS5, R*Tree).
        case virtual
        /// A materialised view: a copy of other tables' rows that only a refresh renews.
        case materializedView = "materialised view"
    }

    public var name: TableName
    public var kind: Kind
    /// The parents by partitioning or inheritance, in order.
    public var parents: [TableName]
    /// Columns in the table's order.
    public var columns: [SchemaColumn]
    /// The primary key's columns in key order; empty if there is none.
    public var primaryKey: [String]
    /// Unique keys other than the primary one (constraints and whole-table unique indexes), in name order.
    public var uniqueKeys: [[String]]
    public var foreignKeys: [ForeignKey]
    public var indexes: [SchemaIndex]
    public var triggers: [SchemaTrigger]
    /// The conditions that rows must meet, by name; on SQLite in the table's order.
    public var checks: [SchemaCheck]
    /// The exclusion constraints, by name.
    public var exclusions: [SchemaExclusion]
    /// The publications that send this table's changes to other servers, by name.
    public var publications: [SchemaPublication]
    /// The changes (`update`, `delete`) that PostgreSQL refuses here, because a publication sends them and nothing
    /// identifies the row for the receivers (`REPLICA IDENTITY`).
    public var changesRefusedForReplication: [String]
    /// Whether it can be read: false for a materialised view that was never refreshed. Not part of the fingerprint.
    public var isPopulated: Bool
    /// Row security on this table.
    public var rowSecurity: RowSecurity
    /// The missing rights of the connected role, of `usage` (of the table's schema), `select`, `update`, `delete`;
    /// empty if it has all. For a materialised view only reading counts.
    public var missingRights: [String]
    /// Whether SQLite's hidden `rowid` exists here; always false on PostgreSQL.
    public var hasRowID: Bool
    /// The planner's estimate of the number of rows; `nil` when never analysed. Not part of the fingerprint.
    public var estimatedRows: Int?
    /// The distribution of its rows over the servers of a Citus cluster; `nil` for ordinary tables.
    public var citus: CitusTable?
    /// The role that owns the table; `nil` on SQLite. Not part of the fingerprint.
    public var owner: String?
    /// The extension that the table belongs to; `nil` for all others and on SQLite. Not part of the fingerprint.
    public var ofExtension: SchemaExtension?
    /// SQLite: why a virtual table cannot be read, for example because its module is missing; `nil` for all others. Its
    /// columns are unknown.
    package var refusal: String?
    /// SQLite: whether it is a full-text index that answers the text of another table's rows, or none (`content=`), so
    /// that the words which it keeps cannot be read; `nil` for all others. Not part of the fingerprint.
    package var hidesWords: Bool?

    public init(
        name: TableName, kind: Kind = .table, parents: [TableName] = [], columns: [SchemaColumn],
        primaryKey: [String] = [], uniqueKeys: [[String]] = [], foreignKeys: [ForeignKey] = [],
        indexes: [SchemaIndex] = [], triggers: [SchemaTrigger] = [], checks: [SchemaCheck] = [],
        exclusions: [SchemaExclusion] = [], publications: [SchemaPublication] = [],
        changesRefusedForReplication: [String] = [], isPopulated: Bool = true, rowSecurity: RowSecurity = RowSecurity(),
        missingRights: [String] = [], hasRowID: Bool = false, estimatedRows: Int? = nil
    ) {
        self.name = name
        self.kind = kind
        self.parents = parents
        self.columns = columns
        self.primaryKey = primaryKey
        self.uniqueKeys = uniqueKeys
        self.foreignKeys = foreignKeys
        self.indexes = indexes
        self.triggers = triggers
        self.checks = checks
        self.exclusions = exclusions
        self.publications = publications
        self.changesRefusedForReplication = changesRefusedForReplication
        self.isPopulated = isPopulated
        self.rowSecurity = rowSecurity
        self.missingRights = missingRights
        self.hasRowID = hasRowID
        self.estimatedRows = estimatedRows
    }

    /// Whether the connected role may read its rows, which takes the right to its schema as well.
    package var isReadable: Bool {
        refusal == nil && !missingRights.contains("usage") && !missingRights.contains("select")
    }

    public subscript(column: String) -> SchemaColumn? { columns.first { $0.name == column } }

    /// A name under which SQLite's hidden `rowid` can be used here: the first that no column has taken; `nil`
    /// if there is none.
    public var rowIDName: String? {
        guard hasRowID else { return nil }
        let taken = Set(columns.map { SQLiteCatalog.folded($0.name) })
        return ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
    }
}
