// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// A live database's shape, read from its catalog in two or three queries.
///
/// Everything that decides where a person's data lies and what a delete would do is here; nothing of the
/// data itself is. Values are in a fixed order (by name), so that equal schemas are equal values.
public struct Schema: Sendable, Hashable, Codable {
    public var dialect: SQLDialect
    /// Every table except the database's own and Farewell's, by name.
    public var tables: [SchemaTable]
    /// What the connected role may do that matters to an erasure.
    public var role: SchemaRole

    public init(dialect: SQLDialect, tables: [SchemaTable], role: SchemaRole = SchemaRole()) {
        self.dialect = dialect
        self.tables = tables.sorted { $0.name < $1.name }
        self.role = role
    }

    public subscript(name: TableName) -> SchemaTable? { tables.first { $0.name == name } }
}

/// The connected role, as far as it matters to an erasure.
public struct SchemaRole: Sendable, Hashable, Codable {
    /// The role's name; empty on SQLite.
    public var name: String
    /// Whether row security never applies to it (superuser or `BYPASSRLS`).
    public var bypassesRowSecurity: Bool

    public init(name: String = "", bypassesRowSecurity: Bool = true) {
        self.name = name
        self.bypassesRowSecurity = bypassesRowSecurity
    }
}

/// One table.
public struct SchemaTable: Sendable, Hashable, Codable {
    /// What kind of table it is, where that changes how its rows are found or deleted.
    public enum Kind: String, Sendable, Hashable, Codable {
        case table
        /// A partitioned parent; its rows lie in its partitions.
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
    /// The primary key's columns in key order; empty where there is none.
    public var primaryKey: [String]
    /// Unique keys other than the primary one (constraints and whole-table unique indexes), in name order.
    public var uniqueKeys: [[String]]
    public var foreignKeys: [ForeignKey]
    public var indexes: [SchemaIndex]
    public var triggers: [SchemaTrigger]
    /// Row security on this table.
    public var rowSecurity: RowSecurity
    /// What the connected role may not do here, of `select`, `update`, `delete`; empty when it may do all.
    public var missingRights: [String]
    /// Whether SQLite's hidden `rowid` exists here; always false on PostgreSQL.
    public var hasRowID: Bool
    /// The planner's estimate of the number of rows; `nil` when never analysed. Not part of the fingerprint.
    public var estimatedRows: Int?

    public init(
        name: TableName, kind: Kind = .table, parents: [TableName] = [], columns: [SchemaColumn],
        primaryKey: [String] = [], uniqueKeys: [[String]] = [], foreignKeys: [ForeignKey] = [],
        indexes: [SchemaIndex] = [], triggers: [SchemaTrigger] = [], rowSecurity: RowSecurity = RowSecurity(),
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
        self.rowSecurity = rowSecurity
        self.missingRights = missingRights
        self.hasRowID = hasRowID
        self.estimatedRows = estimatedRows
    }

    public subscript(column: String) -> SchemaColumn? { columns.first { $0.name == column } }
}

/// One column.
public struct SchemaColumn: Sendable, Hashable, Codable {
    /// What kind of value it holds, as far as Farewell must know.
    public enum Kind: String, Sendable, Hashable, Codable {
        case text, integer, number, boolean, uuid, timestamp, json, bytes, array, other
    }

    public var name: String
    /// The type as the database writes it: `character varying(40)`, `uuid`, `NVARCHAR(40)`.
    public var type: String
    /// Domains are resolved to what they are made over; enums are `text`.
    public var kind: Kind
    public var isNullable: Bool
    /// Computed from other columns, or an identity column that refuses writes.
    public var isGenerated: Bool
    /// The default's expression as the catalog writes it.
    public var defaultExpression: String?
    /// The greatest length in characters where the type limits it.
    public var maximumLength: Int?

    public init(
        name: String, type: String, kind: Kind, isNullable: Bool = true, isGenerated: Bool = false,
        defaultExpression: String? = nil, maximumLength: Int? = nil
    ) {
        self.name = name
        self.type = type
        self.kind = kind
        self.isNullable = isNullable
        self.isGenerated = isGenerated
        self.defaultExpression = defaultExpression
        self.maximumLength = maximumLength
    }
}

/// A foreign key of the table it is listed under.
public struct ForeignKey: Sendable, Hashable, Codable {
    /// The constraint's name; empty on SQLite, where keys may have none.
    public var name: String
    public var columns: [String]
    public var target: TableName
    public var targetColumns: [String]
    public var onDelete: DeleteAction
    /// Whether its check can wait until commit.
    public var isDeferrable: Bool
    /// Whether the database vouches for existing rows (`NOT VALID` keys and unenforced SQLite keys are false).
    public var isValidated: Bool

    public init(
        name: String = "", columns: [String], target: TableName, targetColumns: [String],
        onDelete: DeleteAction = .noAction, isDeferrable: Bool = false, isValidated: Bool = true
    ) {
        self.name = name
        self.columns = columns
        self.target = target
        self.targetColumns = targetColumns
        self.onDelete = onDelete
        self.isDeferrable = isDeferrable
        self.isValidated = isValidated
    }
}

/// An index, primary keys and unique constraints included.
public struct SchemaIndex: Sendable, Hashable, Codable {
    public var name: String
    /// Key columns in order; an expression counts as an empty name.
    public var columns: [String]
    public var isUnique: Bool
    /// Covers only some rows (`WHERE …`).
    public var isPartial: Bool

    public init(name: String, columns: [String], isUnique: Bool = false, isPartial: Bool = false) {
        self.name = name
        self.columns = columns
        self.isUnique = isUnique
        self.isPartial = isPartial
    }
}

/// A trigger that is not the database's own.
public struct SchemaTrigger: Sendable, Hashable, Codable {
    public var name: String
    /// Of `insert`, `update`, `delete`, `truncate`, in that order.
    public var events: [String]
    /// Its definition: the trigger's text on SQLite; on PostgreSQL the called function's body.
    public var definition: String

    public init(name: String, events: [String], definition: String) {
        self.name = name
        self.events = events
        self.definition = definition
    }
}

/// Row security of a table.
public struct RowSecurity: Sendable, Hashable, Codable {
    public var isEnabled: Bool
    /// Applies to the table's owner too.
    public var isForced: Bool
    /// Whether it would hide rows from the connected role.
    public var appliesToRole: Bool

    public init(isEnabled: Bool = false, isForced: Bool = false, appliesToRole: Bool = false) {
        self.isEnabled = isEnabled
        self.isForced = isForced
        self.appliesToRole = appliesToRole
    }
}
