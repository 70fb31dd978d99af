// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The tables whose rows a trigger writes, as far as its text and the functions that it calls show.
package struct TriggerWrites: Sendable {
    package enum Kind: Sendable, Hashable { case insert, update, delete }

    private let writes: [TriggerText.Write]
    private let texts: [TriggerText]
    /// Whether it may also write other tables: it runs a text as a statement, or its function cannot be read.
    package let mayWriteOthers: Bool
    /// Whether the rows that it writes do not depend on the changed rows alone: it fires once for each statement, even
    /// if that changes no row, and does not read the changed ones.
    package let isForStatement: Bool

    package init(_ trigger: SchemaTrigger) {
        texts = ([trigger.definition] + trigger.functions.map(\.definition)).map { TriggerText($0) }
        writes = texts.flatMap(\.writes)
        let isUnreadable = trigger.functions.isEmpty && trigger.calledFunction != nil
        mayWriteOthers = isUnreadable || texts.contains { $0.lower.contains("execute") }
        isForStatement =
            !trigger.isForEachRow && !trigger.isRule && !TriggerText(trigger.statement).lower.contains("referencing")
    }

    /// Whether it writes rows of a table in this way.
    package func contain(_ kind: Kind, _ table: TableName) -> Bool {
        writes.contains { $0.kinds.contains(kind) && $0.names(table) }
    }

    /// The names of the tables that it writes, in lower case and without schemas.
    var names: Set<String> {
        Set(
            writes.compactMap { write in
                TableName.parts(of: write.name.replacing("`", with: "\""))?.last?.lowercased()
            })
    }

    /// Whether it removes all rows of a table (`TRUNCATE`), however many these are, or of a table that a text which it
    /// runs does not name.
    package func empties(_ table: TableName) -> Bool {
        texts.contains { text in
            let run = text.runTruncation
            return run.isOpen || (text.truncated + run.names).contains { TriggerText.isName($0, of: table) }
        }
    }

    /// Whether the table's name is a word of its text.
    package func mention(_ table: TableName) -> Bool {
        texts.contains { text in text.words.contains { TriggerText.isName($0, of: table) } }
    }
}

extension Schema {
    /// The tables that triggers empty by `TRUNCATE`, as far as the texts show that, and those that PostgreSQL may empty
    /// with them: tables that inherit from them, partitions, and with `CASCADE` tables with a key to one of them. All
    /// tables where a trigger runs a text with `TRUNCATE` that does not name the table.
    package var truncated: Set<TableName> {
        guard dialect.hasFunctionsOfTriggers else { return [] }
        let definitions = tables.flatMap(\.triggers).flatMap { [$0.definition] + $0.functions.map(\.definition) }
        let texts = Set(definitions).filter { definition in
            let lower = definition.lowercased()
            return lower.contains("truncate") || lower.contains("execute")
        }.map { TriggerText($0) }
        let runs = texts.map(\.runTruncation)
        guard !runs.contains(where: \.isOpen) else { return Set(tables.map(\.name)) }
        let names = texts.flatMap(\.truncated) + runs.flatMap(\.names)
        guard !names.isEmpty else { return [] }
        var found = Set(tables.map(\.name).filter { table in names.contains { TriggerText.isName($0, of: table) } })
        let cascades = texts.contains { text in
            text.lower.contains("cascade") || text.literals.contains { $0.text.lowercased().contains("cascade") }
        }
        var open = found
        while !open.isEmpty {
            // A partition's rows are counted under the partitioned table, whose keys are also the partition's.
            let parents = tables.filter { open.contains($0.name) }.flatMap(\.parents)
            let emptied = tables.filter { table in
                table.parents.contains(where: open.contains)
                    || cascades && table.foreignKeys.contains { open.contains($0.target) }
            }
            open = Set(parents + emptied.map(\.name)).subtracting(found)
            found.formUnion(open)
        }
        return found
    }
}

extension TriggerText {
    /// Rows of a table that a statement in the text writes.
    struct Write: Sendable {
        /// The table's name as the text has it.
        let name: String
        let kinds: Set<TriggerWrites.Kind>

        func names(_ table: TableName) -> Bool { TriggerText.isName(name, of: table) }
    }

    /// In the order of the text, without the writes of statements that the text builds as strings.
    var writes: [Write] {
        words.indices.flatMap { place in
            [write(at: place)].compactMap(\.self)
                + truncated(at: place).map { Write(name: $0, kinds: [.delete]) }
        }
    }

    private func write(at place: Int) -> Write? {
        let rest = lower[place...]
        switch lower[place] {
        case "insert" where rest.starts(with: ["insert", "into"]):
            return named(place + 2, rest.isUpserting ? [.insert, .update] : [.insert])
        // SQLite's `INSERT OR REPLACE INTO`.
        case "insert" where rest.starts(with: ["insert", "or"]) && rest.dropFirst(3).first == "into":
            let replaces = rest.dropFirst(2).first == "replace"
            return named(place + 4, replaces ? [.insert, .delete] : rest.isUpserting ? [.insert, .update] : [.insert])
        case "replace" where rest.starts(with: ["replace", "into"]): return named(place + 2, [.insert, .delete])
        case "merge" where rest.starts(with: ["merge", "into"]): return named(place + 2, [.insert, .update, .delete])
        case "delete" where rest.starts(with: ["delete", "from", "only"]): return named(place + 3, [.delete])
        case "delete" where rest.starts(with: ["delete", "from"]): return named(place + 2, [.delete])
        case "update": return updated(place)
        default: return nil
        }
    }

    /// `UPDATE t SET`, `UPDATE ONLY t AS a SET` and SQLite's `UPDATE OR IGNORE t SET`; neither the event of a trigger
    /// nor `DO UPDATE SET`.
    private func updated(_ place: Int) -> Write? {
        let ends: Set<String> = [";", "(", ")", "begin", "update"]
        let head = lower[(place + 1)...].prefix(7).prefix { !ends.contains($0) }
        guard let set = head.firstIndex(of: "set"), set > place + 1, lower[place + 1] != "on" else { return nil }
        let isEither = lower[place + 1] == "or" && set > place + 3
        let isOnly = lower[place + 1] == "only" && set > place + 2
        return named(place + (isEither ? 3 : isOnly ? 2 : 1), [.update])
    }

    private func named(_ place: Int, _ kinds: Set<TriggerWrites.Kind>) -> Write? {
        place < words.count ? Write(name: words[place], kinds: kinds) : nil
    }

    /// Whether a word of a text is a table's name. A text may leave out the schema, and write capital letters where no
    /// quotes keep them.
    static func isName(_ word: String, of table: TableName) -> Bool {
        let written = word.replacing("`", with: "\"")
        guard let parts = TableName.parts(of: written), let last = parts.last, (1...2).contains(parts.count) else {
            return false
        }
        let isQuoted = written.contains("\"")
        func isSame(_ part: String, _ name: String) -> Bool {
            part == name || !isQuoted && part.lowercased() == name.lowercased()
        }
        guard isSame(last, table.name) else { return false }
        return parts.count == 1 || table.schema.map { isSame(parts[0], $0) } ?? true
    }
}

extension ArraySlice<String> {
    /// Whether the statement that begins here updates rows that are there already (`ON CONFLICT … DO UPDATE`).
    fileprivate var isUpserting: Bool {
        let statement = Array(prefix { $0 != ";" })
        return zip(statement, statement.dropFirst()).contains { $0 == ("do", "update") }
    }
}
