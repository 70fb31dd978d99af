// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import GRDB

/// A refusal that SQLite's message hardly explains, explained by the database's own catalog: a trigger's, a broken or
/// impossible foreign key, a full-text index that is out of step.
struct SQLiteRefusal {
    let state: String
    var family = FarewellError.Family.yoursToFix
    let sentence: String
    var remedy: String?

    /// `nil` if the message says enough.
    init?(_ error: DatabaseError, _ names: SQLiteNames) {
        let message = error.message ?? ""
        if let made = Self.byTrigger(error, names) {
            self = made
            return
        }
        switch error.extendedResultCode {
        case .SQLITE_CONSTRAINT_TRIGGER:
            // A restricting key is kept by a trigger of SQLite's own.
            let isKey = message == "FOREIGN KEY constraint failed" && names.raising(message).isEmpty
            if isKey { self.init(key: names) } else { self.init(raised: message, names) }
        case .SQLITE_CONSTRAINT_FOREIGNKEY: self.init(key: names)
        case .SQLITE_CONSTRAINT_CHECK: self.init(check: message, names)
        case .SQLITE_CONSTRAINT_UNIQUE: self.init(index: message, names)
        case .SQLITE_CORRUPT_VTAB: self.init(outOfStep: names)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: return nil
        default:
            // Newer than the names of the codes: a value of the wrong type for a column of a strict table.
            if error.extendedResultCode.rawValue == 3_091 {
                self.init(type: message, names)
            } else if error.resultCode == .SQLITE_ERROR {
                self.init(mistake: message, names)
            } else {
                return nil
            }
        }
    }

    init(
        _ state: String, _ sentence: String, _ remedy: String?, family: FarewellError.Family = .yoursToFix
    ) {
        self.state = state
        self.sentence = sentence
        self.remedy = remedy
        self.family = family
    }

    // MARK: Constraints

    /// The text that a trigger raises is its author's and may contain values: it only identifies the trigger.
    private init(raised message: String, _ names: SQLiteNames) {
        let found = names.raising(message)
        let subject: String
        if found.count == 1 {
            subject = "The trigger \(Self.shown(found[0].name)) of \(Self.shown(found[0].table))"
        } else if !found.isEmpty {
            subject = "One of the triggers \(Self.list(found.map { "\($0.name) of \($0.table)" }))"
        } else if let table = names.changed.first {
            subject = "A trigger of \(Self.shown(table))"
        } else {
            subject = "A trigger"
        }
        self.init(
            "P0001", "\(subject) refused the change",
            Self.remedy(own: found.first?.table ?? names.changed.first) ?? Self.remedyOfRaised)
    }

    private static let remedyOfRaised =
        "Read the trigger's conditions, then let it allow the change or give the table another rule in the plan."

    /// The remedy where the refusing table is Farewell's own.
    private static func remedy(own table: String?) -> String? {
        table.flatMap { ControlTables.own($0, .sqlite) }.map(ControlTables.remedy)
    }

    private init?(key names: SQLiteNames) {
        let keys = names.blocking.map { "\($0.table) (\($0.columns.joined(separator: ", "))) to \($0.target)" }
        guard !keys.isEmpty else {
            // SQLite may report a trigger's error below a cascade as a broken key.
            let raising = names.fired.filter { SQLiteCatalog.folded($0.text).contains("raise") }
            guard !raising.isEmpty else { return nil }
            self.init(
                "23503", "A foreign key would be broken, or \(Self.written(raising)) refused the change",
                Self.remedyOfRaised)
            return
        }
        let which = keys.count == 1 || !names.broken.isEmpty ? "of" : "one of those of"
        let writing = names.broken.flatMap { names.triggers(writing: $0.table) }
        let by = writing.isEmpty ? "" : ", whose rows \(Self.written(writing)) may have written"
        self.init(
            "23503", "A foreign key would be broken: \(which) \(Self.list(keys))\(by)",
            writing.isEmpty
                ? nil
                : "Let the trigger write no row that names a deleted one, or give the referencing rows a rule in the "
                    + "plan: erase them, or unlink them.")
    }

    private init?(check message: String, _ names: SQLiteNames) {
        let mark = "CHECK constraint failed: "
        guard message.hasPrefix(mark) else { return nil }
        let text = String(message.dropFirst(mark.count))
        guard let table = names.table(defining: text) ?? names.changed.first else { return nil }
        // Text of the table's definition is no value of a row.
        let constraint = names.table(defining: text) == nil ? "" : ", constraint \(Self.shown(text))"
        self.init(
            "23514", "A check constraint was violated (table \(Self.shown(table))\(constraint))",
            Self.remedy(own: table))
    }

    /// `UNIQUE constraint failed: index 'users_lower_email'`, of an index over expressions: its table is not named.
    private init?(index message: String, _ names: SQLiteNames) {
        let mark = "UNIQUE constraint failed: index '"
        guard message.hasPrefix(mark), message.hasSuffix("'") else { return nil }
        let name = String(message.dropFirst(mark.count).dropLast())
        guard let index = names.indexes.first(where: { ExactText($0.name) == ExactText(name) }) else { return nil }
        self.init(
            "23505",
            "A key already exists (table \(Self.shown(index.table)), constraint \(Self.shown(index.name)))",
            Self.remedy(own: index.table))
    }

    /// `cannot store TEXT value in INTEGER column notes.size`
    private init?(type message: String, _ names: SQLiteNames) {
        guard let column = message.split(separator: " ").last, let table = names.tables(in: message).first else {
            return nil
        }
        self.init(
            "42804", "A value has the wrong type for its column (table \(Self.shown(table)), \(Self.shown(column)))",
            nil)
    }

    // MARK: Indexes of their own

    private init?(outOfStep names: SQLiteNames) {
        let tables = names.virtualTables
        guard let first = tables.first else { return nil }
        let isText = tables.allSatisfy { SQLiteCatalog.folded($0.text).contains("fts") }
        let kind = isText ? "full-text index" : "virtual table"
        let subject =
            tables.count == 1
            ? "The \(kind) \(Self.shown(first.name)) does not match its source rows"
            : "One of the \(isText ? "full-text indexes" : "virtual tables") \(Self.list(tables.map(\.name))) does not "
                + "match its source rows"
        let triggers = tables.count == 1 ? names.triggers(naming: first.name) : []
        let by = triggers.isEmpty ? "" : " (changed by \(Self.written(triggers)))"
        self.init("XX002", subject + by, Self.rebuilding(tables, isText: isText))
    }

    private static func rebuilding(_ tables: [SQLiteNames.Object], isText: Bool) -> String {
        guard isText else { return "Fill it again from its source rows; no back-up is needed." }
        let isContentless = tables.contains { table in
            let text = SQLiteCatalog.folded(table.text).utf8.filter { $0 > 32 }
            return String(decoding: text, as: UTF8.self).contains("content=''")
        }
        guard !isContentless else {
            return "It has no text to rebuild it from: delete all of it and fill it again; no back-up is needed."
        }
        let names = tables.prefix(5).map { identifier($0.name) }
        let statements = names.map { "INSERT INTO \($0)(\($0)) VALUES('rebuild');" }.joined(separator: " ")
        return "Rebuild it: \(statements) No back-up is needed. Find out why its triggers do not update it."
    }

    private static func identifier(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy {
            $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_")
        }
        return isPlain ? name : SQLDialect.sqlite.quoted(Shown.line(name, limit: 120))
    }

    // MARK: Mistakes in the schema

    private init?(mistake message: String, _ names: SQLiteNames) {
        if message.hasPrefix("foreign key mismatch") {
            let tables = names.tables(in: message)
            let (child, parent) = Self.mismatch(message, tables)
            self.init(
                "42830",
                "The foreign key of \(child) to \(parent) matches no key there: its target is neither the primary key "
                    + "nor a unique index",
                "Create a unique index on the target columns of \(parent), or correct the key.")
            return
        }
        if message.contains("contentless fts5 table"), let table = names.tables(in: message).first {
            let triggers = names.triggers(naming: table)
            let by = triggers.isEmpty ? "" : ", as \(Self.written(triggers)) tries to"
            let name = Self.identifier(table)
            self.init(
                "0A000",
                "The full-text index \(Self.shown(table)) has no content: its rows cannot be changed or deleted by "
                    + "their number\(by)",
                "Let the trigger pass the old text, INSERT INTO \(name)(\(name), rowid, …) "
                    + "VALUES('delete', old.rowid, old.…), or recreate the index with contentless_delete=1.")
            return
        }
        if message.hasPrefix("too many levels of trigger recursion") {
            let place = names.changed.first.map { " (table \(Self.shown($0)))" } ?? ""
            self.init(
                "XX000",
                "SQLite refused the statement: too many levels of trigger recursion\(place). Cascades and triggers "
                    + "may follow one another through at most 1000 rows",
                "If rows refer to other rows of their own table with ON DELETE CASCADE, set this key to null in every "
                    + "500th row of the long chain. If a trigger calls itself, correct the trigger.")
            return
        }
        let named = names.tables(in: message)
        let words = Self.words(message)
        guard SQLiteFailure.isUnknown(message), !words.isEmpty else {
            // The message names the missing table or column, but not the trigger that uses it.
            guard SQLiteFailure.isAboutNames(message), !names.changed.isEmpty else { return nil }
            let known = SQLiteFailure.mistake(message)
            let last = message.split(separator: " ").last?.prefix { $0 != "(" }
            let asking = names.fired.filter { trigger in last.map { names.mentions($0, trigger) } ?? false }
            guard !asking.isEmpty else {
                let parts = SQLiteFailure.isAboutParts(message) ? last.map(names.parts(naming:)) ?? [] : []
                guard !parts.isEmpty else { return nil }
                self.init(
                    known.state, "\(known.sentence)\(SQLiteFailure.name(in: message)), which \(Self.list(parts)) uses",
                    "Farewell has SQLite's own functions, collations and modules. Write it with these, or drop it.")
                return
            }
            self.init(
                known.state, "\(known.sentence)\(SQLiteFailure.name(in: message)), which \(Self.written(asking)) uses",
                "Correct the trigger or drop it.")
            return
        }
        let naming = named.count == 1 && !names.changed.contains(named[0]) ? names.triggers(naming: named[0]) : []
        // A message about a wrong value names no table, column or trigger.
        let isOfValue = named.isEmpty && !message.hasPrefix("cannot")
        let triggers = isOfValue ? names.calling(message) : naming
        let parts =
            (named.isEmpty ? names.changed : named).prefix(3).map { "table \(Self.shown($0))" }
            + (triggers.isEmpty ? [] : [Self.written(triggers)])
        let suffix = parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
        let rest = message.utf8.dropFirst(words.utf8.count).drop { " :\"'`".utf8.contains($0) }
        let next = String(decoding: rest.prefix { !" :\"'`".utf8.contains($0) }, as: UTF8.self)
        let isNamed = names.table(defining: next) == nil || named.contains(NameSpelling.of(next))
        let name = isNamed ? "" : " \(Self.shown(next))"
        let isTheirs = message.hasPrefix("cannot") || !triggers.isEmpty
        self.init(
            "XX000", "SQLite refused the statement: \(words)\(name)\(suffix)",
            isOfValue && !triggers.isEmpty
                ? "Correct the trigger or drop it. If it is right, look for an index, a check or a generated column "
                    + "that computes this; no rule of the plan helps."
                : nil,
            family: isTheirs ? .yoursToFix : .ours)
    }

    /// The tables of `foreign key mismatch - "badges" referencing "users"`.
    private static func mismatch(_ message: String, _ tables: [String]) -> (String, String) {
        let quoted = message.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        func known(_ place: Int) -> String {
            guard quoted.indices.contains(place) else { return "a table" }
            let name = NameSpelling.of(String(decoding: quoted[place], as: UTF8.self))
            return tables.contains { SQLiteCatalog.folded($0) == SQLiteCatalog.folded(name) } ? shown(name) : "a table"
        }
        return (known(1), known(3))
    }

    /// The words of a message before the first that may not be SQLite's own: a name, a text, a number.
    private static func words(_ message: String) -> String {
        let own = message.utf8.prefix {
            $0.isASCIILetterOrDigit || " _-(),".utf8.contains($0)
        }
        return String(decoding: own.prefix(120), as: UTF8.self).trimmingCharacters(in: .whitespaces)
    }

    static func shown(_ name: some StringProtocol) -> String { Shown.line(name, limit: 120) }

    private static func list(_ names: [String]) -> String {
        names.prefix(5).map(shown).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
    }

    static func written(_ triggers: [SQLiteNames.Object]) -> String {
        let names = triggers.map { "\($0.name) of \($0.table)" }
        return (names.count == 1 ? "the trigger " : "the triggers ") + list(names)
    }
}
