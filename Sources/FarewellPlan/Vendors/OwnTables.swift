// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL

/// The tables of Farewell's own session authority in the schema of a plan.
///
/// The first start of a new version adds tables and columns to them. A plan from before has no entry for these, but it
/// is known what an erasure does with them.
struct OwnTables {
    /// The tables with data of users.
    private let personal: Set<TableName>
    /// The tables about the service itself.
    private let service: Set<TableName>

    private static let names = Set(
        (AuthorityTableName.personal + AuthorityTableName.service).flatMap(AuthorityTableName.spellings))

    /// `nil` if the authority keeps no users in this schema. Supabase Auth has tables of the same names, but not these
    /// columns.
    init?(_ schema: Schema) {
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
            has("migrations", ["version", "applied_at"])
        else { return nil }
        personal = Set(AuthorityTableName.personal.map(named)).intersection(tables.keys)
        service = Set(AuthorityTableName.service.map(named)).intersection(tables.keys)
    }

    func contains(_ table: TableName) -> Bool { personal.contains(table) || service.contains(table) }

    func isAboutService(_ table: TableName) -> Bool { service.contains(table) }

    /// Whether a column that is new in one of these tables needs no decision: the rows are deleted, or are about the
    /// service and not about users.
    func isTolerant(_ entry: TablePlan) -> Bool {
        guard !entry.columns.isEmpty else { return false }
        return personal.contains(entry.table) && entry.rule.erasesRows
            || service.contains(entry.table) && !entry.rule.isPersonal
    }
}
