// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A column that no key binds and that is named like a key, with everything that its name may speak of.
struct SuspectedColumn {
    let column: SchemaColumn
    let name: KeyName
    let role: PersonNames.Role?
    /// The other key of the subject that the name speaks of.
    var otherKey: String?
    /// The unique column of a table with one row for each subject that the name speaks of.
    var profileKey: ColumnName?
    /// The tables that the whole name speaks of, the likeliest first.
    let tables: [TableName]
    /// A table that part of the name speaks of.
    let nearTable: TableName?
    /// Whether that part is the whole name of another table than the subject's: `default_subject_id` of `subjects`.
    var isNearNamed = false
    let list: Link.ListForm?
    let typeColumn: SchemaColumn?
    /// The unique name of the subject, beside the key, that the column may repeat.
    var naturalName: String?

    /// Whether the name means a table of the same part of the app, and perhaps the users after all.
    var isBeside = false

    /// Its own table, for one of a pair of columns.
    var table: TableName?

    /// Where its name is one for a person and for no table, and the app may speak of people by the key of another table
    /// than the subject's.
    var person: ProfileTables.Target?

    /// Whether it is a text whose name is a plain word, such as `author`, and may as well be written by people.
    var isWord = false

    /// The table that the noun after a deed speaks of: `members` of `created_by_member_id`.
    var doers: [TableName] {
        guard name.act != nil || name.gift != nil, isNearNamed, let nearTable else { return [] }
        return [nearTable]
    }

    /// Whether the column may be a link to users when the table that its name suggests has no user rows.
    var mayBeUser: Bool { isPersonRatherThanTable || isBeside && role != nil }

    /// Whether the name suggests a person more than the things of a table.
    var isPersonRatherThanTable: Bool {
        guard role != nil else { return false }
        return tables.isEmpty && !isNearNamed || name.act != nil || person != nil
            || name.words.last.map { !PersonNoun.tables.contains(EnglishNoun.singular($0)) } ?? false
    }
}
