// SPDX-License-Identifier: Apache-2.0
import Farewell
import GRDB

/// The names that an open database's own catalog has for a refused statement: SQLite's messages hardly name anything.
///
/// Only names that the catalog has are passed on, so that none of them is a value of a row.
struct SQLiteNames {
    struct Object {
        let name: String
        /// The table that a trigger or an index belongs to.
        let table: String
        let text: String
    }

    struct Key {
        let table: String
        let columns: [String]
        let target: String
        let onDelete: String
    }

    /// The tables that the statement itself changes.
    let changed: [String]
    /// The tables whose rows the statement changes or inserts, and not only deletes.
    private let written: [String]
    private(set) var tables: [Object] = []
    private(set) var triggers: [Object] = []
    private(set) var indexes: [Object] = []
    private(set) var keys: [Key] = []
    /// Keys that are broken now, where the transaction could not end for them.
    private(set) var broken: [Key] = []
    /// Whether the transaction could not end.
    let isEnding: Bool

    /// The largest database, in bytes, whose keys are all checked for broken ones: no other process can write
    /// meanwhile.
    private static let mostLookedThrough = 1 << 30

    init(_ db: Database, statement: String?) {
        let named = ChangedTables(statement ?? "")
        changed = named.names.map(Self.bare)
        written = named.written.map(Self.bare)
        isEnding = statement.map { SQLVerb($0) == .commit } ?? false
        let objects = try? Row.fetchAll(
            db,
            sql: """
                SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema
                WHERE type IN ('table', 'trigger', 'index')
                UNION ALL
                SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_temp_schema WHERE type = 'trigger'
                """)
        for row in objects ?? [] {
            let object = Object(name: Self.name(row, 1), table: Self.name(row, 2), text: Self.text(row, 3))
            switch Self.text(row, 0) {
            case "trigger": triggers.append(object)
            case "index": indexes.append(object)
            default: tables.append(object)
            }
        }
        keys = Self.keys(db)
        if isEnding || changed.isEmpty { broken = brokenKeys(db) }
    }

    /// `main.notes` and `notes` are the same.
    static func bare(_ name: String) -> String { name.split(separator: ".").last.map(String.init) ?? name }

    private static func text(_ row: Row, _ place: Int) -> String { String.fromDatabaseValue(row[place]) ?? "" }

    private static func name(_ row: Row, _ place: Int) -> String { NameSpelling.of(text(row, place)) }

    private static func keys(_ db: Database) -> [Key] {
        let rows = try? Row.fetchAll(
            db,
            sql: """
                SELECT tables.name, keys.id, keys."from", keys."table", keys.on_delete
                FROM sqlite_schema AS tables, pragma_foreign_key_list(tables.name) AS keys
                WHERE tables.type = 'table' ORDER BY tables.name, keys.id, keys.seq
                """)
        var keys: [(id: Int, key: Key)] = []
        for row in rows ?? [] {
            let (table, column) = (name(row, 0), name(row, 2))
            let id = Int.fromDatabaseValue(row[1]) ?? 0
            if let last = keys.last, last.id == id, last.key.table == table {
                keys[keys.count - 1].key = Key(
                    table: table, columns: last.key.columns + [column], target: last.key.target,
                    onDelete: last.key.onDelete)
            } else {
                keys.append((id, Key(table: table, columns: [column], target: name(row, 3), onDelete: text(row, 4))))
            }
        }
        return keys.map(\.key)
    }

    private func brokenKeys(_ db: Database) -> [Key] {
        guard let pages = try? Int.fetchOne(db, sql: "PRAGMA page_count"),
            let size = try? Int.fetchOne(db, sql: "PRAGMA page_size"), pages * size <= Self.mostLookedThrough
        else { return [] }
        // Not grouped by the query: grouped, these functions of SQLite 3.40 answer nothing.
        let rows = try? Row.fetchAll(
            db,
            sql: """
                SELECT broken.child, broken.parent, broken.fkid, keys."from"
                FROM (SELECT DISTINCT "table" AS child, parent, fkid FROM pragma_foreign_key_check LIMIT 20) AS broken,
                     pragma_foreign_key_list(broken.child) AS keys
                WHERE keys.id = broken.fkid
                """)
        var found: [(id: Int, key: Key)] = []
        for row in rows ?? [] {
            let (table, target, id) = (Self.name(row, 0), Self.name(row, 1), Int.fromDatabaseValue(row[2]) ?? 0)
            var columns = [Self.name(row, 3)]
            if let last = found.last, last.id == id, last.key.table == table {
                columns = last.key.columns + columns
                found.removeLast()
            }
            found.append((id, Key(table: table, columns: columns, target: target, onDelete: "")))
        }
        return found.map(\.key)
    }

    // MARK: Look-ups

    /// The tables whose rows the statement changes, by the database's own keys as well.
    var reached: [String] {
        var found = changed.map(SQLiteCatalog.folded)
        var seen = Set(found)
        var position = 0
        while position < found.count {
            let table = found[position]
            position += 1
            for key in keys where SQLiteCatalog.folded(key.target) == table && key.onDelete != "NO ACTION" {
                let child = SQLiteCatalog.folded(key.table)
                if key.onDelete != "RESTRICT", seen.insert(child).inserted { found.append(child) }
            }
        }
        return found
    }

    /// The keys that may keep the statement from deleting what it is to, or from writing what it is to.
    var blocking: [Key] {
        if !broken.isEmpty { return broken }
        let reached = Set(reached)
        return keys.filter { key in
            let restricts = key.onDelete == "NO ACTION" || key.onDelete == "RESTRICT"
            return restricts && reached.contains(SQLiteCatalog.folded(key.target))
        }
    }

    /// Whether the statement itself writes rows of a table, or a key of the database because of it.
    func mayWriteItself(_ table: String) -> Bool {
        let table = SQLiteCatalog.folded(table)
        let own = Set(written.map(SQLiteCatalog.folded))
        let reached = Set(reached)
        return own.contains(table)
            || keys.contains { key in
                let target = SQLiteCatalog.folded(key.target)
                let empties = ["SET NULL", "SET DEFAULT"].contains(key.onDelete) && reached.contains(target)
                return SQLiteCatalog.folded(key.table) == table && (empties || own.contains(target))
            }
    }

    /// The triggers of the tables whose rows the statement changes.
    var fired: [Object] {
        let reached = Set(reached)
        return triggers.filter { reached.contains(SQLiteCatalog.folded($0.table)) }
    }

    /// The triggers that raise exactly this message: those of the tables that the statement changes, if there are any.
    func raising(_ message: String) -> [Object] {
        let literals = ["'", "\""].map { $0 + message.replacing($0, with: $0 + $0) + $0 }
        func raise(_ trigger: Object) -> Bool { literals.contains { trigger.text.utf8.contains($0.utf8) } }
        let own = fired.filter(raise)
        return own.isEmpty ? triggers.filter(raise) : own
    }

    /// The triggers that fire and whose text has a name as a word.
    func triggers(naming name: String) -> [Object] {
        let name = SQLiteCatalog.folded(name)
        return fired.filter { Self.words(of: $0.text).contains(name) }
    }

    /// The virtual tables that keep an index of their own and that the statement changes, by a trigger mostly.
    var virtualTables: [Object] {
        let all = tables.filter { SQLiteCatalog.folded($0.text).hasPrefix("create virtual table") }
        let words = fired.reduce(into: Set(changed.map(SQLiteCatalog.folded))) { $0.formUnion(Self.words(of: $1.text)) }
        let meant = all.filter { words.contains(SQLiteCatalog.folded($0.name)) }
        return meant.isEmpty ? all : meant
    }

    /// Whether the text of a trigger has the last part of a name (`main.audit`, `NEW.size`) as a word.
    func mentions(_ name: Substring, _ trigger: Object) -> Bool {
        let last = name.split(separator: ".").last.map { SQLiteCatalog.folded(NameSpelling.of(String($0))) }
        return last.map { Self.words(of: trigger.text).contains($0) } ?? false
    }

    /// Where the statement was, for an error that names nothing.
    var suffix: String? {
        changed.count == 1 ? " (table \(Shown.line(changed[0], limit: 120)))" : nil
    }

    /// The tables that a message names.
    func tables(in message: String) -> [String] {
        let words = Self.words(of: message)
        return tables.filter { words.contains(SQLiteCatalog.folded($0.name)) }.map(\.name)
    }

    /// The one table whose definition has this text, the changed ones first.
    func table(defining text: String) -> String? {
        let all = tables.filter { $0.text.utf8.contains(text.utf8) }
        let reached = Set(reached)
        let own = all.filter { reached.contains(SQLiteCatalog.folded($0.name)) }
        let named = Set(self.changed.map(SQLiteCatalog.folded))
        let changed = all.filter { named.contains(SQLiteCatalog.folded($0.name)) }
        return [changed, own, all].first { $0.count == 1 }?.first?.name
    }

    private static func words(of text: String) -> Set<String> {
        let words = SQLiteCatalog.folded(text).utf8.split { !$0.isPartOfIdentifier }
        return Set(words.map { NameSpelling.of(String(decoding: $0, as: UTF8.self)) })
    }
}

extension String.UTF8View {
    /// Whether these bytes occur in the others.
    fileprivate func contains(_ other: String.UTF8View) -> Bool {
        !other.isEmpty && Array(self).firstRange(of: Array(other)) != nil
    }
}
