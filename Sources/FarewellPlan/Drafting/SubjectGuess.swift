// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Finds the table at which a subject begins, if none was named.
package struct SubjectGuess: Sendable {
    package let table: TableName
    package let key: String
    /// Why, in words for a comment.
    package let evidence: String

    private static let users: Set<String> = ["user", "app user", "application user", "auth user"]
    private static let others: Set<String> = [
        "account", "customer", "member", "people", "person", "patient", "student", "subscriber", "client", "player",
        "profile",
    ]

    /// - Throws: `plan.subject-unknown` when no table looks like people, `plan.subject-ambiguous` naming the
    ///   candidates when several do.
    package static func root(in map: SchemaMap) throws(FarewellError) -> SubjectGuess {
        let candidates = map.listed.filter { table in
            let stem = PersonNames.stem(ofTable: table.name.name)
            return table.primaryKey.count == 1 && (users.contains(stem) || others.contains(stem))
        }
        // A table whose own key is another candidate's key is that one's profile.
        let names = Set(candidates.map(\.name))
        let roots = candidates.filter { table in
            // Its rows are rows of the candidate that it inherits from.
            guard names.isDisjoint(with: table.parents) else { return false }
            return !map.keys(of: table.name).contains { key in
                key.key.target != table.name && names.contains(key.key.target)
                    && map.isUnique(key.key.columns, in: table.name)
            }
        }
        if let auth = roots.first(where: { isAuthUsers($0.name) }) {
            return guess(auth, map, "it contains sign-ins")
        }
        let people = roots.filter { users.contains(PersonNames.stem(ofTable: $0.name.name)) }
        let referenced = roots.filter { !map.keys(to: $0.name).isEmpty }
        for group in [people, people.filter { !map.keys(to: $0.name).isEmpty }, referenced, roots]
        where group.count == 1 {
            return guess(group[0], map, "its name suggests people")
        }
        guard !map.listed.isEmpty else {
            throw FarewellError(
                "plan.subject-unknown", .yoursToFix, "This database has no tables.",
                remedy: "Check the database's address. If it is right, create the app's tables first.")
        }
        guard !roots.isEmpty else {
            throw FarewellError(
                "plan.subject-unknown", .yoursToFix, "No table of this database looks like a table of users.",
                remedy: "Name it and its key with --subject, e.g. --subject public.users.id.")
        }
        let list = roots.prefix(8).map { "\(Shown.line($0.name.description, limit: 130)) (\(evidence($0, map)))" }
        throw FarewellError(
            "plan.subject-ambiguous", .yoursToFix,
            "Several tables could be the subject's table: \(list.joined(separator: ", ")).",
            remedy: "Name the right one and its key with --subject, e.g. --subject public.users.id.")
    }

    /// The same person at their account, if the account has the same key by the database's own keys: both rows name the
    /// same subject, and only from the account everything is reached.
    func atAccount(in map: SchemaMap) -> SubjectGuess {
        let own = ColumnName(table, key)
        guard let accounts = AccountTables(map), accounts.account != own, accounts.isAccount(own, map) else {
            return self
        }
        return SubjectGuess(
            table: accounts.users, key: AccountTables.key,
            evidence: "users sign in there, by a key that it shares with \(Shown.name(own.description))")
    }

    private static func isAuthUsers(_ name: TableName) -> Bool {
        name == TableName(schema: "auth", "users") || name == TableName("auth_users")
    }

    private static func guess(_ table: SchemaTable, _ map: SchemaMap, _ reason: String) -> SubjectGuess {
        SubjectGuess(
            table: table.name, key: table.primaryKey[0], evidence: "\(reason), and \(evidence(table, map))")
    }

    private static func evidence(_ table: SchemaTable, _ map: SchemaMap) -> String {
        let count = Set(map.keys(to: table.name).map(\.table)).count
        return count == 1 ? "1 table refers to it" : "\(count) tables refer to it"
    }
}
