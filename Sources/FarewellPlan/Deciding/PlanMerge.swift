// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
internal import Yams

/// Adds the tables that a database gained to the text of a plan, and changes nothing in it.
package struct PlanMerge {
    /// The text with the new entries and questions.
    package let text: String
    /// The tables that were added.
    package let added: [TableName]
    /// How many questions were added.
    package let questions: Int
    /// Tables of the plan that the database does not have.
    package let removed: [TableName]
    /// Columns of tables in the plan that only the database, or only the plan, has.
    package let changed: [ColumnName]

    /// - Parameters:
    ///   - draft: The plan that `PlanDerivation` makes of the schema, for the same subject.
    /// - Throws: `plan.unreadable`; `plan.merge-unplaced` where the layout of the file allows no insertion.
    package init(_ draft: PlanDraft, into text: String, path: String, _ schema: Schema) throws(FarewellError) {
        let plan = try PlanFile.read(Array(text.utf8), path: path).completed(in: schema)
        // Tables that the draft leaves to a vendor's profile get entries in a plan without that profile.
        var draft = draft
        draft.plan = draft.plan.completed(in: schema)
        let live = Dictionary(SchemaMap(schema).listed.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let planned = Dictionary(plan.tables.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        let fresh = draft.plan.tables.filter { planned[$0.table] == nil }
        let known = Set(plan.questions.map { Place($0) })
        let drafted = draft.plan.questions.filter { question in
            guard let entry = planned[question.table] else { return true }
            // For a table that the plan has, only questions that cannot have been decided yet.
            let names = Set(entry.columns.map(\.name))
            return question.columns.contains { !names.contains($0) } && !known.contains(Place(question))
        }
        // Answers may have left rows in place whose columns the draft did not ask about.
        let map = SchemaMap(schema)
        let roads = PlanRoads(subject: plan.subject, tables: planned, map: map)
        let asked = known.union(drafted.map { Place($0) })
        let open = drafted + SettledColumns(plan, map, roads).questions().filter { !asked.contains(Place($0)) }
        added = fresh.map(\.table)
        questions = open.count
        removed = plan.tables.map(\.table).filter { live[$0] == nil }
        changed = plan.tables.flatMap { entry -> [ColumnName] in
            guard let table = live[entry.table] else { return [] }
            let (theirs, ours) = (Set(table.columns.map(\.name)), Set(entry.columns.map(\.name)))
            return theirs.symmetricDifference(ours).sorted().map { ColumnName(entry.table, $0) }
        }
        let notes = draft.notes.filter { note in fresh.contains { $0.table == note.table } }
        self.text = try Insertion(text, path).adding(fresh, notes, open, plan)
    }

    private struct Place: Hashable {
        let table: TableName
        let columns: [String]

        init(_ question: PlanQuestion) {
            table = question.table
            columns = question.columns
        }
    }
}

/// Where new lines go in the text of a plan.
private struct Insertion {
    private let path: String
    private var lines: [String]

    init(_ text: String, _ path: String) {
        self.path = path
        lines = AnswerEditor.lines(of: text)
    }

    func adding(
        _ tables: [TablePlan], _ notes: [PlanNote], _ questions: [PlanQuestion], _ plan: Plan
    ) throws(FarewellError) -> String {
        let text = lines.joined(separator: "\n")
        guard !tables.isEmpty || !questions.isEmpty else { return text }
        guard let root = try? Yams.compose(yaml: text), let mapping = root.mapping, !isFlow(root) else {
            throw unplaced()
        }
        let pairs = mapping.map { $0 }
        var insertions: [(line: Int, lines: [String])] = []
        if !tables.isEmpty {
            guard let place = pairs.firstIndex(where: { $0.key.scalar?.string == "tables" }),
                let inner = pairs[place].value.mapping, !isFlow(pairs[place].value),
                let first = inner.map({ $0 }).first?.key.mark
            else { throw unplaced() }
            let written = tables.flatMap { entry in
                PlanFile.lines(for: entry, notes: notes.filter { $0.table == entry.table })
            }
            insertions.append((end(of: place, in: pairs), indented(written, from: 2, to: first.column - 1)))
        }
        if !questions.isEmpty { insertions.append(try insertion(of: questions, pairs)) }
        var changed = self
        for insertion in insertions.sorted(by: { $0.line > $1.line }) {
            changed.lines.insert(contentsOf: insertion.lines.map(ending), at: insertion.line)
        }
        let merged = changed.lines.joined(separator: "\n")
        guard let after = try? PlanFile.read(Array(merged.utf8), path: path),
            after.questions.count == plan.questions.count + questions.count,
            after.tables.count == plan.tables.count + tables.count
        else { throw unplaced() }
        return merged
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
                ? String(repeating: " ", count: to - from) + line
                : String(line.dropFirst(min(from - to, line.prefix { $0 == " " }.count)))
        }
    }

    private func unplaced() -> FarewellError {
        FarewellError(
            "plan.merge-unplaced", .yoursToFix,
            "Tables and questions cannot be inserted into \(Shown.line(path, limit: 200)): its layout is unusual.",
            remedy: "Write a draft to another file with `farewell init --plan` and copy the new entries.")
    }
}
