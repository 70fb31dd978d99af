// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The facts about the tables that a vendor or a tool creates in the database of an app.
///
/// The facts themselves are in `VendorProfile+Facts.swift`, each with its date and source.
struct VendorProfile: Sendable {
    /// The name in plans, e.g. `supabase`.
    let name: String
    /// The name in sentences.
    let title: String
    /// The day on which the facts were compared with their source.
    let date: String
    let source: String
    /// Schemas that are the vendor's as a whole, with the tables known of each.
    var schemas: [String: Set<String>] = [:]
    /// Tables in schemas that are not the vendor's.
    var tables: [Bookkeeping] = []
    /// Tables that show that the vendor is here, with columns that they have; this many of them are enough.
    var marks: [Mark] = []
    var marksNeeded = 1
    var users: Users?
    /// The links of the vendor's tables to the subject without a key.
    var leads: [Lead] = []
    /// Documents in which rows of the app are repeated.
    var carriers: [Carrier] = []
    /// The columns in which the vendor's tables may name a user although no link finds it.
    var mentions: [Mention] = []
    var files: Files?
    /// Tables whose rows are the user's although the database only empties their key to the user.
    var emptied: Set<TableName> = []
    /// Tables that the facts describe only with this column: in a version without it, no key leads to the user.
    var knownWith: [TableName: String] = [:]

    struct Mark: Sendable {
        let table: TableName
        let columns: [String]
    }

    /// A table that a tool keeps where others have theirs.
    struct Bookkeeping: Sendable {
        let name: String
        /// It is the tool's only with exactly these columns, whatever their order.
        let columns: Set<String>
        /// Its place; `nil`: in any schema.
        var places: [TableName]?
    }

    /// The table of the vendor's users.
    struct Users: Sendable {
        let table: TableName
        let key: String
        /// Columns that name one user, although the database does not require it of all rows.
        let unique: Set<String>
        /// The kind of system that deletes a user where the role may not.
        let system: String

        /// Whether a column names one user, although the database does not require it.
        func isUnique(_ column: ColumnName) -> Bool { column.table == table && unique.contains(column.column) }
    }

    /// One table's ways to the subject.
    struct Lead: Sendable {
        let table: TableName
        let ways: [Way]
        /// Whether the rows are the user's, or stay and stop naming the user.
        var role = Link.Role.owner
        /// A note for the author of a plan.
        let note: String
    }

    struct Way: Sendable {
        let column: String
        var path: [String] = []
        /// Its target; `nil`: the subject's key.
        var target: ColumnName?
        var list: Link.ListForm?
    }

    /// Columns whose values the team or the app chooses, or the vendor for a short time.
    struct Mention: Sendable {
        let table: TableName
        let columns: [String]
        /// A note for the author of a plan.
        let note: String
    }

    struct Carrier: Sendable {
        let table: TableName
        let column: String
        /// The paths below which a row of the app may be.
        let members: [[String]]
        let note: String
    }

    /// The tables of message queues, which an extension creates and an app fills.
    struct Queues: Sendable {
        /// The name in sentences.
        let title: String
        let schema: String
        /// The beginnings of the tables' names.
        let prefixes: [String]
        /// The columns that every such table has.
        let marks: [String]
        /// The columns that contain what the app sends, of which older versions have only some.
        let contents: [String]

        func isQueue(_ table: SchemaTable) -> Bool {
            table.name.schema == schema && prefixes.contains { table.name.name.utf8.starts(with: $0.utf8) }
                && marks.allSatisfy { table[$0] != nil }
        }
    }

    /// The table of the files that the vendor keeps in an object store.
    struct Files: Sendable {
        let table: TableName
        let name: String
        let bucket: String
        /// The columns that name a file's owner, of which older versions have only some.
        let owners: [String]
        let buckets: TableName
        /// The buckets' column that says whether a bucket keeps earlier versions of files; `DISABLED`: never.
        let versions: String
        /// The kind of system that deletes files.
        let system: String
    }
}

extension VendorProfile {
    static func named(_ name: String) -> VendorProfile? { all.first { $0.name.utf8.elementsEqual(name.utf8) } }

    /// Whether the vendor keeps its list of files in a table: a system deletes them, and no rule of a plan.
    static func listsFiles(_ table: TableName, in plan: Plan) -> Bool {
        plan.vendors.contains { named($0.vendor)?.files?.table == table }
    }

    /// Whether the facts know this very table.
    func knows(_ table: SchemaTable) -> Bool {
        if let schema = table.name.schema, schemas[schema]?.contains(table.name.name) == true {
            return knownWith[table.name].map { table[$0] != nil } ?? true
        }
        return tables.contains { $0.isOne(table) }
    }

    /// Whether a table is the vendor's. In the vendor's schemas an app has no tables of its own: unknown tables that
    /// the role itself made there belong to the app.
    func owns(_ table: SchemaTable, for role: SchemaRole) -> Bool {
        if knows(table) { return true }
        guard let schema = table.name.schema, schemas[schema] != nil, let owner = table.owner else { return false }
        return owner != role.name
    }

    /// The profiles whose vendors are in a database, each with the tables that a plan would leave to it. A table in one
    /// vendor's schema does not belong to another one's tool.
    static func found(in map: SchemaMap) -> [(profile: VendorProfile, coverage: VendorCoverage)] {
        var found: [(profile: VendorProfile, coverage: VendorCoverage)] = []
        for profile in all {
            let taken = Set(found.flatMap { $0.profile.schemas.keys })
            let tables = map.listed.filter { table in
                !taken.contains(table.name.schema ?? "") && profile.tables.contains { $0.isOne(table) }
            }
            let isHere = profile.isHere(map)
            guard isHere || !tables.isEmpty else { continue }
            let schemas = isHere ? profile.schemas.keys.sorted() : []
            let places =
                schemas.map { VendorCoverage.Place.schema($0) } + tables.map(\.name).sorted().map { .table($0) }
            found.append((profile, VendorCoverage(vendor: profile.name, places: places)))
        }
        return found
    }

    /// Whether the marks of the vendor's schemas are in a database.
    func isHere(_ map: SchemaMap) -> Bool {
        let found = marks.filter { mark in
            guard let table = map[mark.table] else { return false }
            return mark.columns.allSatisfy { table[$0] != nil }
        }
        return !marks.isEmpty && found.count >= marksNeeded && (users == nil || AccountTables(map)?.areOwn != true)
    }
}

extension VendorProfile.Bookkeeping {
    func isOne(_ table: SchemaTable) -> Bool {
        guard places?.contains(table.name) ?? (table.name.name == name) else { return false }
        return Set(table.columns.map(\.name)) == columns
    }
}
