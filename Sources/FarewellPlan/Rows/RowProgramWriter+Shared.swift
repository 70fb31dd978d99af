// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Values of erased rows that name other users, or that another user wrote.
extension RowProgramWriter {
    /// A column's value if it is the subject's, otherwise null.
    func value(
        of column: String, in part: ExportedColumn.Part, _ node: RowGraph.Node, _ build: inout RowStatementBuilder
    ) -> String {
        let whole = self.whole(column, node, build)
        var cases = part.users.filter { !$0.link.path.isEmpty }.map {
            "WHEN \(namesOthers($0, node, &build)) THEN NULL"
        }
        let keys = part.users.filter(\.link.path.isEmpty)
        for edge in keys {
            cases.append("WHEN \(isOwn(edge, node, &build)) THEN \(value(of: column, in: edge, node, &build))")
        }
        // A key to users has no other values: nothing else is read.
        guard keys.allSatisfy({ !$0.link.condition.isEmpty }) else { return "CASE \(cases.joined(separator: " ")) END" }
        for edge in keys {
            let comparison = RowComparison(graph: graph, edge: edge, child: node.table)
            let isSet = comparison.conditioned("t.\(build.quoted(column)) IS NOT NULL", &build)
            cases.append("WHEN \(isSet) THEN NULL")
        }
        guard !part.authors.isEmpty else { return "CASE \(cases.joined(separator: " ")) ELSE \(whole) END" }
        cases.append("WHEN \(isWritten(byOneOf: part.authors, node, &build)) THEN \(whole)")
        for edge in part.others { cases.append("WHEN \(isOwn(edge, node, &build)) THEN \(whole)") }
        return "CASE \(cases.joined(separator: " ")) END"
    }

    /// Whether the subject wrote a row `t`, or no user did.
    private func isWritten(
        byOneOf authors: [RowGraph.Edge], _ node: RowGraph.Node, _ build: inout RowStatementBuilder
    ) -> String {
        let named = authors.map { "(\(isOwn($0, node, &build)))" }
        let held = authors.map { "(\(isSet($0, node, &build)))" }
        return "(\(named.joined(separator: " OR ")) OR NOT (\(held.joined(separator: " OR "))))"
    }

    /// Whether a row `t` that was found names the subject, or a row of the subject's, by this link.
    private func isOwn(_ edge: RowGraph.Edge, _ node: RowGraph.Node, _ build: inout RowStatementBuilder) -> String {
        guard edge.isDirect else { return selection.isFound(node.index, by: edge, isWay: false, &build) }
        return RowComparison(graph: graph, edge: edge, child: node.table).direct(&build)
    }

    /// Whether a row `t` has a value of this link.
    private func isSet(_ edge: RowGraph.Edge, _ node: RowGraph.Node, _ build: inout RowStatementBuilder) -> String {
        let comparison = RowComparison(graph: graph, edge: edge, child: node.table)
        guard edge.link.list == nil else {
            return comparison.conditioned(comparison.holdsMember("TRUE", &build), &build)
        }
        let values = edge.link.columns.indices.map { comparison.value($0, &build) + " IS NOT NULL" }
        return comparison.conditioned(values.joined(separator: " AND "), &build)
    }

    /// Whether the document of a row `t` names another user at this link's path.
    private func namesOthers(
        _ edge: RowGraph.Edge, _ node: RowGraph.Node, _ build: inout RowStatementBuilder
    ) -> String {
        guard edge.link.list != nil else {
            return "\(isSet(edge, node, &build)) AND (\(isOwn(edge, node, &build))) IS NOT TRUE"
        }
        let comparison = RowComparison(graph: graph, edge: edge, child: node.table)
        let isOther = "(\(isOwnMember(edge, comparison, &build))) IS NOT TRUE"
        return comparison.conditioned(comparison.holdsMember(isOther, &build), &build)
    }

    /// Whether a member `m` of a list names the subject, or a row of the subject's.
    func isOwnMember(
        _ edge: RowGraph.Edge, _ comparison: RowComparison, _ build: inout RowStatementBuilder
    ) -> String {
        guard !edge.isDirect else { return comparison.isDirectMember(&build) }
        let key = "p." + selection.name(of: edge.link.targetColumns[0], in: edge.parent)
        return "EXISTS (SELECT 1 FROM f\(edge.parent) AS p WHERE \(comparison.isMember(of: key)))"
    }
}

extension RowGraph.Edge {
    /// Whether the link's column is nothing but a list of keys.
    var isPlainList: Bool { link.list != nil && link.path.isEmpty }
}

extension ExportedColumn.Part {
    /// Why the value is missing in some rows.
    var omissions: [RowExport.OmittedColumn.Reason] {
        let isOnlyKey = users.contains { $0.link.path.isEmpty && $0.link.condition.isEmpty }
        return (users.isEmpty ? [] : [.otherUsers]) + (authors.isEmpty || isOnlyKey ? [] : [.otherAuthors])
    }
}
