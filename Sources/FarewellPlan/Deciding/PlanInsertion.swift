// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// Where new lines go in the text of a plan.
struct PlanInsertion {
    private let path: String
    /// A byte order mark before the text, which stays there.
    private let mark: String
    private var lines: [String]

    init(_ text: String, _ path: String) {
        self.path = path
        let parts = YAMLMarks.divided(text)
        mark = parts.mark
        lines = AnswerEditor.lines(of: parts.rest)
    }

    /// The text with these entries, questions and systems.
    ///
    /// - Parameter plan: As the text says it.
    /// - Throws: `plan.merge-unplaced` where the layout allows no insertion.
    func adding(
        _ tables: [TablePlan], _ notes: [PlanNote], _ questions: [PlanQuestion], _ systems: [SystemPlan], to plan: Plan
    ) throws(FarewellError) -> String {
        let text = lines.joined(separator: "\n")
        guard !tables.isEmpty || !questions.isEmpty || !systems.isEmpty else { return mark + text }
        guard let root = try? Yams.compose(yaml: text), let mapping = root.mapping, !isFlow(root) else {
            throw unplaced()
        }
        let pairs = mapping.map { $0 }
        var insertions: [(line: Int, lines: [String])] = []
        if !tables.isEmpty {
            let written = tables.flatMap { entry in
                PlanFile.lines(for: entry, notes: notes.filter { $0.table == entry.table })
            }
            let head = tables.contains { $0.rule.isPersonal } ? ["", PlanFile.addedHead, ""] : []
            guard let insertion = try entries(head + written, under: "tables", pairs) else { throw unplaced() }
            insertions.append(insertion)
        }
        if !questions.isEmpty { insertions.append(try insertion(of: questions, pairs)) }
        if !systems.isEmpty {
            let written = PlanFile.lines(for: systems)
            let last = pairs.indices.last.map { end(of: $0, in: pairs) } ?? lines.count
            insertions.append(
                try entries(written, under: "systems", pairs) ?? (last, [""] + PlanFile.systemsHead + written))
        }
        var changed = self
        // From the end, so that earlier places stay valid; of two insertions at one place, the later comes first.
        let inOrder = insertions.enumerated().sorted { ($0.element.line, $0.offset) < ($1.element.line, $1.offset) }
        for insertion in inOrder.map(\.element).reversed() {
            changed.lines.insert(contentsOf: insertion.lines.map(ending), at: insertion.line)
        }
        let merged = changed.lines.joined(separator: "\n")
        guard let after = try? PlanFile.read(Array(merged.utf8), path: path),
            after.questions.count == plan.questions.count + questions.count,
            after.tables.count == plan.tables.count + tables.count, after.systems == plan.systems + systems
        else { throw unplaced() }
        return mark + merged
    }

    /// Lines, indented by two, behind the last entry of a mapping; `nil` if the plan has no such mapping.
    private func entries(
        _ written: [String], under name: String, _ pairs: [(key: Node, value: Node)]
    ) throws(FarewellError) -> (line: Int, lines: [String])? {
        guard let place = pairs.firstIndex(where: { $0.key.scalar?.string == name }) else { return nil }
        guard let inner = pairs[place].value.mapping, !isFlow(pairs[place].value),
            let first = inner.map({ $0 }).first?.key.mark
        else { throw unplaced() }
        return (end(of: place, in: pairs), indented(written, from: 2, to: first.column - 1))
    }

    private func isFlow(_ node: Node) -> Bool { node.mark.map { AnswerEditor.isFlow($0, lines) } ?? false }

    private func ending(_ line: String) -> String { lines.first?.hasSuffix("\r") == true ? line + "\r" : line }

    private func insertion(
        of questions: [PlanQuestion], _ pairs: [(key: Node, value: Node)]
    ) throws(FarewellError) -> (line: Int, lines: [String]) {
        let written = PlanFile.lines(for: questions)
        guard let place = pairs.firstIndex(where: { $0.key.scalar?.string == "questions" }) else {
            guard let tables = pairs.first(where: { $0.key.scalar?.string == "tables" })?.key.mark else {
                throw unplaced()
            }
            return (tables.line - 1, PlanFile.questionsHead + written + [""])
        }
        guard let list = pairs[place].value.sequence, !isFlow(pairs[place].value), let first = list.first?.mark else {
            throw unplaced()
        }
        return (end(of: place, in: pairs), indented(written, from: 2, to: max(0, first.column - 3)))
    }

    /// The line behind the last one of a value, before the comments of the next.
    private func end(of place: Int, in pairs: [(key: Node, value: Node)]) -> Int {
        var line = lines.count
        if place + 1 < pairs.count, let next = pairs[place + 1].key.mark { line = next.line - 1 }
        while line > 0, isBlankOrTopComment(lines[line - 1]) { line -= 1 }
        return line
    }

    private func isBlankOrTopComment(_ line: String) -> Bool {
        let first = line.unicodeScalars.first { $0 != " " && $0 != "\r" }
        return first == nil || line.unicodeScalars.first == "#"
    }

    private func indented(_ lines: [String], from: Int, to: Int) -> [String] {
        guard to != from else { return lines }
        return lines.map { line in
            to > from
                ? line.isEmpty ? line : String(repeating: " ", count: to - from) + line
                : String(line.dropFirst(min(from - to, line.prefix { $0 == " " }.count)))
        }
    }

    private func unplaced() -> FarewellError {
        FarewellError(
            "plan.merge-unplaced", .yoursToFix,
            "The new entries cannot be inserted into \(Shown.line(path, limit: 200)): its layout is unusual.",
            remedy: "Write a draft to another file with `farewell init --plan` and copy the new entries.")
    }
}
