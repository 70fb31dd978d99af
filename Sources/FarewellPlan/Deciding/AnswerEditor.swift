// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// Writes answers into the text of a plan file, and changes nothing else: comments, order and layout stay.
///
/// It inserts or replaces only an answer's line or words. Then it reads the whole text again, and returns it only if
/// its answers are exactly the new ones.
package struct AnswerEditor {
    let path: String
    let text: String
    /// A byte order mark before the text, which stays there.
    let mark: String

    /// - Parameter path: The file's name for errors.
    package init(_ text: String, path: String) {
        (mark, self.text) = YAMLMarks.divided(text)
        self.path = path
    }

    /// The text with these answers. The keys are the questions' numbers in the file, from 0.
    ///
    /// - Parameter implied: Answers that follow from others.
    /// - Throws: `plan.unreadable`; `plan.answer-unplaced`, with the line to write, if the layout allows no edit.
    package func answering(
        _ answers: [Int: PlanQuestion.Answer], implied: [Int: PlanQuestion.Answer] = [:]
    ) throws(FarewellError) -> String {
        let given = answers.mapValues { Change(answer: $0, isImplied: false) }
        let following = implied.mapValues { Change(answer: $0, isImplied: true) }
        return try changing(given.merging(following) { first, _ in first })
    }

    /// The text without the answers to the questions with these numbers.
    ///
    /// - Throws: As `answering`.
    package func reopening(_ numbers: Set<Int>) throws(FarewellError) -> String {
        try changing(Dictionary(uniqueKeysWithValues: numbers.map { ($0, Change(answer: nil, isImplied: false)) }))
    }

    /// The text in which the links of these questions lead to another column of the same table.
    ///
    /// - Throws: As `answering`.
    package func leading(_ numbers: [Int], to target: ColumnName) throws(FarewellError) -> String {
        let remedy = "Write `to: \(YAMLScalar.name(target.description))` into its `link` yourself."
        return try editing(numbers, remedy: remedy) { node, question, lines in
            guard let link = Self.value("link", in: node), let place = Self.value("to", in: link),
                let old = place.scalar, let mark = place.mark
            else { return nil }
            let quotes = Self.isQuoted(mark, lines) ? 2 : 0
            question.link?.targetColumns = [target.column]
            return [
                Edit(
                    line: mark.line - 1, column: mark.column - 1, length: old.string.unicodeScalars.count + quotes,
                    words: YAMLScalar.name(target.description))
            ]
        }
    }

    /// The text in which a value replaces the references of these questions (`set` of their links), also where they
    /// have another one.
    ///
    /// - Throws: As `answering`.
    package func replacing(_ numbers: [Int], by value: String) throws(FarewellError) -> String {
        let remedy = "Write `set: \(YAMLScalar.quoted(value))` into its `link` yourself."
        return try editing(numbers, remedy: remedy) { node, question, lines in
            let found = Self.links(of: node).compactMap { Self.setting(value, in: $0, lines) }
            guard !found.isEmpty, found.count == question.links.count else { return nil }
            question.link?.replacement = value
            for place in question.others.indices { question.others[place].replacement = value }
            return found
        }
    }

    /// The text in which the links of these questions are edited.
    ///
    /// - Parameter edit: Changes a question, and returns the edits of its node that do so; `nil` if its layout allows
    ///   none.
    /// - Throws: As `answering`.
    private func editing(
        _ numbers: [Int], remedy: String, _ edit: (Node, inout PlanQuestion, [String]) -> [Edit]?
    ) throws(FarewellError) -> String {
        let before = try PlanFile.read(Array(text.utf8), path: path)
        let nodes = try questions()
        let lines = Self.lines(of: text)
        var edits: [Edit] = []
        var expected = before.questions
        for number in numbers {
            guard nodes.indices.contains(number), expected.indices.contains(number) else {
                throw unplaced(1, remedy: remedy)
            }
            guard let found = edit(nodes[number], &expected[number], lines) else {
                throw unplaced(nodes[number].mark?.line ?? 1, remedy: remedy)
            }
            edits += found
        }
        guard let changed = edited(edits, lines, from: before, expecting: expected) else {
            throw unplaced(numbers.first.flatMap { nodes[$0].mark?.line } ?? 1, remedy: remedy)
        }
        return mark + changed
    }

    private static func links(of node: Node) -> [Node] {
        if let link = value("link", in: node) { return [link] }
        guard let links = value("links", in: node)?.sequence else { return [] }
        return Array(links)
    }

    /// Replaces the value of `set`, or inserts it behind the bracket of a link, or as the second line of one without
    /// brackets.
    private static func setting(_ value: String, in link: Node, _ lines: [String]) -> Edit? {
        let text = YAMLScalar.quoted(value)
        if let old = self.value("set", in: link) { return Edit(replacing: old, by: text, lines) }
        guard let mark = link.mark, let pairs = link.mapping?.map({ $0 }), pairs.count > 1 else { return nil }
        if isFlow(mark, lines) {
            let isJSON = scalar(mark.line - 1, mark.column, lines) == "\""
            let words = isJSON ? "\"set\": \(text), " : "set: \(text), "
            return Edit(line: mark.line - 1, column: mark.column, length: 0, words: words)
        }
        guard let second = pairs[1].key.mark else { return nil }
        let words = String(repeating: " ", count: second.column - 1) + "set: \(text)"
        return Edit(line: second.line - 1, column: 0, length: nil, words: words)
    }

    static func value(_ key: String, in node: Node) -> Node? {
        node.mapping?.first { $0.key.scalar?.string == key }?.value
    }

    /// The new answer of a question; `nil` removes it.
    private struct Change {
        let answer: PlanQuestion.Answer?
        let isImplied: Bool

        var key: String { isImplied ? "implied" : "answer" }
    }

    private func changing(_ changes: [Int: Change]) throws(FarewellError) -> String {
        guard !changes.isEmpty else { return mark + text }
        let before = try PlanFile.read(Array(text.utf8), path: path)
        let nodes = try questions()
        guard nodes.count == before.questions.count else { throw unplaced(nil, 1) }
        let lines = Self.lines(of: text)
        var edits: [Edit] = []
        for (number, change) in changes {
            guard nodes.indices.contains(number), let found = Self.edits(nodes[number], change, lines) else {
                throw unplaced(change, nodes.indices.contains(number) ? nodes[number].mark?.line ?? 1 : 1)
            }
            edits += found
        }
        var expected = before.questions
        for (number, change) in changes {
            expected[number].answer = change.answer
            expected[number].isImplied = change.isImplied
        }
        guard let changed = edited(edits, lines, from: before, expecting: expected) else {
            throw unplaced(changes.first?.value, changes.keys.min().flatMap { nodes[$0].mark?.line } ?? 1)
        }
        return mark + changed
    }

    /// The text after some edits; `nil` unless it can be read again, with exactly these questions and the same tables.
    private func edited(
        _ edits: [Edit], _ lines: [String], from before: Plan, expecting expected: [PlanQuestion]
    ) -> String? {
        var lines = lines
        // From the end, so that earlier positions stay valid.
        for edit in edits.sorted(by: { ($0.line, $0.column) > ($1.line, $1.column) }) { edit.apply(to: &lines) }
        let changed = lines.joined(separator: "\n")
        guard let after = try? PlanFile.read(Array(changed.utf8), path: path), after.questions == expected,
            after.tables.map(\.table) == before.tables.map(\.table)
        else { return nil }
        return changed
    }

    /// The lines without their line feeds. It splits scalars, because in Swift a carriage return and a line feed
    /// together are one character.
    static func lines(of text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    func questions() throws(FarewellError) -> [Node] {
        // Not by subscript: a quoted key is another node than a plain one.
        guard let pairs = (try? Yams.compose(yaml: text))?.mapping,
            let list = pairs.first(where: { $0.key.scalar?.string == "questions" })?.value.sequence
        else { return [] }
        return Array(list)
    }

    private func unplaced(_ change: Change?, _ line: Int) -> FarewellError {
        guard let change, change.answer == nil else {
            return unplaced(
                line,
                remedy: "Write `\(change?.key ?? "answer"): \(change?.answer?.rawValue ?? "owner")` beside its "
                    + "`answers` yourself.")
        }
        return unplaced(line, remedy: "Remove its `answer` or `implied` yourself.")
    }

    private func unplaced(_ line: Int, remedy: String) -> FarewellError {
        FarewellError(
            "plan.answer-unplaced", .yoursToFix,
            "The question in line \(line) of \(Shown.line(path, limit: 200)) cannot be edited automatically.",
            remedy: remedy)
    }

    // MARK: Places

    /// A change of one line; lines and columns count from 0.
    struct Edit {
        let line: Int
        let column: Int
        /// How many characters are replaced; `nil`: a new line is inserted before this one.
        let length: Int?
        /// `nil`: the line is removed.
        let words: String?

        func apply(to lines: inout [String]) {
            guard let words else {
                lines.remove(at: line)
                return
            }
            guard let length else {
                let ending = lines.contains { $0.hasSuffix("\r") } ? "\r" : ""
                lines.insert(words + ending, at: min(line, lines.count))
                return
            }
            var scalars = Array(lines[line].unicodeScalars)
            scalars.replaceSubrange(column..<(column + length), with: Array(words.unicodeScalars))
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            lines[line] = String(text)
        }
    }

    private static func edits(_ node: Node, _ change: Change, _ lines: [String]) -> [Edit]? {
        guard let mapping = node.mapping else { return nil }
        let pairs = mapping.map { $0 }
        let isFlow = node.mark.map { self.isFlow($0, lines) } ?? false
        if let old = pairs.first(where: { ["answer", "implied"].contains($0.key.scalar?.string) }) {
            if !isFlow, change.answer == nil, let edit = removal(old.key, old.value, lines) { return [edit] }
            guard let value = replacement(of: old.value, after: old.key, change, lines),
                let key = replacement(of: old.key, by: change.key, lines)
            else { return nil }
            return old.key.scalar?.string == change.key ? [value] : [key, value]
        }
        guard change.answer != nil else { return [] }
        if let mark = node.mark, isFlow { return [inFlow(mark, change, lines)] }
        return insertion(pairs, change, lines).map { [$0] }
    }

    /// Removes a line that contains only the answer.
    private static func removal(_ key: Node, _ value: Node, _ lines: [String]) -> Edit? {
        guard let start = key.mark, let end = value.mark, start.line == end.line, let word = key.scalar?.string,
            let answer = value.scalar?.string, lines.indices.contains(start.line - 1)
        else { return nil }
        let words = lines[start.line - 1].split { $0.isWhitespace }.joined(separator: " ")
        return words == "\(word): \(answer)" ? Edit(line: start.line - 1, column: 0, length: nil, words: nil) : nil
    }

    /// Replaces a key's word inside its quotes.
    private static func replacement(of key: Node, by word: String, _ lines: [String]) -> Edit? {
        guard let mark = key.mark, let old = key.scalar?.string else { return nil }
        let start = mark.column - 1 + (isQuoted(mark, lines) ? 1 : 0)
        return Edit(line: mark.line - 1, column: start, length: old.unicodeScalars.count, words: word)
    }

    private static func isQuoted(_ mark: Mark, _ lines: [String]) -> Bool {
        let first = scalar(mark.line - 1, mark.column - 1, lines)
        return first == "\"" || first == "'"
    }

    /// `{table: …}` becomes `{answer: owner, table: …}`.
    private static func inFlow(_ mark: Mark, _ change: Change, _ lines: [String]) -> Edit {
        let isJSON = scalar(mark.line - 1, mark.column, lines) == "\""
        let answer = change.answer?.rawValue ?? ""
        let words = isJSON ? "\"\(change.key)\": \"\(answer)\", " : "\(change.key): \(answer), "
        return Edit(line: mark.line - 1, column: mark.column, length: 0, words: words)
    }

    private static func replacement(
        of value: Node, after key: Node, _ change: Change, _ lines: [String]
    ) -> Edit? {
        guard let old = value.scalar, let keyMark = key.mark, let word = key.scalar?.string else { return nil }
        let answer = change.answer?.rawValue ?? ""
        if old.string.isEmpty, old.style == .plain {
            // `answer:` without a value: the words are inserted directly behind the colon.
            let start = keyMark.column - 1 + word.count + (isQuoted(keyMark, lines) ? 2 : 0)
            guard scalar(keyMark.line - 1, start, lines) == ":" else { return nil }
            return Edit(line: keyMark.line - 1, column: start + 1, length: 0, words: answer.isEmpty ? "" : " \(answer)")
        }
        guard let mark = value.mark, lines.indices.contains(mark.line - 1) else { return nil }
        let rest = Array(lines[mark.line - 1].unicodeScalars.dropFirst(mark.column - 1))
        let quotes = rest.first == "\"" || rest.first == "'" ? 2 : 0
        return Edit(
            line: mark.line - 1, column: mark.column - 1, length: old.string.unicodeScalars.count + quotes,
            words: answer)
    }

    /// Inserts the answer as a new line behind the possible answers.
    private static func insertion(
        _ pairs: [(key: Node, value: Node)], _ change: Change, _ lines: [String]
    ) -> Edit? {
        guard let place = pairs.firstIndex(where: { $0.key.scalar?.string == "answers" }),
            let key = pairs[place].key.mark
        else { return nil }
        let words = String(repeating: " ", count: key.column - 1) + "\(change.key): \(change.answer?.rawValue ?? "")"
        if place + 1 < pairs.count, let next = pairs[place + 1].key.mark {
            // A comment above the next key stays there.
            var line = next.line - 1
            while line > key.line, isBlankOrComment(lines[line - 1]) { line -= 1 }
            return Edit(line: line, column: 0, length: nil, words: words)
        }
        guard let sequence = pairs[place].value.sequence, let last = sequence.last?.mark else { return nil }
        var line = last.line - 1
        if let mark = sequence.mark, isFlow(mark, lines) {
            while lines.indices.contains(line), !lines[line].contains("]") { line += 1 }
        }
        return lines.indices.contains(line) ? Edit(line: line + 1, column: 0, length: nil, words: words) : nil
    }

    /// Whether a mapping or list that begins here is written in brackets. The parser reports only the style of the end.
    static func isFlow(_ mark: Mark, _ lines: [String]) -> Bool {
        let first = scalar(mark.line - 1, mark.column - 1, lines)
        return first == "{" || first == "["
    }

    private static func isBlankOrComment(_ line: String) -> Bool {
        let first = line.unicodeScalars.first { $0 != " " && $0 != "\r" }
        return first == nil || first == "#"
    }

    private static func scalar(_ line: Int, _ column: Int, _ lines: [String]) -> Unicode.Scalar? {
        guard lines.indices.contains(line), column >= 0 else { return nil }
        return lines[line].unicodeScalars.dropFirst(column).first
    }
}
