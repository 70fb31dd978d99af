// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Lists in text or JSON, read without regard to their form.
extension RowComparison {
    /// Whether the text of a row `t` contains one of the subjects' keys as a word of its own, however its members are
    /// separated, and wherever in a JSON document it stands; `nil` if the column is no such list, or such a word would
    /// prove nothing: a small number in JSON may be any.
    func mentions(_ build: inout RowStatementBuilder) -> String? {
        guard edge.link.list == .comma || edge.link.list == .json, edge.link.path.isEmpty,
            let column = child[edge.link.columns[0]]
        else { return nil }
        let keyForm: String
        switch (column.kind, targetKind(0)) {
        case (.text, .integer), (.text, .uuid), (.json, .uuid): keyForm = ""
        case (.text, .text), (.json, .text): keyForm = " AND \(isGenerated("CAST(k.value AS text)"))"
        default: return nil
        }
        let text = "t." + build.quoted(column.name)
        let isContained = contains("CAST(k.value AS text)", in: column.kind == .text ? text : "CAST(\(text) AS text)")
        return conditioned("EXISTS (SELECT 1 FROM \(keys(&build)) WHERE \(isContained)\(keyForm))", &build)
    }

    /// Whether a key is one word with digits, long enough to stand in a text for nothing else: a cuid, a ULID, a UUID.
    private func isGenerated(_ key: String) -> String {
        postgres
            ? "\(key) ~ '^[0-9A-Za-z_-]{8,}$' AND \(key) ~ '[0-9]'"
            : "length(\(key)) >= 8 AND \(key) NOT GLOB '*[^0-9A-Za-z_-]*' AND \(key) GLOB '*[0-9]*'"
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
