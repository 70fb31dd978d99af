// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Columns that are named like keys and lead nowhere: they identify their own row, or are one half of a secret.
enum Identification {
    /// Whether a column identifies its own row, or an app or a service, and leads to no table.
    static func isOwn(
        _ column: SchemaColumn, _ name: KeyName, in table: SchemaTable, _ map: SchemaMap, _ subject: SubjectRoot
    ) -> Bool {
        let noun = name.noun
        let own = PersonNames.words(subject.table.name).last.map { EnglishNoun.singular($0) }
        let isUsers = noun == "user" || noun == own
        if table.primaryKey == [column.name] { return isNumbered(column) }
        if isUID(column, in: table, map, subject) { return true }
        if isKeyText(column, name, isUsers: isUsers, in: table, map.column(subject.table, subject.key)) { return true }
        // `clientId` of an app for sign-in, to which the keys of its tokens lead.
        let isPerson = PersonNames.role(name) != nil && !PersonNoun.tables.contains(noun)
        return !isUsers && !isPerson && table.isUnique([column.name])
            && map.keys(to: table.name).contains { $0.key.targetColumns == [column.name] }
    }

    /// Whether the database itself numbers the rows by the column.
    static func isNumbered(_ column: SchemaColumn) -> Bool {
        column.kind == .integer
            && (column.identity != nil || column.defaultExpression?.lowercased().contains("nextval(") == true)
    }

    /// Whether the database itself makes a value for each row. A literal, such as the empty text of `DEFAULT ''`, is
    /// the same in every row.
    static func isMade(_ column: SchemaColumn) -> Bool {
        column.defaultExpression != nil && LiteralDefault.text(column.defaultExpression) == nil
    }

    /// The unique `uid` of a calendar's event, or of an app beside its secret: where users' keys are called otherwise
    /// and another column names the user, it is the row's own. If it holds numbers or UUIDs as users' keys do, that
    /// other column must name the row's owner.
    private static func isUID(
        _ column: SchemaColumn, in table: SchemaTable, _ map: SchemaMap, _ subject: SubjectRoot
    ) -> Bool {
        guard PersonNames.words(column.name) == ["uid"], PersonNames.words(subject.key) != ["uid"],
            table.name != subject.table, map.isUnique([column.name], in: table.name),
            !map.keys(of: table.name).contains(where: { $0.key.columns.contains(column.name) })
        else { return false }
        let hasForm = column.kind != .text && column.kind == map.column(subject.table, subject.key)?.kind
        func namesOwner(_ column: String) -> Bool { PersonNames.role(KeyName(column)) == .owner }
        let isNamed = map.keys(of: table.name).contains { found in
            found.key.target == subject.table && (!hasForm || found.key.columns.contains(where: namesOwner))
        }
        if isNamed { return true }
        return table.columns.contains { other in
            let name = KeyName(other.name)
            guard other.name != column.name else { return false }
            if !hasForm, ["secret", "clientsecret"].contains(PersonNames.words(other.name).joined()) { return true }
            let role = PersonNames.role(name)
            return name.isKey && !name.isList && (hasForm ? role == .owner : role != nil && role != .doer)
        }
    }

    /// `meta_key` beside `meta_value`, `consumer_key` beside `consumer_secret`, or a text too short for a key that is
    /// a number.
    private static func isKeyText(
        _ column: SchemaColumn, _ name: KeyName, isUsers: Bool, in table: SchemaTable, _ key: SchemaColumn?
    ) -> Bool {
        let words = PersonNames.words(column.name)
        guard column.kind == .text, !isUsers, words.count > 1, words.last == "key" else { return false }
        if column.maximumLength != nil, key?.kind != .text { return true }
        return table.columns.contains { other in
            let theirs = PersonNames.words(other.name)
            return theirs.dropLast().elementsEqual(words.dropLast())
                && ["secret", "value"].contains(theirs.last ?? "")
        }
    }
}
