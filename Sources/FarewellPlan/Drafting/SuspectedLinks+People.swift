// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension SuspectedLinks {
    /// The person whom a name of several words may mean, or one that also means a thing.
    func person(_ read: ReadColumn, _ key: SchemaColumn) -> GuessedMeaning? {
        guard !read.isWholeKey, read.name.isKey || !isPlainText(read.column),
            KeyFit.areOfType(read.column, key, in: dialect), meansUsers(read.name.words, near: read.table.name)
        else { return nil }
        return directed(read) ?? counterpart(read) ?? undergone(read, key) ?? compound(read)
    }

    /// An end of what passes between people, behind a word for it: `msg_from`, `fwd_from_id`.
    private func directed(_ read: ReadColumn) -> GuessedMeaning? {
        let words = read.name.words
        guard words.count == 2, ["from", "to"].contains(words[1]),
            PersonNoun.isExchange(words[0]) || Self.forwarded.contains(words[0])
        else { return nil }
        return GuessedMeaning(
            role: .otherSide, reason: "by its name, something passed \(words[1]) what it names",
            isDoubtful: !isUUID(read.column))
    }

    private static let forwarded: Set<String> = ["fwd", "fw", "forward", "forwarded", "sms", "text", "money"]

    /// The other side of a conversation, under a word that networks use as well: `peer_id` beside a user, or in chats.
    private func counterpart(_ read: ReadColumn) -> GuessedMeaning? {
        let (name, table) = (read.name, read.table)
        guard name.words == ["peer"] else { return nil }
        let isSaid =
            PersonNames.words(table.name.name).contains { PersonNoun.isExchange($0) || $0.hasPrefix("dialog") }
            || table.foreignKeys.contains { $0.target == subject.table && $0.columns != [read.column.name] }
            || table.columns.contains { $0.name != read.column.name && namesUser($0, in: table) }
        guard isSaid else { return nil }
        return GuessedMeaning(
            role: .otherSide, reason: "a peer may be the user on the other side", isDoubtful: !isUUID(read.column))
    }

    /// The user to whom another user of the row does something, by the names of both: `impersonated_id` beside
    /// `impersonator_id`.
    private func undergone(_ read: ReadColumn, _ key: SchemaColumn) -> GuessedMeaning? {
        guard read.name.isKey, read.name.words.count == 1, let word = read.name.words.first, word.hasSuffix("ed"),
            word.count > 4
        else { return nil }
        let stem = word.dropLast(2)
        let doers = ["\(stem)er", "\(stem)or"]
        let isBesideDoer = read.table.columns.contains { other in
            let name = KeyName(other.name)
            return name.isKey && name.words.count == 1 && doers.contains(name.words[0])
                && KeyFit.areOfType(other, key, in: dialect)
        }
        guard isBesideDoer else { return nil }
        return GuessedMeaning(
            role: .otherSide, reason: "beside the user who does it, it may be the one to whom it is done",
            isDoubtful: !isUUID(read.column))
    }

    /// A noun for a person behind words that say which: `homeroom_teacher`, `lead_photographer`. With the default of a
    /// number or with words of counts it is none, and nouns for any user say less.
    private func compound(_ read: ReadColumn) -> GuessedMeaning? {
        let (column, words) = (read.column, PersonNames.words(read.column.name))
        let type = column.type.lowercased()
        guard !read.name.isKey, (2...3).contains(words.count), let noun = words.last,
            PersonSpelling.isOfPerson(words), meansUsers([noun], near: read.table.name), !type.contains("small"),
            !type.contains("tiny"), column.defaultExpression == nil
        else { return nil }
        return GuessedMeaning(
            role: PersonNoun.handles(words[words.count - 2]) ? .handler : PersonNoun.role(noun) ?? .doer,
            reason: "a name that ends in a noun for a person may be that of a key", isDoubtful: !isUUID(column))
    }

    // MARK: Tables between two

    /// A side of a table with which Prisma connects the rows of two models: `A` and `B` of `_PostToUser`, in the order
    /// of their names. A relation of its own name, such as `_Watchlist`, does not say which side is which.
    func joined(_ read: ReadColumn) -> GuessedMeaning? {
        guard Self.isJoint(read.table) else { return nil }
        let isSaid = models(of: read.table) != nil
        if let side = models(of: read.table)?[read.column.name] {
            guard names.named(side, near: read.table.name).contains(subject.table) else { return nil }
        }
        return GuessedMeaning(
            role: .owner, reason: "by its columns, the table connects the rows of two models, and one may be the users",
            isDoubtful: !isSaid)
    }

    /// Whether a table is one with which Prisma connects two models.
    static func isJoint(_ table: SchemaTable) -> Bool {
        table.name.name.hasPrefix("_") && table.columns.map(\.name).sorted() == ["A", "B"]
    }

    /// The words for the model on each side; `nil` if the relation has a name of its own.
    func models(of table: SchemaTable) -> [String: [String]]? {
        let models = table.name.name.dropFirst().split(separator: "To").map { PersonNames.words(String($0)) }
        guard models.count == 2, models.contains(where: { !names.named($0, near: table.name).isEmpty }) else {
            return nil
        }
        return ["A": models[0], "B": models[1]]
    }

    /// Whether a column with the noun of its own table names another user than the one beside it, because rows are
    /// known by both: `emergency_contacts (user_id, emergency_contact_id)`.
    func isSecondUser(_ column: SchemaColumn, in table: SchemaTable) -> Bool {
        guard !table.isUnique([column.name]), let others = table.columnsUnique(with: column.name),
            !map.keys(to: table.name).contains(where: { $0.key.targetColumns.contains(column.name) })
        else { return false }
        return table.columns.contains { others.contains($0.name) && namesUser($0, in: table) }
    }

    /// Whether such a column as likely has a number that the user beside it gave to the row: `customers (user_id,
    /// customer_id)`, but not `friends (user_id, friend_id)`.
    func mayBeNumber(_ suspected: SuspectedColumn) -> Bool {
        let (column, table) = (suspected.column, suspected.holder)
        return PersonNoun.tables.contains(suspected.name.noun)
            && PersonNames.stem(ofTable: table.name.name) == PersonNames.stem(column.name) && !isUUID(column)
            && !table.primaryKey.contains(column.name) && isSecondUser(column, in: table)
    }

    /// Whether a noun for a person also names tables, of which none has a number that the column could repeat.
    func haveNoNumber(_ suspected: SuspectedColumn) -> Bool {
        guard suspected.role != nil, suspected.list == nil, !suspected.tables.isEmpty, holdsUsers(suspected.column)
        else { return false }
        return suspected.tables.allSatisfy { name in
            guard name != subject.table, let table = map[name], [.table, .partitioned].contains(table.kind),
                table.primaryKey.isEmpty
            else { return false }
            return !table.columns.contains { table.holdsEachOnce($0.name) }
        }
    }
}
