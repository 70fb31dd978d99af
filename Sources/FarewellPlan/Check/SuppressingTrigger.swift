// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A trigger before each deletion, or each change, that prevents it without an error: soft deletion. On PostgreSQL its
/// function returns null, on SQLite it calls `RAISE(IGNORE)`.
package struct SuppressingTrigger {
    package let name: String
    /// Whether it prevents every change as far as its text shows, or marks the row of its own table instead.
    package let isCertain: Bool

    /// The suppressing triggers of a table.
    ///
    /// - Parameter event: `delete` or `update`.
    package static func all(
        of table: SchemaTable, preventing event: String, _ dialect: SQLDialect
    ) -> [SuppressingTrigger] {
        table.triggers.compactMap { SuppressingTrigger($0, of: table, preventing: event, dialect) }
    }

    private init?(_ trigger: SchemaTrigger, of table: SchemaTable, preventing event: String, _ dialect: SQLDialect) {
        guard trigger.events.contains(event), trigger.isForEachRow, !trigger.isRule else { return nil }
        let statement = TriggerText(trigger.statement)
        guard statement.firesBefore else { return nil }
        let body = TriggerText(trigger.definition)
        let prevention = dialect.hasFunctionsOfTriggers ? body.returnedPrevention(of: event) : body.ignored
        guard let prevention else { return nil }
        name = trigger.name
        // A trigger that looks at the role or at a setting may let Farewell's own changes pass.
        guard !dialect.hasRights || !statement.looksAtSession && !body.looksAtSession else {
            isCertain = false
            return
        }
        let texts = [body] + trigger.functions.map { TriggerText($0.definition) }
        let marks = texts.contains { $0.updates(NameSpelling.name(table.name.name)) }
        // A function that raises an error refuses, and says so.
        let mayRaise = dialect.hasFunctionsOfTriggers && body.raises
        isCertain = marks || prevention == .always && !mayRaise && !statement.isConditional(on: event)
    }
}

extension TriggerText {
    /// How often a trigger prevents the change.
    enum Prevention { case always, sometimes }

    /// Where the trigger's name ends; `nil` for another text.
    private var behindName: Int? {
        guard let place = lower.firstIndex(of: "trigger") else { return nil }
        let isNamedLater = lower[(place + 1)...].starts(with: ["if", "not", "exists"])
        return place + (isNamedLater ? 5 : 2)
    }

    /// Whether it fires before the change, which is SQLite's default.
    var firesBefore: Bool {
        guard let place = behindName, place < lower.count else { return false }
        return lower[place] != "after" && lower[place] != "instead"
    }

    /// Whether it fires for some changes only: by a condition (`WHEN`), or for some columns (`UPDATE OF`).
    func isConditional(on event: String) -> Bool {
        guard let place = behindName, place < lower.count else { return false }
        let head = lower[place...].prefix { $0 != "begin" && $0 != "execute" }
        return head.contains("when") || event == "update" && head.contains("of")
    }

    /// SQLite: whether it calls `RAISE(IGNORE)`.
    var ignored: Prevention? {
        let places = lower.indices.filter { lower[$0...].starts(with: ["raise", "(", "ignore"]) }
        guard !places.isEmpty else { return nil }
        let isPlain = places.contains { place in
            let statement = lower[..<place].reversed().prefix { $0 != ";" && $0 != "begin" }
            let rest = lower[place...].prefix { $0 != ";" }
            return !(statement + rest).contains { ["case", "when", "where", "from"].contains($0) }
        }
        return isPlain ? .always : .sometimes
    }

    /// PostgreSQL: whether the trigger's function returns null, which leaves the row as it is. `NEW` is null when a row
    /// is deleted, and `OLD` is the row as it was when it is changed.
    func returnedPrevention(of event: String) -> Prevention? {
        let returned = lower.indices.filter { lower[$0] == "return" && $0 + 1 < lower.count }.map { place in
            // `RETURN OLD.id` is another value.
            lower[place + 1]
        }
        let same = event == "delete" ? "new" : "old"
        // A function for several events may return it for the others, even if this trigger fires for one only.
        let isSame = !lower.contains("tg_op") || returned.allSatisfy { $0 == "null" || $0 == same }
        let prevents = returned.map { $0 == "null" || isSame && $0 == same }
        guard prevents.contains(true) else { return nil }
        return prevents.contains(false) ? .sometimes : .always
    }

    /// Whether it looks at the role or at a setting of the session.
    var looksAtSession: Bool {
        let words: Set<String> = ["current_user", "session_user", "current_role", "user", "current_setting"]
        return lower.contains { word in words.contains(word) || word == "pg_catalog.current_setting" }
    }

    /// Whether it updates rows of a table of this name, as the database has it, in whatever schema.
    func updates(_ table: String) -> Bool {
        lower.indices.contains { place in
            guard lower[place] == "update" else { return false }
            // SQLite's text begins with the event, `BEFORE UPDATE ON users`, which is no statement.
            let ends: Set<String> = [";", "begin", "update"]
            let head = lower[(place + 1)...].prefix(7).prefix { !ends.contains($0) }
            guard let set = head.firstIndex(of: "set") else { return false }
            return words[(place + 1)..<set].contains { word in
                let last = word.split(separator: ".").last.map(String.init) ?? word
                let bare = last.filter { $0 != "\"" && $0 != "`" }
                return bare.utf8.elementsEqual(table.utf8)
                    || !last.contains("\"") && bare.lowercased().utf8.elementsEqual(table.lowercased().utf8)
            }
        }
    }
}
