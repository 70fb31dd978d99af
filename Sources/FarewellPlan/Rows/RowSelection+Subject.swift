// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

extension RowSelection {
    /// The subject a directly linked row belongs to, as text: the first link that matches.
    func subject(_ node: Int, _ build: inout RowStatementBuilder) -> String {
        guard node != graph.root, !direct(node).isEmpty else {
            let key = "CAST(t.\(build.quoted(graph.keyColumn.name)) AS text)"
            guard graph.keyColumn.kind != .number || graph.isAboutOne else { return spelled(key) }
            return graph.dialect.plainlyCollated(key, of: graph.keyColumn)
        }
        if graph.isAboutOne { return "'subject'" }
        return firstMatch(of: node, &build) { spelled("CAST(\($0) AS text)") }
    }

    /// The same as the key itself, which is quicker to count by than its text; `nil` where rows hold it in another
    /// type.
    func subjectKey(_ node: Int, _ build: inout RowStatementBuilder) -> String? {
        let (links, table) = (direct(node), graph.nodes[node].table)
        let kind = graph.keyColumn.kind
        let areKeys = links.allSatisfy { $0.link.path.isEmpty && table[$0.link.columns[0]]?.kind == kind }
        guard node != graph.root, !links.isEmpty, areKeys, kind == .uuid || kind == .integer else { return nil }
        return firstMatch(of: node, &build) { $0 }
    }

    /// The key that a row itself names, null if it names none of the subjects; `nil` if no link holds the key.
    func named(by node: Int, _ build: inout RowStatementBuilder) -> String? {
        direct(node).isEmpty ? nil : firstMatch(of: node, isCertain: false, &build) { $0 }
    }

    /// A key in one spelling: a UUID may be held as text in either letter case, a padded key with its spaces, and a
    /// number with zeros behind its decimal point.
    func spelled(_ text: String) -> String {
        guard !graph.keyColumn.isPadded else { return "rtrim(\(text), ' ')" }
        switch graph.keyColumn.kind {
        case .uuid: return "lower(\(text))"
        case .number: return "CASE WHEN \(text) LIKE '%.%' THEN rtrim(rtrim(\(text), '0'), '.') ELSE \(text) END"
        default: return text
        }
    }

    private func direct(_ node: Int) -> [RowGraph.Edge] { graph.nodes[node].links.filter(\.isDirect) }

    /// The value of the first direct link that matches; null if none does and that is not certain.
    private func firstMatch(
        of node: Int, isCertain: Bool = true, _ build: inout RowStatementBuilder, written: (String) -> String
    ) -> String {
        let cases = direct(node).map { edge in
            let comparison = RowComparison(graph: graph, edge: edge, child: graph.nodes[node].table)
            let condition = comparison.direct(&build)
            let column = graph.nodes[node].table[edge.link.columns[0]]
            let value = graph.dialect.plainlyCollated(comparison.value(0, &build), of: column)
            return (condition: condition, value: written(value))
        }
        guard cases.count > 1 || !isCertain else { return cases[0].value }
        return "CASE " + cases.map { "WHEN \($0.condition) THEN \($0.value)" }.joined(separator: " ") + " END"
    }
}
