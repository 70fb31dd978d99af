// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL

/// The tables by which users sign in, if they are in the schema of a plan: the session authority's own, or those of
/// Supabase Auth, which have the same names.
package struct AccountTables {
    /// One row for each account.
    package let users: TableName
    /// The parts of an account by which its user signs in or stays signed in: sessions, identities, codes and the like.
    let parts: [TableName]
    /// Whether they are the session authority's, and not a vendor's.
    let areOwn: Bool

    /// The column that names an account.
    static let key = "id"
    /// The column by which its parts name it.
    static let reference = "user_id"

    /// Tables of the session authority that are not such parts: rows that are left in them let no user sign in.
    private static let others: Set = ["users", "revocations", "known_sources", "console_sessions"]

    private static let vendorNames = [
        "refresh_tokens", "one_time_tokens", "mfa_factors", "mfa_challenges", "flow_state",
    ]

    private static let partNames = AuthorityTableName.personal.filter { !others.contains($0) } + vendorNames

    /// The names of all tables in which a sign-in keeps secrets of users, in both spellings.
    static let names = Set(
        (AuthorityTableName.personal.filter { $0 != "revocations" } + vendorNames)
            .flatMap(AuthorityTableName.spellings))

    /// `nil` if no user signs in by tables of this schema.
    package init?(_ map: SchemaMap) {
        for name in [{ TableName(schema: "auth", $0) }, { TableName("auth_" + $0) }] as [(String) -> TableName] {
            guard let users = map[name("users")], users[Self.key] != nil, users["encrypted_password"] != nil else {
                continue
            }
            self.users = users.name
            parts = Self.partNames.map(name).filter { map[$0] != nil }
            areOwn = map[name("sessions")]?["refresh_token_hash"] != nil
            return
        }
        return nil
    }

    var account: ColumnName { ColumnName(users, Self.key) }

    /// Whether a column holds the key of an account by the database's own keys, directly or through other tables.
    func isAccount(_ column: ColumnName, _ map: SchemaMap) -> Bool {
        var column = column
        var passed: Set<ColumnName> = []
        while passed.insert(column).inserted {
            if column == account { return true }
            let key = map.keys(of: column.table).first { key in
                key.key.columns == [column.column] && key.key.targetColumns.count == 1
            }
            guard let key else { return false }
            column = ColumnName(key.key.target, key.key.targetColumns[0])
        }
        return false
    }

    /// The link by which accounts would be found whose key is the subject's; `nil` where their types do not allow it,
    /// or the subject names its account by another column.
    func link(to subject: SubjectRoot, _ map: SchemaMap) -> Link? {
        guard let own = map.column(users, Self.key)?.kind, let theirs = map.column(subject.table, subject.key)?.kind,
            own == theirs || Set([own, theirs]) == [.uuid, .text],
            !map.keys(of: subject.table).contains(where: { $0.key.target == users })
        else { return nil }
        return Link(columns: [Self.key], target: subject.table, targetColumns: [subject.key])
    }
}
