// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL

/// The tables of Farewell's own session authority in the schema of a plan.
///
/// The first start of a new version adds tables and columns to them. A plan from before has no entry for these, but it
/// is known what an erasure does with them. An app's own columns in these tables, and its own keys, are the plan's to
/// decide.
struct OwnTables {
    /// The tables with data of users.
    private let personal: Set<TableName>
    /// The tables about the service itself.
    private let service: Set<TableName>
    /// The columns that this version of the authority makes.
    private let columns: [TableName: Set<String>]

    private static let names = Set(
        (AuthorityTableName.personal + AuthorityTableName.service).flatMap(AuthorityTableName.spellings))

    /// `nil` if the authority keeps no users in this schema. Supabase Auth has tables of the same names, but not these
    /// columns.
    ///
    /// - Parameter isWhole: Whether the schema has the tables about the service, too; a draft's own schema has none.
    init?(_ schema: Schema, isWhole: Bool = true) {
        let found = schema.tables.filter { $0.kind == .table && Self.names.contains($0.name) }
        guard !found.isEmpty else { return nil }
        let tables = Dictionary(found.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let spelling = schema.dialect.hasSchemas ? 0 : 1
        func named(_ name: String) -> TableName { AuthorityTableName.spellings(name)[spelling] }
        func has(_ name: String, _ columns: [String]) -> Bool {
            guard let table = tables[named(name)] else { return false }
            return columns.allSatisfy { table[$0] != nil }
        }
        guard has("users", ["id", "encrypted_password"]), has("sessions", ["user_id", "refresh_token_hash"]),
            !isWhole || has("migrations", ["version", "applied_at"])
        else { return nil }
        personal = Set(AuthorityTableName.personal.map(named)).intersection(tables.keys)
        service = Set(AuthorityTableName.service.map(named)).intersection(tables.keys)
        columns = Dictionary(
            AuthorityTableName.columns.map { (named($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    func contains(_ table: TableName) -> Bool { personal.contains(table) || service.contains(table) }

    /// Whether the authority itself makes a column of one of its tables.
    func makes(_ column: String, in table: TableName) -> Bool { columns[table]?.contains(column) == true }

    /// Whether a key of one of these tables may be the authority's: it leads from its own columns to its own tables.
    func mayMake(_ key: ForeignKey, in table: TableName) -> Bool {
        contains(key.target) && key.columns.allSatisfy { makes($0, in: table) }
    }

    /// Whether all of a table may be the authority's, and nothing of it is an app's.
    func mayMake(_ table: SchemaTable) -> Bool {
        contains(table.name) && table.columns.allSatisfy { makes($0.name, in: table.name) }
            && table.foreignKeys.allSatisfy { mayMake($0, in: table.name) }
    }

    func isAboutService(_ table: TableName) -> Bool { service.contains(table) }

    /// Whether a column that the authority adds to one of these tables needs no decision: the rows are deleted, or are
    /// about the service and not about users.
    func isTolerant(_ entry: TablePlan) -> Bool {
        guard !entry.columns.isEmpty else { return false }
        return personal.contains(entry.table) && entry.rule.erasesRows
            || service.contains(entry.table) && !entry.rule.isPersonal
    }
}
