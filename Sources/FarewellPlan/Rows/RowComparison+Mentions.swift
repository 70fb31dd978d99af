// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Lists in text, read without regard to their form.
extension RowComparison {
    /// Whether the text of a row `t` contains one of the subjects' keys as a word of its own, however its members are
    /// separated; `nil` if the column is no list in text, or its members are no numbers and no UUIDs.
    func mentions(_ build: inout RowStatementBuilder) -> String? {
        guard edge.link.list == .comma || edge.link.list == .json, edge.link.path.isEmpty,
            let column = child[edge.link.columns[0]], column.kind == .text,
            targetKind(0) == .uuid || targetKind(0) == .integer
        else { return nil }
        let isContained = contains("CAST(k.value AS text)", in: "t." + build.quoted(column.name))
        return conditioned("EXISTS (SELECT 1 FROM \(keys(&build)) WHERE \(isContained))", &build)
    }

    /// Whether a text contains a word of letters, digits and hyphens, in either case, with none of these beside it.
    private func contains(_ word: String, in text: String) -> String {
        let (text, word) = ("lower(\(text))", "lower(\(word))")
        guard postgres else { return "'|' || \(text) || '|' GLOB '*[^0-9a-z-]' || \(word) || '[^0-9a-z-]*'" }
        // A regular expression takes longer, and is used only for texts that contain the word.
        return "(strpos(\(text), \(word)) > 0 AND \(text) ~ ('(^|[^0-9a-z-])' || \(word) || '($|[^0-9a-z-])'))"
    }

    /// The keys of the subjects, or those that rows of the parent had, as `k.value`.
    private func keys(_ build: inout RowStatementBuilder) -> String {
        guard !edge.isDirect else {
            let keys = build.list(.subjects(.text))
            return postgres ? "unnest(\(keys)::text[]) AS k (value)" : "(SELECT \(keys) AS value) AS k"
        }
        let place = graph.nodes[edge.parent].table.place(of: edge.link.targetColumns[0]) ?? 0
        let keys = build.list(.captured(node: edge.parent, column: place, kind: .text))
        return graph.dialect.unpacked(keys, "text", as: "k")
    }
}
