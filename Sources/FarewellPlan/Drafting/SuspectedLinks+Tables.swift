// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension SuspectedLinks {
    /// The tables that a name means, the likeliest first, and whether it means one only because that belongs to the
    /// same part of the app.
    func meant(
        _ read: ReadColumn, _ role: PersonNames.Role?, isWord: Bool
    ) -> (tables: [TableName], isBeside: Bool) {
        let (column, name, table) = (read.column, read.name, read.table)
        let tables = names.named(name.words, near: table.name)
        if !tables.isEmpty { return (role == nil ? [inPart(read)].compactMap(\.self) + tables : tables, false) }
        if let keyed = read.keyed, keyed == subject.table || role == nil || !holdsUsers(column) {
            return ([keyed], false)
        }
        guard !isWord else { return ([], false) }
        let isOfPeople = PersonNoun.tables.contains(name.noun) && !isSubject(name.noun)
        // A table between two others has no key of its own that the column could repeat.
        if role == nil || isOfPeople, let found = names.beside(table.name, name.words),
            mayHold(column, keyOf: found, in: table)
        {
            return ([found], true)
        }
        if role != nil, isOfPeople, let found = names.numbered(column.name, near: table.name), found != table.name,
            found != subject.table
        {
            return ([found], true)
        }
        return ([], false)
    }

    /// Whether a column may hold the key of a table, or names a part of it that others beside the column complete.
    private func mayHold(_ column: SchemaColumn, keyOf name: TableName, in table: SchemaTable) -> Bool {
        if let target = key(of: name).flatMap({ map.column(name, $0) }) {
            return KeyFit.of(column, target, in: dialect) != nil
        }
        return map[name].flatMap { RepeatedKey(named: column, in: table, of: $0, dialect) }?.columns != nil
    }

    /// The table of the same part of the app that a name means, although another table bears the whole name.
    private func inPart(_ read: ReadColumn) -> TableName? {
        names.inPart(of: read.table.name, read.name.words).flatMap { holds(read.column, keyOf: $0) ? $0 : nil }
    }

    private func holds(_ column: SchemaColumn, keyOf table: TableName) -> Bool {
        guard let key = key(of: table).flatMap({ map.column(table, $0) }) else { return false }
        return KeyFit.of(column, key, in: dialect) == .same
    }

    /// Whether a table bears the noun of a name, which is not the subjects', and has one row for each subject:
    /// `local_user` with a unique `person_id`, by which persons sign in, for `user_id`.
    func isOfAccounts(_ table: TableName, _ name: KeyName) -> Bool {
        guard !isSubject(name.noun), PersonNames.noun(of: table) == name.noun, name.words.count == 1 else {
            return false
        }
        return map[table]?.columns.contains { column in
            let own = KeyName(column.name)
            return own.isKey && own.words.count == 1 && isSubject(own.noun) && holdsUsers(column)
                && map.isUnique([column.name], in: table)
        } ?? false
    }

    // MARK: Names without the ending of a key

    /// Whether most columns for the subjects' numbers are called by the noun alone, in several tables.
    static func areBare(_ map: SchemaMap, _ subject: SubjectRoot) -> Bool {
        let own = PersonNames.words(subject.table.name)
        guard let key = map.column(subject.table, subject.key), key.kind == .integer, let noun = own.last else {
            return false
        }
        var (bare, marked) = (0, 0)
        for table in map.listed where table.name != subject.table {
            for column in table.columns where column.kind == .integer && column.defaultExpression == nil {
                let name = KeyName(column.name)
                guard name.noun == EnglishNoun.singular(noun), name.words.dropLast().elementsEqual(own.dropLast()),
                    KeyFit.areOfType(column, key, in: map.schema.dialect)
                else { continue }
                // A number under the noun for several users counts them.
                if name.isKey { marked += 1 } else if name.words.last == name.noun { bare += 1 }
            }
        }
        return bare > 1 && bare > marked
    }

    /// The other table of which such an app calls a number by the noun alone: `edit` of `edits`. A number with a
    /// default, or under a noun for several rows, counts.
    func bare(_ read: ReadColumn) -> SuspectedColumn? {
        let (column, name, table) = (read.column, read.name, read.table)
        guard areBare, !name.isKey, read.list == nil, read.typeColumn == nil, column.kind == .integer,
            column.defaultExpression == nil, PersonNames.role(name) == nil, name.words.last == name.noun,
            let found = names.named(name.words, near: table.name).first ?? names.beside(table.name, name.words),
            found != table.name, found != subject.table,
            let key = key(of: found).flatMap({ map.column(found, $0) }), KeyFit.areOfType(column, key, in: dialect)
        else { return nil }
        return guessed(read, of: found, "users' numbers are called by the noun alone, and perhaps other numbers, too")
    }

    /// The other table whose rows a side of a table between two names: `A` of `_NoteToTag` those of `Note`.
    func side(_ read: ReadColumn) -> SuspectedColumn? {
        guard Self.isJoint(read.table), let side = models(of: read.table)?[read.column.name],
            let found = names.named(side, near: read.table.name).first, found != subject.table,
            holds(read.column, keyOf: found)
        else { return nil }
        return guessed(read, of: found, "by its columns, the table connects the rows of two models")
    }

    private func guessed(_ read: ReadColumn, of table: TableName, _ reason: String) -> SuspectedColumn {
        var found = SuspectedColumn(read, role: nil, tables: [table])
        found.guess = GuessedMeaning(role: .owner, reason: reason)
        return found
    }
}
