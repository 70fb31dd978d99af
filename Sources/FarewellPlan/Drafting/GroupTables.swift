// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The tables whose rows several users have, such as teams: another table connects them with their members, a column
/// lists these, or each user's row names one. A course that its teacher leads is also that of the users who booked it.
struct GroupTables {
    let map: SchemaMap
    let users: TableName
    /// The tables with one row for each user.
    let people: Set<TableName>
    /// The tables that columns of users' rows name, although no key says so.
    var named: Set<TableName> = []

    func contains(_ table: SchemaTable) -> Bool {
        guard !people.contains(table.name) else { return false }
        return table.columns.contains { LinkTable.listsMembers($0, of: users) }
            || map.keys(to: table.name).contains { connectsMembers($0) || isUsers($0, table) }
            || named.contains(table.name) && (Self.isGroup(table.name) || mayBeShared(table))
            || isLed(table) && map.keys(to: table.name).contains(where: namesPartaker)
    }

    /// Whether the rows name a user who leads something, such as the coach of a course, or only users who handle them,
    /// such as the moderator of a forum. That the database deletes them with that user does not make them the user's.
    private func isLed(_ table: SchemaTable) -> Bool {
        let names = map.keys(of: table.name).filter { people.contains($0.key.target) }
            .compactMap { $0.key.columns.last.map { KeyName($0) } }
        if names.contains(where: { $0.words.last.map(PersonNoun.leads) == true }) { return true }
        // The users' own noun says more: `articles.editor_id` of `editors`.
        let noun = PersonNames.noun(of: users)
        return names.contains { $0.noun != noun && PersonNames.role($0, in: table.name) == .handler }
            && !table.columns.contains { column in
                let name = KeyName(column.name)
                return name.mayHoldKey && PersonNames.role(name, in: table.name) == .owner
            }
    }

    /// Whether a row with a key has a user of its own, whatever its table is called: a booking of the course.
    private func namesPartaker(_ key: SchemaMap.Key) -> Bool {
        guard !people.contains(key.table) else { return false }
        return map.keys(of: key.table).contains { other in
            people.contains(other.key.target) && Set(other.key.columns).isDisjoint(with: key.key.columns)
                && other.key.columns.last.map { PersonNames.role(KeyName($0)) } == .owner
        }
    }

    /// Whether the table with a key lists members. It may have further columns, such as a role or an inviter.
    private func connectsMembers(_ key: SchemaMap.Key) -> Bool {
        guard let holder = map[key.table], !people.contains(holder.name),
            LinkTable.connectsMembers(holder.name, with: key.key.target, users: users),
            LinkTable(holder, by: key.key.columns, people: people, map)?.namesOwner != true
        else { return false }
        let isDeclared = map.keys(of: holder.name).contains { other in
            people.contains(other.key.target) && Set(other.key.columns).isDisjoint(with: key.key.columns)
        }
        return isDeclared
            || holder.columns.contains { column in
                let name = KeyName(column.name)
                return !key.key.columns.contains(column.name) && name.isKey && PersonNames.role(name) == .owner
            }
    }

    /// Whether a user's row holds the key, and several users may name the same row: that of a group, or one of which a
    /// user has no other, named after its table (`users.location_id`).
    private func isUsers(_ key: SchemaMap.Key, _ table: SchemaTable) -> Bool {
        guard people.contains(key.table), key.key.isPaired, !map.isUnique(key.key.columns, in: key.table) else {
            return false
        }
        if Self.isGroup(table.name) { return true }
        let name = key.key.columns.count == 1 ? KeyName(key.key.columns[0]) : nil
        return name?.words.joined() == PersonNames.stem(ofTable: table.name.name).filter { $0 != " " }
            && mayBeShared(table)
    }

    /// Whether rows that users name may be without a user of their own, and are neither things such as photos nor
    /// persons: a wallet with its user is that user's.
    private func mayBeShared(_ table: SchemaTable) -> Bool {
        let isOwn = table.columns.contains { column in
            !column.isNullable
                && (PersonNames.role(column.name) == .owner
                    || map.keys(of: table.name).contains {
                        people.contains($0.key.target) && $0.key.columns == [column.name]
                    })
        }
        return !isOwn && !OwnedParents.isThing(table) && PersonNoun.role(PersonNames.noun(of: table.name)) == nil
    }

    /// Whether a table is named after what several users have together, such as a team.
    static func isGroup(_ table: TableName) -> Bool {
        PersonNames.words(table.name).last.map { nouns.contains(EnglishNoun.singular($0)) } ?? false
    }

    private static let nouns: Set<String> = [
        "team", "organisation", "organization", "org", "company", "tenant", "workspace", "group", "department",
        "business", "firm", "agency", "household", "family", "club", "association", "community", "school", "guild",
        "server", "project", "space", "institution", "employer", "office", "branch", "crew", "clan",
    ]
}
