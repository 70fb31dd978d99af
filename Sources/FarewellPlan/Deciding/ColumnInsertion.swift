// SPDX-License-Identifier: Apache-2.0
import Farewell
internal import Yams

/// Adds columns to the list of a table's columns in the text of a plan, and changes nothing else.
struct ColumnInsertion {
    private let path: String

    init(_ path: String) { self.path = path }

    /// The text with these columns; `nil` where the layout allows no insertion.
    func adding(_ columns: [TablePlan.PlannedColumn], to table: TableName, in text: String) -> String? {
        let parts = YAMLMarks.divided(text)
        var lines = AnswerEditor.lines(of: parts.rest)
        guard var expected = try? PlanFile.read(Array(text.utf8), path: path),
            let place = expected.tables.firstIndex(where: { $0.table == table }),
            let list = list(of: table, in: parts.rest), let mark = list.mark, let last = list.sequence?.last?.mark,
            lines.indices.contains(last.line - 1)
        else { return nil }
        let written = columns.map { PlanFile.listed($0) }
        let line = last.line - 1
        let scalars = lines[line].unicodeScalars
        guard scalars.count >= last.column - 1 else { return nil }
        let before = String(scalars.prefix(last.column - 1))
        if AnswerEditor.isFlow(mark, lines) {
            // In a list in the style of JSON, every name has quotation marks.
            guard !Self.beginsQuoted(list) else { return nil }
            let after = String(scalars.dropFirst(last.column - 1))
            lines[line] = before + written.map { $0 + ", " }.joined() + after
        } else {
            let end = lines[line].hasSuffix("\r") ? "\r" : ""
            lines.insert(contentsOf: written.map { before + $0 + end }, at: line)
        }
        let changed = parts.mark + lines.joined(separator: "\n")
        // In front of the last column.
        expected.tables[place].columns.insert(contentsOf: columns, at: expected.tables[place].columns.count - 1)
        guard let found = try? PlanFile.read(Array(changed.utf8), path: path), found == expected else { return nil }
        return changed
    }

    /// Whether the first scalar of a node has quotation marks.
    private static func beginsQuoted(_ node: Node) -> Bool {
        if let scalar = node.scalar { return scalar.style == .doubleQuoted || scalar.style == .singleQuoted }
        let first = node.sequence?.first ?? node.mapping?.first?.key
        return first.map(beginsQuoted) ?? false
    }

    private func list(of table: TableName, in text: String) -> Node? {
        guard let root = try? Yams.compose(yaml: text), let tables = value("tables", in: root)?.mapping
        else { return nil }
        let entry = tables.first { pair in
            pair.key.scalar.flatMap { TableName(parsing: $0.string) } == table
        }
        return entry.flatMap { value("columns", in: $0.value) }
    }

    private func value(_ key: String, in node: Node) -> Node? {
        node.mapping?.first { $0.key.scalar?.string == key }?.value
    }
}
