// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

extension RowComparison {
    /// A comparison of a row `t`, only where the link is about the row at all (`where:`), and its value names a row.
    func conditioned(_ comparison: String, _ build: inout RowStatementBuilder) -> String {
        var parts = [comparison]
        if !edge.link.condition.isEmpty { parts.append(condition(&build)) }
        if let isWritten = isWritten(&build) { parts.append(isWritten) }
        return parts.joined(separator: " AND ")
    }

    /// Whether the link is about a row `t`. Never null: null is none of the values.
    private func condition(_ build: inout RowStatementBuilder) -> String {
        edge.link.condition.parts.map { part in
            let column = "t." + build.quoted(part.column)
            if part.isNull { return "\(column) IS NULL" }
            let values = part.values.map { graph.dialect.typed(build.parameter(.text($0)), "text") }
            return "\(column) IS NOT NULL AND \(written(column, child[part.column])) IN "
                + "(\(values.joined(separator: ", ")))"
        }.joined(separator: " AND ")
    }

    /// A value as the database writes it. Plain text is compared as it is, so that an index serves.
    private func written(_ value: String, _ column: SchemaColumn?) -> String {
        guard let column, column.looseEquality == nil else {
            return "CAST(\(value) AS text) COLLATE \(graph.dialect.exactCollation)"
        }
        return column.kind == .text && column.labels == nil ? value : "CAST(\(value) AS text)"
    }
}
