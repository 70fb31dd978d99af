// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// Writes answers into the text of a plan file, and changes nothing else: comments, order and layout stay.
///
/// Only the line, or the words, of an answer are inserted or replaced. Afterwards the whole text is read again: a text
/// that does not say exactly the new answers is never returned.
package struct AnswerEditor {
    private let path: String
    private let text: String
    /// A byte order mark before the text, which stays there.
    private let mark: String

    /// - Parameter path: Only named in errors.
    package init(_ text: String, path: String) {
        (mark, self.text) = YAMLMarks.divided(text)
        self.path = path
    }

    /// The text with these answers, by the number of the question in the file, from 0.
    ///
    /// - Throws: `plan.unreadable`; `plan.answer-unplaced` with the line to write, where the layout allows no edit.
    package func answering(_ answers: [Int: PlanQuestion.Answer]) throws(FarewellError) -> String {
        guard !answers.isEmpty else { return mark + text }
        let before = try PlanFile.read(Array(text.utf8), path: path)
        let nodes = try questions()
        guard nodes.count == before.questions.count else { throw unplaced(nil, 1) }
        var lines = Self.lines(of: text)
        var edits: [Edit] = []
        for (number, answer) in answers {
            guard nodes.indices.contains(number), let edit = Self.edit(nodes[number], answer, lines) else {
                throw unplaced(answer, nodes.indices.contains(number) ? nodes[number].mark?.line ?? 1 : 1)
            }
            edits.append(edit)
        }
        // From the end, so that earlier positions stay valid.
        for edit in edits.sorted(by: { ($0.line, $0.column) > ($1.line, $1.column) }) { edit.apply(to: &lines) }
        let changed = lines.joined(separator: "\n")
        var expected = before.questions
        for (number, answer) in answers { expected[number].answer = answer }
        guard let after = try? PlanFile.read(Array(changed.utf8), path: path), after.questions == expected,
            after.tables.map(\.table) == before.tables.map(\.table)
        else { throw unplaced(answers.first?.value, answers.keys.min().flatMap { nodes[$0].mark?.line } ?? 1) }
        return mark + changed
    }

    /// The lines without their line feeds. Not by characters: to Swift, a carriage return and a line feed are one.
    static func lines(of text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    private func questions() throws(FarewellError) -> [Node] {
        // Not by subscript: a quoted key is another node than a plain one.
        guard let pairs = (try? Yams.compose(yaml: text))?.mapping,
            let list = pairs.first(where: { $0.key.scalar?.string == "questions" })?.value.sequence
        else { return [] }
        return Array(list)
    }

    private func unplaced(_ answer: PlanQuestion.Answer?, _ line: Int) -> FarewellError {
        FarewellError(
            "plan.answer-unplaced", .yoursToFix,
            "The question in line \(line) of \(Shown.line(path, limit: 200)) cannot be edited automatically.",
            remedy: "Write `answer: \(answer?.rawValue ?? "owner")` beside its `answers` yourself.")
    }

    // MARK: Places

    /// A change of one line; lines and columns count from 0.
    private struct Edit {
        let line: Int
        let column: Int
        /// How many characters are replaced; `nil`: a new line is inserted before this one.
        let length: Int?
        let words: String

        func apply(to lines: inout [String]) {
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

    private static func edit(_ node: Node, _ answer: PlanQuestion.Answer, _ lines: [String]) -> Edit? {
        guard let mapping = node.mapping else { return nil }
        let pairs = mapping.map { $0 }
        if let old = pairs.first(where: { $0.key.scalar?.string == "answer" }) {
            return replacement(of: old.value, after: old.key, answer, lines)
        }
        if let mark = node.mark, isFlow(mark, lines) { return inFlow(mark, answer, lines) }
        return insertion(pairs, answer, lines)
    }

    /// `{table: …}` becomes `{answer: owner, table: …}`.
    private static func inFlow(_ mark: Mark, _ answer: PlanQuestion.Answer, _ lines: [String]) -> Edit? {
        let isJSON = scalar(mark.line - 1, mark.column, lines) == "\""
        let words = isJSON ? "\"answer\": \"\(answer.rawValue)\", " : "answer: \(answer.rawValue), "
        return Edit(line: mark.line - 1, column: mark.column, length: 0, words: words)
    }

    private static func replacement(
        of value: Node, after key: Node, _ answer: PlanQuestion.Answer, _ lines: [String]
    ) -> Edit? {
        guard let old = value.scalar, let keyMark = key.mark else { return nil }
        if old.string.isEmpty, old.style == .plain {
            // `answer:` without a value: the words are inserted directly behind the colon.
            let start = keyMark.column - 1 + "answer".count
            guard scalar(keyMark.line - 1, start, lines) == ":" else { return nil }
            return Edit(line: keyMark.line - 1, column: start + 1, length: 0, words: " \(answer.rawValue)")
        }
        guard let mark = value.mark, lines.indices.contains(mark.line - 1) else { return nil }
        let rest = Array(lines[mark.line - 1].unicodeScalars.dropFirst(mark.column - 1))
        let quotes = rest.first == "\"" || rest.first == "'" ? 2 : 0
        return Edit(
            line: mark.line - 1, column: mark.column - 1, length: old.string.unicodeScalars.count + quotes,
            words: answer.rawValue)
    }

    /// A line of its own, behind the possible answers.
    private static func insertion(
        _ pairs: [(key: Node, value: Node)], _ answer: PlanQuestion.Answer, _ lines: [String]
    ) -> Edit? {
        guard let place = pairs.firstIndex(where: { $0.key.scalar?.string == "answers" }),
            let key = pairs[place].key.mark
        else { return nil }
        let words = String(repeating: " ", count: key.column - 1) + "answer: \(answer.rawValue)"
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

    /// Whether a mapping or list that begins here is written in brackets. The parser's own word for it is that of the
    /// end, which says nothing.
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
