// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The tables of people who sign in and are no subjects, such as the staff of a shop beside its customers. Without a
/// key of the database, a column that names who made or handled a row may as well lead there, with equal numbers.
struct OtherAccounts {
    private let map: SchemaMap
    private let root: SubjectRoot
    private let tables: [(name: TableName, key: SchemaColumn)]
    /// Whether the subjects sign in with passwords of the same database as well.
    private let isSubjectAccount: Bool

    /// - Parameter accounts: Tables by which subjects sign in.
    init(_ map: SchemaMap, root: SubjectRoot, besides accounts: Set<TableName>) {
        (self.map, self.root) = (map, root)
        // A subject's row may itself refer to the account: `profiles.user_id`.
        let subjects = Set(TableDescendants(map.schema).of(root.table)).union(PersonTables.of(root, map))
            .union(accounts).union(map.keys(of: root.table).map(\.key.target))
        let noun = Self.noun(root.table.name)
        let named = Set(
            (map[root.table]?.columns ?? []).map { KeyName($0.name) }.filter(\.isKey)
                .compactMap { $0.words.last.map { EnglishNoun.singular($0) } })
        tables = map.listed.compactMap { table in
            guard !subjects.contains(table.name), table.kind == .table || table.kind == .partitioned,
                Self.isAccount(table), !named.contains(Self.noun(table.name.name)), table.primaryKey.count == 1,
                let key = table[table.primaryKey[0]],
                // The password, or the second sign-in, of a subject.
                !map.keys(of: table.name).contains(where: { subjects.contains($0.key.target) }),
                !table.columns.contains(where: { column in
                    let name = KeyName(column.name)
                    return name.isKey && ["user", noun].contains(name.noun)
                })
            else { return nil }
            return (table.name, key)
        }
        isSubjectAccount = map[root.table].map(ContactColumns.holdsPasswords) ?? false
    }

    /// A guess that leads to a subject, with what speaks for another table of people.
    func weighed(_ suspect: SuspectedLink, in table: SchemaTable) -> SuspectedLink {
        guard suspect.link.target == root.table, suspect.link.targetColumns == [root.key], suspect.link.list == nil,
            suspect.typeColumn == nil, suspect.other == nil, !suspect.isNaturalName, table.name != root.table,
            let account = tables.first(where: { table.name != $0.name && fits(suspect.column, $0.key) })
        else { return suspect }
        var found = suspect
        if mayBeStaffs(suspect) {
            (found.other, found.hasRival, found.isDoubtful) = (account.name, true, true)
        } else if let teller = Self.teller(of: suspect, in: table) {
            (found.other, found.teller, found.isDoubtful) = (account.name, teller.name, true)
        }
        return found
    }

    private func fits(_ column: SchemaColumn, _ key: SchemaColumn) -> Bool {
        KeyFit.of(column, key, in: map.schema.dialect) == .same
    }

    /// Whether a name says what a person did, and not that this person is a subject: `created_by`, `approver_id`. Where
    /// subjects have no passwords in the database, the staff rather than they write and own what the app keeps.
    private func mayBeStaffs(_ suspect: SuspectedLink) -> Bool {
        let name = suspect.name
        let noun = name.noun
        guard name.endsInDeed || noun != Self.noun(root.table.name) && noun != "user" else { return false }
        if suspect.role == .maker || suspect.role == .handler { return true }
        return !isSubjectAccount && (name.endsInDeed || Self.writers.contains(noun))
    }

    /// A column that may say whose key another column holds: `realm`, or `sender_role` beside `sender_id`.
    private static func teller(of suspect: SuspectedLink, in table: SchemaTable) -> SchemaColumn? {
        table.columns.first { other in
            guard other.name != suspect.column.name, other.kind == .text || other.labels != nil else { return false }
            let words = PersonNames.words(other.name)
            return words.count == 1 && tellers.contains(words[0]) || words == suspect.name.words + ["role"]
        }
    }

    private static let tellers: Set<String> = ["origin", "realm", "guard"]
    private static let writers: Set<String> = [
        "author", "writer", "owner", "uploader", "poster", "submitter", "initiator", "actor", "worker", "signer",
    ]
    private static let staff: Set<String> = ["admin", "administrator", "staff", "moderator", "operator"]
    private static let logins: Set<String> = ["email", "login", "username"]

    /// Whether a table is named after people and has their passwords; of the staff, sign-in names are sufficient.
    private static func isAccount(_ table: SchemaTable) -> Bool {
        let noun = noun(table.name.name)
        guard staff.contains(noun) || PersonNoun.role(noun) != nil else { return false }
        if ContactColumns.holdsPasswords(table) { return true }
        return staff.contains(noun)
            && table.columns.contains { logins.contains(PersonNames.words($0.name).joined()) && $0.kind == .text }
    }

    private static func noun(_ table: String) -> String {
        PersonNames.words(table).last.map { EnglishNoun.singular($0) } ?? ""
    }
}
