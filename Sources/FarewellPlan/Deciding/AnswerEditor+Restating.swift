// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

extension AnswerEditor {
    /// The text in which these questions have other reasons, and their answers another order. A part whose layout
    /// allows no edit stays as it is.
    ///
    /// - Throws: `plan.unreadable`.
    package func restating(_ changes: [Int: PlanQuestion]) throws(FarewellError) -> String {
        guard !changes.isEmpty else { return mark + text }
        let nodes = try questions()
        var expected = try PlanFile.read(Array(text.utf8), path: path).questions
        guard nodes.count == expected.count else { return mark + text }
        var lines = Self.lines(of: text)
        var edits: [Edit] = []
        for (number, question) in changes where nodes.indices.contains(number) {
            if let found = Self.ordering(question.answers, in: nodes[number], lines) {
                edits += found
                expected[number].answers = question.answers
            }
            if let reason = Self.value("reason", in: nodes[number]),
                let found = Edit(replacing: reason, by: YAMLScalar.quoted(question.reason), lines)
            {
                edits.append(found)
                expected[number].reason = question.reason
            }
        }
        // From the end, so that earlier positions stay valid.
        for edit in edits.sorted(by: { ($0.line, $0.column) > ($1.line, $1.column) }) { edit.apply(to: &lines) }
        let changed = lines.joined(separator: "\n")
        let after = try? PlanFile.read(Array(changed.utf8), path: path)
        return mark + (after?.questions == expected ? changed : text)
    }

    /// Writes the words of the answers into each other's places.
    private static func ordering(
        _ answers: [PlanQuestion.Answer], in question: Node, _ lines: [String]
    ) -> [Edit]? {
        guard let places = value("answers", in: question)?.sequence.map({ Array($0) }),
            places.compactMap({ $0.scalar?.string }).sorted() == answers.map(\.rawValue).sorted()
        else { return nil }
        let edits = zip(places, answers).compactMap { place, answer in
            Edit(replacing: place, by: Self.quoted(answer.rawValue, as: place, lines), lines)
        }
        return edits.count == places.count ? edits : nil
    }

    /// A word between the quotes that another one has.
    private static func quoted(_ word: String, as place: Node, _ lines: [String]) -> String {
        guard let mark = place.mark, lines.indices.contains(mark.line - 1),
            let first = lines[mark.line - 1].unicodeScalars.dropFirst(mark.column - 1).first,
            first == "\"" || first == "'"
        else { return word }
        return "\(first)\(word)\(first)"
    }
}

extension AnswerEditor.Edit {
    /// Replaces a scalar with its quotes; `nil` where it is not written in one line.
    init?(replacing old: Node, by words: String, _ lines: [String]) {
        guard let text = old.scalar?.string, let mark = old.mark, lines.indices.contains(mark.line - 1) else {
            return nil
        }
        let rest = Array(lines[mark.line - 1].unicodeScalars.dropFirst(mark.column - 1))
        guard let length = Self.length(of: text, in: rest) else { return nil }
        self.init(line: mark.line - 1, column: mark.column - 1, length: length, words: words)
    }

    /// How many characters a scalar has at the beginning of a line's rest.
    private static func length(of text: String, in rest: [Unicode.Scalar]) -> Int? {
        guard let quote = rest.first, quote == "\"" || quote == "'" else {
            return !text.isEmpty && rest.starts(with: text.unicodeScalars) ? text.unicodeScalars.count : nil
        }
        var place = 1
        while place < rest.count {
            let next = place + 1 < rest.count ? rest[place + 1] : nil
            switch rest[place] {
            case "\\" where quote == "\"": place += 2
            case quote where quote == "'" && next == "'": place += 2
            case quote: return place + 1
            default: place += 1
            }
        }
        return nil
    }
}
