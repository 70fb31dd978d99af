// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension SuspectedLinks {
    /// Users listed in a column whose name is none for a list of keys: `watchers` in JSON, `mentions` in an array of
    /// numbers.
    func listed(_ read: ReadColumn) -> SuspectedColumn? {
        let (column, table) = (read.column, read.table)
        guard read.typeColumn == nil, let key = map.column(subject.table, subject.key), meansUsers(read),
            let form = form(column, in: table),
            let guess = people(read, form, key) ?? ofDeed(read, form, key)
        else { return nil }
        var list = read
        list.list = form
        var found = SuspectedColumn(list, role: guess.role)
        found.guess = guess
        return found
    }

    private func form(_ column: SchemaColumn, in table: SchemaTable) -> Link.ListForm? {
        switch column.kind {
        case .array: .array
        case .json: .json
        case .text: Self.said(column, in: table) == .json ? .json : nil
        default: nil
        }
    }

    /// Whether the values of a column, its default, or a check about it alone, say that it is a list in JSON.
    private static func isList(_ column: SchemaColumn, in table: SchemaTable) -> Bool {
        if column.sampledText == .lists { return true }
        if LiteralDefault.text(column.defaultExpression).flatMap({ ListText($0).form }) == .json { return true }
        return table.checks.contains { check in
            check.columns == [column.name] && check.condition.contains("_typeof") && check.condition.contains("array")
        }
    }

    /// A plain noun for several people. JSON under such a name may as well hold their names or other facts about them.
    /// So without a word for a list, the noun must be one for people who have something to do with the row, and the
    /// keys must be made by programs.
    private func people(_ read: ReadColumn, _ form: Link.ListForm, _ key: SchemaColumn) -> GuessedMeaning? {
        let (column, name) = (read.column, read.name)
        guard form == .json || form == .array && KeyFit.areOfType(column, key, in: dialect), let last = name.words.last,
            name.words.count < 3, !Self.isText(name.noun)
        else { return nil }
        let isCollective = name.words.count == 1 && PersonNoun.isCollective(last)
        let isActing = last != name.noun && PersonNoun.acts(name.noun)
        guard isCollective || isActing || Self.isPlural(last),
            let role = isCollective || isActing ? PersonNames.Role.otherSide : PersonNames.role(name)
        else { return nil }
        let isOfApp = PersonNoun.tables.contains(name.noun) && !LinkTable.listsMembers(column, of: subject.table)
        let isSaid = form == .array || Self.isList(column, in: read.table)
        let isOfRow = name.words.count == 1 && !isOfApp && !isSubject(name.noun)
        guard isSaid || column.kind == .json && (key.kind != .text || made.areSubjects) && isOfRow else { return nil }
        return GuessedMeaning(
            role: role, reason: "a list under a noun for people may be one of their keys",
            isDoubtful: !isSaid || isCollective || isOfApp && !isSubject(name.noun))
    }

    /// The meaning of a list of users' acts, where keys are numbers: those in `mentions` may as well be keys of other
    /// rows.
    private func ofDeed(_ read: ReadColumn, _ form: Link.ListForm, _ key: SchemaColumn) -> GuessedMeaning? {
        let (column, name) = (read.column, read.name)
        guard key.kind == .integer,
            form == .array ? KeyFit.areOfType(column, key, in: dialect) : Self.isList(column, in: read.table)
        else { return nil }
        let reason = "the users who did or got this may be listed by their keys"
        if name.endsInDeed, let role = PersonNames.role(name) { return GuessedMeaning(role: role, reason: reason) }
        guard PersonNoun.isListed(name.words) else { return nil }
        return GuessedMeaning(role: .otherSide, reason: reason, isDoubtful: true)
    }

    /// A text's values, its default, its type or a check says how it lists values: `'[]'`,
    /// `CHECK (json_valid(member_ids))`.
    /// Without any of them, values are probably separated by commas.
    static func said(_ column: SchemaColumn, in table: SchemaTable) -> Link.ListForm? {
        if column.sampledText == .lists { return .json }
        let checks = table.checks.filter { $0.columns == [column.name] }.map(\.condition)
        let isJSON = ([column.type] + checks).contains { PersonNames.words($0).contains { $0.contains("json") } }
        if isJSON { return .json }
        return LiteralDefault.text(column.defaultExpression).flatMap { ListText($0).form }
    }
}
