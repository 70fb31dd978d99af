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
    var nearTable: TableName?
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

    /// The table that has the column.
    let holder: SchemaTable

    /// Where its name is one for a person and for no table, and the app may speak of people by the key of another table
    /// than the subject's.
    var person: ProfileTables.Target?

    /// Whether it is a text whose name is a plain word, such as `author`, and may as well be written by people.
    var isWord = false

    /// Why it may name a user although its name is none for a user's key.
    var guess: GuessedMeaning?

    /// The table whose name its own abbreviates: `repository` of `repo_id`.
    var abbreviated: TableName?

    /// - Parameter isOfPair: Whether its sibling column tells to which table it leads.
    init(
        _ read: ReadColumn, role: PersonNames.Role?, otherKey: String? = nil, profileKey: ColumnName? = nil,
        tables: [TableName] = [], naturalName: String? = nil, isOfPair: Bool = false, isWord: Bool = false
    ) {
        (column, name, self.role) = (read.column, read.name, role)
        holder = read.table
        (self.otherKey, self.profileKey, self.tables) = (otherKey, profileKey, tables)
        (self.naturalName, self.isWord) = (naturalName, isWord)
        // A key of another name, or of a profile, is one value, and so is a name.
        let isOneValue = profileKey != nil || naturalName != nil || isOfPair
        list = isOneValue ? nil : read.list
        typeColumn = isOfPair ? read.typeColumn : nil
        table = isOfPair ? read.table.name : nil
    }

    /// Words for a question about a name that has to be interpreted; `nil` for plain names.
    var reading: String? {
        guess?.reason
            ?? abbreviated.map { table in
                "\(Shown.line(name.noun, limit: 40)) may be short for \(Shown.line(table.description, limit: 160))"
            }
    }

    /// The table that the noun after a deed speaks of: `members` of `created_by_member_id`.
    var doers: [TableName] {
        guard name.act != nil || name.gift != nil, isNearNamed, let nearTable else { return [] }
        return [nearTable]
    }

    /// Whether a word says that the name means users of another service than the app: `bot_user_id`.
    var isOutside: Bool { role != nil && tables.isEmpty && name.words.dropLast().contains(where: PersonNoun.isOutside) }

    /// Whether its noun means what a school teaches: `timetables.subject_id`.
    var isTaught: Bool { role != nil && PersonNoun.isTaught(name.noun, in: holder) }

    /// Whether nothing but the ending of a noun says that numbers are users' keys: `elevator_id`.
    var onlySoundsLikePerson: Bool {
        guard guess == nil, column.kind == .integer || column.kind == .number else { return false }
        return name.act == nil && name.gift == nil && PersonNoun.onlySoundsLikeDoer(name.noun)
    }

    /// Whether a text beside the column gives the name for its number, as other services have both:
    /// `repository_owner` beside `repository_owner_id`. The words before the noun say what the user has there.
    var isNamedBeside: Bool {
        guard role != nil, name.isKey, name.act == nil, name.gift == nil, !name.isPointer, list == nil,
            !before.isEmpty, !before.contains(where: { PersonNoun.handles($0) || KeyName.directions.contains($0) })
        else { return false }
        return holder.columns.contains { other in
            other.kind == .text && other.labels == nil && other.name != column.name
                && PersonNames.words(other.name) == name.words
        }
    }

    /// The words before the noun.
    var before: [String] { Array(name.words.dropLast()) }

    /// Whether the column may be a link to users when the table that its name suggests has no user rows.
    var mayBeUser: Bool { isPersonRatherThanTable || isBeside && role != nil }

    /// Whether the name suggests a person more than the things of a table.
    var isPersonRatherThanTable: Bool {
        guard let role else { return false }
        if tables.isEmpty && !isNearNamed || name.act != nil || person != nil { return true }
        // `source_subledger_id` beside `subledgers`: only the ending of the noun is like that of a person.
        return role != .doer && !PersonNoun.tables.contains(name.noun)
    }
}
