// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Lists in text or JSON, whatever form they have.
extension RowComparison {
    /// Whether the text of a row `t` contains one of the subjects' keys as a word of its own, whatever separates the
    /// words and wherever the key is in a JSON document.
    ///
    /// `nil` if the column is no such list, or if such a word would prove nothing: a small number in JSON may mean
    /// anything, unless the document contains only numbers.
    func mentions(_ build: inout RowStatementBuilder) -> String? {
        guard edge.link.list == .comma || edge.link.list == .json, edge.link.path.isEmpty,
            let column = child[edge.link.columns[0]]
        else { return nil }
        let value = "t." + build.quoted(column.name)
        let text = column.kind == .text ? value : "CAST(\(value) AS text)"
        let form: String
        switch (column.kind, targetKind(0)) {
        case (.text, .integer), (.text, .uuid), (.json, .uuid): form = ""
        case (.json, .integer): form = " AND \(graph.dialect.isListOfNumbers(text))"
        case (.text, .text), (.json, .text):
            // A key of this form stands in a text for nothing else: a cuid, a ULID, a UUID.
            form = " AND \(graph.dialect.isWordWithDigits("CAST(k.value AS text)"))"
        default: return nil
        }
        let isContained = graph.dialect.holdsWord("CAST(k.value AS text)", in: text)
        return conditioned("EXISTS (SELECT 1 FROM \(keys(&build)) WHERE \(isContained)\(form))", &build)
    }

    /// The keys of the subjects, or those that rows of the parent had, as `k.value`.
    private func keys(_ build: inout RowStatementBuilder) -> String {
        guard !edge.isDirect else {
            return graph.dialect.spread(build.list(.subjects(.text)), "text", as: "k")
        }
        let place = graph.nodes[edge.parent].table.place(of: edge.link.targetColumns[0]) ?? 0
        let keys = build.list(.captured(node: edge.parent, column: place, kind: .text))
        return graph.dialect.unpacked(keys, "text", as: "k")
    }
}
