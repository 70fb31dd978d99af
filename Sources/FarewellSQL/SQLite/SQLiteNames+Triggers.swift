// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The triggers whose own statements may have failed.
extension SQLiteNames {
    /// The triggers of the tables whose rows the statement changes, and those that fire because of what these write.
    var firing: [Object] {
        var found = fired
        var position = 0
        while position < found.count {
            let names = Self.written(by: found[position])
            position += 1
            for trigger in triggers where names.contains(SQLiteCatalog.folded(trigger.table)) {
                let isKnown = found.contains { ExactText($0.name) == ExactText(trigger.name) }
                if !isKnown { found.append(trigger) }
            }
        }
        return found
    }

    /// The triggers whose statements write rows of a table: all of the database's if the transaction could not end,
    /// otherwise those that fire.
    func triggers(writing table: String) -> [Object] {
        let table = SQLiteCatalog.folded(table)
        return (isEnding ? triggers : firing).filter { Self.written(by: $0).contains(table) }
    }

    /// The triggers that alone can have written the row of a table that was refused; none if the statement itself may
    /// have, or a key of the database that empties or follows a value.
    func culprits(writing table: String) -> [Object] {
        mayWriteItself(table) ? [] : triggers(writing: table)
    }

    /// The triggers that fire and whose text has a word of a message (`json` of `malformed JSON`), or else all that
    /// fire.
    func calling(_ message: String) -> [Object] {
        let words = SQLiteCatalog.folded(message).split { !$0.isLetter }.filter { $0.utf8.count > 3 }
        let firing = firing
        let meant = firing.filter { trigger in
            let text = SQLiteCatalog.folded(trigger.text)
            return words.contains { text.contains($0) }
        }
        return meant.isEmpty ? firing : meant
    }

    /// The indexes of the tables that the statement changes, or else these tables, whose text has a name as a word: an
    /// index, a check or a generated column uses it.
    func parts(naming name: Substring) -> [String] {
        let reached = Set(reached)
        func using(_ objects: [Object]) -> [Object] {
            objects.filter { reached.contains(SQLiteCatalog.folded($0.table)) && mentions(name, $0) }
        }
        let indexes = using(indexes)
        guard indexes.isEmpty else { return indexes.map { "the index \($0.name) of \($0.table)" } }
        return using(tables).map { "a check, column or key of the table \($0.name)" }
    }

    private static func written(by trigger: Object) -> Set<String> {
        Set(ChangedTables(trigger.text).names.map(bare).map(SQLiteCatalog.folded))
    }
}
