// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

extension SuspectedLinks {
    /// The person whom a name of several words may mean, or one that also means a thing.
    func person(_ read: ReadColumn, _ key: SchemaColumn) -> GuessedMeaning? {
        guard !read.isWholeKey, read.name.isKey || !isPlainText(read.column),
            KeyFit.areOfType(read.column, key, in: dialect), meansUsers(read.name.words, near: read.table.name)
        else { return nil }
        return directed(read) ?? counterpart(read) ?? compound(read)
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

    /// A noun for a person behind words that say which: `homeroom_teacher`, `lead_photographer`. With the default of a
    /// number or with words of counts it is none, and nouns for any user say less.
    private func compound(_ read: ReadColumn) -> GuessedMeaning? {
        let (column, words) = (read.column, PersonNames.words(read.column.name))
        let type = column.type.lowercased()
        guard !read.name.isKey, (2...3).contains(words.count), let noun = words.last,
            PersonSpelling.isOfPerson(words), !type.contains("small"), !type.contains("tiny"),
            column.defaultExpression == nil
        else { return nil }
        return GuessedMeaning(
            role: PersonNoun.handles(words[words.count - 2]) ? .handler : PersonNoun.role(noun) ?? .doer,
            reason: "a name that ends in a noun for a person may be that of a key", isDoubtful: !isUUID(column))
    }
}
