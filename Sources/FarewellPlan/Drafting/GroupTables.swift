// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The tables whose rows several users have, such as teams: another table connects them with their members, or each
/// user's row names one.
struct GroupTables {
    let map: SchemaMap
    let users: TableName
    /// The tables with one row for each user.
    let people: Set<TableName>
    /// The tables that columns of users' rows name, although no key says so.
    var named: Set<TableName> = []

    func contains(_ table: SchemaTable) -> Bool {
        guard !people.contains(table.name) else { return false }
        return map.keys(to: table.name).contains { connectsMembers($0) || $0.isUsers(people, map) && isGroup(table) }
            || named.contains(table.name) && isGroup(table)
    }

    private func connectsMembers(_ key: SchemaMap.Key) -> Bool {
        guard let holder = map[key.table],
            LinkTable.connectsMembers(holder.name, with: key.key.target, users: users)
        else { return false }
        return LinkTable(holder, by: key.key.columns, people: people, map)?.namesOwner == false
    }

    private func isGroup(_ table: SchemaTable) -> Bool {
        PersonNames.words(table.name.name).last.map { Self.nouns.contains(EnglishNoun.singular($0)) } ?? false
    }

    private static let nouns: Set<String> = [
        "team", "organisation", "organization", "org", "company", "tenant", "workspace", "group", "department",
        "business", "firm", "agency", "household", "family", "club", "association", "community", "school", "guild",
        "server", "project", "space", "institution", "employer", "office", "branch", "crew", "clan",
    ]
}

extension SchemaMap.Key {
    /// Whether a user's row holds the key, and several users may name the same row.
    fileprivate func isUsers(_ people: Set<TableName>, _ map: SchemaMap) -> Bool {
        people.contains(table) && key.isPaired && !map.isUnique(key.columns, in: table)
    }
}
