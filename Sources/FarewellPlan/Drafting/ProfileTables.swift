// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The tables beside the subject's that hold one row for each user under a key of their own, such as `profiles`. Other
/// tables may speak of people by that key, and a name such as `follower_id` does not say by which.
struct ProfileTables {
    /// The table of people whose key a column repeats.
    struct Target {
        /// `nil`: the subject's own.
        var table: TableName?
        /// Another table of people that the name fits as well.
        var rival: TableName?
        /// Whether neither the name nor the row says which of both it is.
        var isUnclear = false
    }

    private let map: SchemaMap
    private let subject: SubjectRoot
    private let names: TableNames
    private let tables: Set<TableName>
    /// How many columns of other tables name each table.
    private let uses: [TableName: Int]

    /// Nouns for a person in general: a customer or a driver is a user in one part of an app only.
    private static let nouns: Set<String> = ["profile", "person", "persona", "actor", "account", "member", "identity"]
    /// Nouns for what a user may also have, and act on as a user.
    private static let things: Set<String> = ["account", "member", "identity"]

    init(_ map: SchemaMap, subject: SubjectRoot, names: TableNames) {
        (self.map, self.subject, self.names) = (map, subject, names)
        let people = Set(TableDescendants(map.schema).of(subject.table)).union([subject.table])
        let tables = Set(
            map.listed.filter { !people.contains($0.name) && Self.isProfile($0, subject, names, map) }.map(\.name))
        var uses: [TableName: Int] = [:]
        for table in map.listed where !tables.isEmpty && !people.union(tables).contains(table.name) {
            for target in table.columns.compactMap({ Self.named(by: $0, of: table, names, map) }) {
                uses[target, default: 0] += 1
            }
        }
        (self.tables, self.uses) = (tables, uses)
    }

    func contains(_ table: TableName) -> Bool { tables.contains(table) }

    /// Whether rows of a table do nothing but connect people with people or with things: they have no text, and several
    /// keys, of which one names a person.
    func isRelation(_ table: TableName) -> Bool {
        guard table != subject.table, !contains(table), let columns = map[table]?.columns else { return false }
        let others = columns.filter { column in
            map[table]?.primaryKey != [column.name] && column.kind != .boolean && column.kind != .timestamp
                && column.labels == nil
        }
        let keys = others.map { KeyName($0.name) }.filter(\.isKey)
        return keys.count > 1 && keys.count == others.count && keys.contains { PersonNames.role($0) != nil }
    }

    /// The table whose key a column repeats if its name is one for a person and for no table; `nil` where only the
    /// subject's is likely.
    ///
    /// The other keys of the row decide: beside `profile_id`, `following_id` is a profile's. Where they name both
    /// tables or none, the rest of the schema says which is likelier.
    func target(of column: SchemaColumn, _ name: KeyName, in table: SchemaTable) -> Target? {
        guard !tables.isEmpty, table.name != subject.table, !contains(table.name) else { return nil }
        let fitting = tables.filter { holds(column, keyOf: $0) }.sorted()
        let beside = Set(
            table.columns.filter { $0.name != column.name }.compactMap { Self.named(by: $0, of: table, names, map) })
        let named = fitting.filter(beside.contains)
        let isOfSubjects = beside.contains(subject.table)
        guard let profile = (named.isEmpty ? fitting : named).max(by: { uses[$0, default: 0] < uses[$1, default: 0] }),
            uses[profile, default: 0] > 0, !named.isEmpty || !isOfSubjects
        else { return nil }
        guard holds(column, keyOf: subject.table) else { return Target(table: profile) }
        let noun = Self.noun(of: profile)
        // `profile_views.profile_id` is the profile that a user views.
        let isAbout = PersonNames.words(table.name.name).contains { EnglishNoun.singular($0) == noun }
        if named.count == 1, !isOfSubjects, !isAbout {
            let isUsers = Self.things.contains(noun) && (name.act != nil || PersonNames.role(name) == .handler)
            return isUsers ? Target(rival: profile) : Target(table: profile, rival: subject.table)
        }
        guard uses[profile, default: 0] > uses[subject.table, default: 0] else { return Target(rival: profile) }
        return Target(table: profile, rival: subject.table, isUnclear: true)
    }

    private func holds(_ column: SchemaColumn, keyOf table: TableName) -> Bool {
        let name = table == subject.table ? subject.key : map[table]?.primaryKey.first
        guard let key = name.flatMap({ map.column(table, $0) }) else { return false }
        return KeyFit.of(column, key, in: map.schema.dialect) == .same
    }

    // MARK: Tables

    /// Whether a table is named after people and has one row for each user: a unique column on one side leads to the
    /// other, or each side names the other, or it is called a profile.
    private static func isProfile(
        _ table: SchemaTable, _ subject: SubjectRoot, _ names: TableNames, _ map: SchemaMap
    ) -> Bool {
        let noun = noun(of: table.name)
        guard nouns.contains(noun), let users = map[subject.table], table.primaryKey.count == 1,
            let key = table[table.primaryKey[0]],
            // A key that is the subject's own is no other one.
            named(by: key, of: table, names, map) != subject.table
        else { return false }
        let own = columns(of: table, naming: subject.table, names, map)
        let back = columns(of: users, naming: table.name, names, map)
        guard !own.isEmpty || !back.isEmpty else { return false }
        if noun == "profile" || !own.isEmpty && !back.isEmpty { return true }
        return own.contains { table.isUnique([$0]) } || back.contains { users.isUnique([$0]) }
    }

    /// The columns that are named after nothing but another table.
    private static func columns(
        of table: SchemaTable, naming target: TableName, _ names: TableNames, _ map: SchemaMap
    ) -> [String] {
        let stem = Set(PersonNames.words(target.name).map { EnglishNoun.singular($0) })
        return table.columns.filter { column in
            named(by: column, of: table, names, map) == target
                && KeyName(column.name).words.allSatisfy { stem.contains(EnglishNoun.singular($0)) }
        }.map(\.name)
    }

    /// The table that a key leads to, by its declaration or its name.
    private static func named(
        by column: SchemaColumn, of table: SchemaTable, _ names: TableNames, _ map: SchemaMap
    ) -> TableName? {
        let keys = map.keys(of: table.name).map(\.key)
        if let key = keys.first(where: { $0.columns == [column.name] }) { return key.target }
        let name = KeyName(column.name)
        guard name.isKey, !name.isList, !name.endsInDeed else { return nil }
        return names.named(name.words, near: table.name).first ?? names.ending(name.words, near: table.name)?.table
    }

    private static func noun(of table: TableName) -> String {
        PersonNames.noun(of: table)
    }
}
