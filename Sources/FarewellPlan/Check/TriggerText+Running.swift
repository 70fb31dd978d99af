// SPDX-License-Identifier: Apache-2.0

/// Statements that a trigger builds as texts and runs: `EXECUTE 'TRUNCATE log'`, `EXECUTE format('TRUNCATE %I', name)`.
extension TriggerText {
    /// The places of the words that run a text. `EXECUTE FUNCTION` names the function of a trigger.
    private var runs: [Int] {
        lower.indices.filter { place in
            guard lower[place] == "execute" || lower[place].hasSuffix(".execute") else { return false }
            let next = place + 1 < lower.count ? lower[place + 1] : ""
            return next != "function" && next != "procedure"
        }
    }

    /// The `TRUNCATE` statements in the texts that it runs.
    struct RunTruncation {
        /// The tables that they empty, by name.
        var names: [String] = []
        /// Whether they empty a table that they do not name: the name is put together, or comes with its parameters.
        var isOpen = false
        /// Whether a text comes from elsewhere, such as an argument of the trigger, so that nothing shows what it does.
        var isUnread = false
    }

    var runTruncation: RunTruncation {
        let runs = runs
        var found = RunTruncation()
        guard !runs.isEmpty else { return found }
        for literal in literals where literal.text.lowercased().contains("truncate") {
            let text = TriggerText(literal.text)
            let places = text.lower.indices.filter { text.lower[$0] == "truncate" }
            // `TG_OP = 'TRUNCATE'` names the event of a trigger.
            guard !places.isEmpty, text.words.count > 1 || literal.isJoined || literal.text.last?.isWhitespace == true
            else { continue }
            let names = places.flatMap { text.truncated(at: $0) }
            if literal.isJoined || literal.text.contains("%") || names.isEmpty {
                found.isOpen = true
            } else {
                found.names += names
            }
        }
        found.isUnread = runs.contains { !isShown(at: $0) }
        return found
    }

    /// Whether a text that it runs is written in the trigger: in the very statement, or as the beginning of another
    /// text, which a variable holds.
    private func isShown(at place: Int) -> Bool {
        let end = lower[place...].firstIndex(of: ";") ?? lower.count
        return literals.contains { literal in
            if literal.place > place, literal.place <= end { return true }
            let words = TriggerText(literal.text).lower
            // `TG_OP = 'DELETE'` names an event.
            guard let verb = words.first, words.count > 1 || literal.isJoined else { return false }
            return Self.verbs.contains(verb)
        }
    }

    private static let verbs: Set<String> = [
        "insert", "update", "delete", "truncate", "merge", "select", "with", "call", "create", "alter", "drop",
        "refresh", "notify", "set", "grant", "revoke", "analyze", "vacuum", "lock", "copy", "comment",
    ]
}
