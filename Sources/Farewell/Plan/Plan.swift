// SPDX-License-Identifier: Apache-2.0

/// What happens to each place that holds a person's data: the whole of `farewell.yaml` as a value.
///
/// A plan is declared, not programmed: it names every table and every column of the live schema, and what
/// is not named fails `farewell check` and refuses a run.
public struct Plan: Sendable, Hashable {
    /// The version of the plan format; `1` today.
    public var version: Int
    public var subject: SubjectRoot
    /// The fingerprint of the schema this plan was made for; `nil` when never recorded.
    public var schemaFingerprint: String?
    /// One entry for every table of the schema, in name order.
    public var tables: [TablePlan]
    /// Folders that hold the person's files.
    public var folders: [FolderPlan]
    /// Systems of others that hold the person's data.
    public var systems: [SystemPlan]
    /// The order of the stages of a run. Files before rows by default, because rows name the files.
    public var order: [Stage]

    /// A stage of a run; each is one or more steps.
    public enum Stage: String, Sendable, Hashable, CaseIterable {
        /// Folders of files and, later, object storage.
        case files
        /// Every table but the subject's own.
        case rows
        /// The subject's own row. Last, because until it is gone the person can sign in and try again.
        case identity
    }

    public static let defaultOrder: [Stage] = [.files, .rows, .identity]

    public init(
        version: Int = 1, subject: SubjectRoot, schemaFingerprint: String? = nil, tables: [TablePlan],
        folders: [FolderPlan] = [], systems: [SystemPlan] = [], order: [Stage] = Plan.defaultOrder
    ) {
        self.version = version
        self.subject = subject
        self.schemaFingerprint = schemaFingerprint
        self.tables = tables
        self.folders = folders
        self.systems = systems
        self.order = order
    }

    /// The entry for a table, or `nil` when the plan does not name it.
    public subscript(table: TableName) -> TablePlan? { tables.first { $0.table == table } }
}

/// Where a person begins: the table and key that every link leads back to.
public struct SubjectRoot: Sendable, Hashable {
    public var table: TableName
    /// The single key column, e.g. `id`.
    public var key: String
    /// Columns whose values name the person elsewhere too (e-mail, phone): what a deep scan looks for.
    public var identifiers: [ColumnName]

    public init(table: TableName, key: String, identifiers: [ColumnName] = []) {
        self.table = table
        self.key = key
        self.identifiers = identifiers
    }
}

/// A column of a table.
public struct ColumnName: Sendable, Hashable, Comparable, CustomStringConvertible {
    public var table: TableName
    public var column: String

    public init(_ table: TableName, _ column: String) {
        self.table = table
        self.column = column
    }

    /// Reads `table.column` or `schema.table.column`, each part quoted with `"` where it must be; `nil` when
    /// malformed.
    public init?(parsing text: String) {
        guard let parts = TableName.parts(of: text), (2...3).contains(parts.count) else { return nil }
        self.init(
            TableName(schema: parts.count == 3 ? parts[0] : nil, parts[parts.count - 2]), parts[parts.count - 1])
    }

    public static func < (left: ColumnName, right: ColumnName) -> Bool {
        (left.table, left.column) < (right.table, right.column)
    }

    public var description: String { "\(table).\(TableName.written(column))" }
}

/// The plan's entry for one table.
public struct TablePlan: Sendable, Hashable {
    public var table: TableName
    public var rule: Rule
    /// How its rows lead to the person. Empty for the subject's own table and for tables that are not personal.
    public var links: [Link]
    /// Every column of the table and what happens to it, in the order of the table. For `erase` each is
    /// simply accounted for; for `anonymise` and `retain` each has its rule.
    public var columns: [PlannedColumn]

    /// One column of the table and what happens to it.
    public struct PlannedColumn: Sendable, Hashable {
        public var name: String
        /// `nil` where the row's own rule says everything (`erase`, `not personal`).
        public var rule: ColumnRule?

        public init(_ name: String, _ rule: ColumnRule? = nil) {
            self.name = name
            self.rule = rule
        }
    }

    public init(table: TableName, rule: Rule, links: [Link] = [], columns: [PlannedColumn] = []) {
        self.table = table
        self.rule = rule
        self.links = links
        self.columns = columns
    }
}

/// A folder of files that belong to people, below a root that nothing may escape.
public struct FolderPlan: Sendable, Hashable {
    /// The store's name in receipts and steps, e.g. `photos`.
    public var name: String
    /// The root folder, absolute or relative to the plan file. Never followed through symbolic links.
    public var root: String
    public var location: Location

    /// How the person's files are found below the root.
    public enum Location: Sendable, Hashable {
        /// Everything below one folder per person; `{subject}` stands for the subject's key: `{subject}/`.
        case folder(template: String)
        /// The files named by a column of a planned table, relative to the root.
        case column(ColumnName)
    }

    public init(name: String, root: String, location: Location) {
        self.name = name
        self.root = root
        self.location = location
    }
}
