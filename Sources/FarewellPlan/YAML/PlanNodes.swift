// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// Reads values strictly from a YAML document: a wrong one becomes a problem with a place.
struct PlanNodes {
    var problems: [PlanProblem] = []
    /// The character that stands in for byte order marks (`YAMLMarks`).
    var standIn: Unicode.Scalar?
    /// An error names few problems, and a file may have as many as its size allows.
    let hints = NameHints()

    mutating func report(_ node: Node?, _ message: String) {
        problems.append(PlanProblem(message, at: node))
    }

    /// The pairs of a mapping in file order, each key once; `nil` after a report.
    mutating func pairs(_ node: Node, _ what: String) -> [(key: String, keyNode: Node, value: Node)]? {
        guard !isOdd(node) else { return nil }
        guard let mapping = node.mapping else {
            report(node, "\(what) must be a mapping (`key: value`).")
            return nil
        }
        var seen: Set<[UInt8]> = []
        var pairs: [(key: String, keyNode: Node, value: Node)] = []
        for (keyNode, value) in mapping {
            let owner = what.prefix(1).lowercased() + what.dropFirst()
            guard let key = text(keyNode, "A key of \(owner)") else { continue }
            // By bytes: names that differ only in how an accent is composed are two names to a database.
            guard seen.insert(Array(key.utf8)).inserted else {
                report(keyNode, "The key \(Shown.name(key)) appears twice.")
                continue
            }
            pairs.append((key, keyNode, value))
        }
        return pairs
    }

    /// The values of a mapping whose keys are fixed.
    mutating func record(
        _ node: Node, _ what: String, required: [String], optional: [String] = []
    ) -> [String: Node]? {
        guard let pairs = pairs(node, what) else { return nil }
        var values: [String: Node] = [:]
        for (key, keyNode, value) in pairs {
            guard required.contains(key) || optional.contains(key) else {
                let hint = hints.hint(key, in: required + optional)
                report(keyNode, "\(what) has no key \(Shown.name(key))\(hint).")
                continue
            }
            values[key] = value
        }
        let missing = required.filter { values[$0] == nil }
        for key in missing { report(node, "\(what) has no `\(key)`.") }
        return values
    }

    /// A scalar's text; `nil` after a report when it is not one, or is empty without quotes.
    mutating func text(_ node: Node, _ what: String) -> String? {
        guard !isOdd(node) else { return nil }
        guard let scalar = node.scalar else {
            report(node, "\(what) must be a single value.")
            return nil
        }
        guard !scalar.string.isEmpty || scalar.style != .plain else {
            report(node, "\(what) is empty; write the value, or \"\" for an empty text.")
            return nil
        }
        return YAMLMarks.restored(scalar.string, from: standIn)
    }

    /// The name of a column.
    mutating func name(_ node: Node, _ what: String) -> String? { text(node, what).map(NameSpelling.typed) }

    mutating func list(_ node: Node, _ what: String) -> [Node]? {
        guard !isOdd(node) else { return nil }
        guard let sequence = node.sequence else {
            report(node, "\(what) must be a list (`[a, b]`).")
            return nil
        }
        return Array(sequence)
    }

    /// One text or a list of texts.
    mutating func texts(_ node: Node, _ what: String) -> [String]? {
        if node.scalar != nil { return text(node, what).map { [$0] } }
        guard let items = list(node, what) else { return nil }
        guard !items.isEmpty else {
            report(node, "\(what) is empty.")
            return nil
        }
        let texts = items.compactMap { text($0, "An item of \(what)") }
        return texts.count == items.count ? texts : nil
    }

    /// One name of a column, or a list of them.
    mutating func names(_ node: Node, _ what: String) -> [String]? {
        texts(node, what).map { $0.map(NameSpelling.typed) }
    }

    /// One of fixed words, by its raw value.
    mutating func word<Word>(_ node: Node, _ what: String) -> Word?
    where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
        word(node, what, of: Word.allCases.map(\.rawValue)).flatMap { Word(rawValue: $0) }
    }

    /// One of these words.
    mutating func word(_ node: Node, _ what: String, of words: [String]) -> String? {
        guard let text = text(node, what) else { return nil }
        if words.contains(text) { return text }
        let hint = hints.hint(text, in: words)
        report(node, "\(what) is \(Shown.name(text)), but must be one of: \(words.joined(separator: ", "))\(hint).")
        return nil
    }

    /// `{target_type: User}`, `{target_type: [User, Admin]}`, or `{buyer_id: null}`.
    mutating func condition(_ node: Node) -> LinkCondition {
        let pairs = pairs(node, "`where`") ?? []
        if pairs.isEmpty, node.mapping != nil { report(node, "`where` names no column.") }
        return LinkCondition(
            pairs.compactMap { pair in
                let values = Self.isNull(pair.value) ? [] : texts(pair.value, "`where`")
                return values.map { LinkCondition.Part(column: NameSpelling.typed(pair.key), values: $0) }
            })
    }

    private static func isNull(_ node: Node) -> Bool {
        node.scalar.map { $0.style == .plain && ["null", "~"].contains($0.string.lowercased()) } ?? false
    }

    private mutating func isOdd(_ node: Node) -> Bool {
        guard node.anchor != nil || node.alias != nil else { return false }
        report(node, "A plan has no anchors and aliases.")
        return true
    }
}
