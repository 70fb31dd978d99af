// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

extension RowProgramWriter {
    /// Deletes rows to which no link leads any longer: they name a row of the subject's that is gone by the key that it
    /// had. A trigger writes such rows while that row, or rows of it, are deleted. Children come before parents.
    ///
    /// A row that names a key of a row which is there stays: the key may have been given to another subject's row. So
    /// does an owned parent: it has the former key itself, and may be another subject's new row by now.
    func strays() -> [RowProgram.Effect] {
        guard !graph.isDistributed else { return [] }
        return graph.deletionGroups.joined().flatMap { node in
            graph.nodes[node].links.compactMap { stray(graph.nodes[node], by: $0) }
        }
    }

    private func stray(_ node: RowGraph.Node, by edge: RowGraph.Edge) -> RowProgram.Effect? {
        guard node.rule.erasesRows, node.index != graph.root, !edge.isDirect, edge.parent != node.index,
            edge.link.shared != .unlink, edge.link.list == nil, !edge.link.isOwnedParent
        else { return nil }
        var build = RowStatementBuilder(dialect: graph.dialect)
        let named = capturedCondition(edge, node, &build)
        let condition = "\(named) AND NOT \(hasParent(node, by: edge, &build))"
        let text = "DELETE FROM \(build.rows(of: node.table)) AS t WHERE (\(condition))"
        return RowProgram.Effect(statements: [build.statement(text)], nodes: [node.index])
    }

    /// Whether the row that a row `t` names by this link is there.
    private func hasParent(
        _ node: RowGraph.Node, by edge: RowGraph.Edge, _ build: inout RowStatementBuilder
    ) -> String {
        let parent = graph.nodes[edge.parent]
        let own = selection.identity(of: parent.index, build, as: "p")
        let same = RowComparison(graph: graph, edge: edge, child: node.table).joined(
            "p", column: { "p.\(graph.dialect.quoted(edge.link.targetColumns[$0]))" }, identity: { own[$0] }, &build)
        return "EXISTS (SELECT 1 FROM \(build.rows(of: parent.table)) AS p WHERE \(same))"
    }
}
