// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Nodes that lead to each other, which are found together.
extension RowSelection {
    /// `g7(node, subject, v0, v1, …)` for the group, then each node's own view of it.
    func together(_ group: [Int], _ word: String, _ build: inout RowStatementBuilder) -> [String] {
        let name = "g\(group[0])"
        let width = group.map { output($0, build).count }.max() ?? 0
        let header = (["node", "subject"] + (0..<width).map { "v\($0)" }).joined(separator: ", ")
        var seeds: [String] = []
        var steps: [String] = []
        for node in group {
            seeds += groupSeeds(node, group: Set(group), width: width, &build)
            steps += groupSteps(node, group: Set(group), in: name, width: width, &build)
        }
        let recursion =
            graph.dialect.recursesOnce
            ? [
                "SELECT x.* FROM \(name) AS g, LATERAL ("
                    + steps.map { "SELECT \($0)" }.joined(separator: " UNION ALL ") + ") AS x"
            ] : steps.map { "SELECT \($0)" }
        let all = seeds + recursion
        let parts = ["\(name)(\(header)) AS (\(all.joined(separator: " UNION ")))"]
        return parts + group.map { view($0, of: name, kept: word, build) }
    }

    /// A node's own rows of those that were found together.
    func view(_ node: Int, of name: String, kept word: String = "", _ build: RowStatementBuilder) -> String {
        let types = outputTypes(node)
        let columns = output(node, build).indices.map { graph.dialect.cast("v\($0)", as: types[$0]) }
        return "f\(node)(\(header(node, build))) AS \(word)"
            + "(SELECT subject, \(columns.joined(separator: ", ")) FROM \(name) WHERE node = \(node))"
    }

    func groupSeeds(
        _ node: Int, group: Set<Int>, width: Int, _ build: inout RowStatementBuilder
    ) -> [String] {
        var branches: [String] = []
        let from = "FROM \(build.rows(of: graph.nodes[node].table)) AS t"
        let values = padded(node, width: width, build)
        if let condition = directCondition(node, &build) {
            branches.append("SELECT \(node), \(subject(node, &build)), \(values) \(from) WHERE \(condition)")
        }
        for edge in graph.nodes[node].links where !edge.isDirect && !group.contains(edge.parent) {
            branches.append(
                "SELECT \(node), p.subject, \(values) \(from) JOIN f\(edge.parent) AS p ON \(join(edge, node, &build))")
        }
        return branches
    }

    /// For each link inside the group: the rows of `node` that lead to a row found before.
    func groupSteps(
        _ node: Int, group: Set<Int>, in name: String, width: Int, _ build: inout RowStatementBuilder
    ) -> [String] {
        let values = padded(node, width: width, build)
        let table = build.rows(of: graph.nodes[node].table)
        return graph.nodes[node].links.filter { !$0.isDirect && group.contains($0.parent) }.map { edge in
            let types = outputTypes(edge.parent)
            // The conversion is guarded: other nodes' values in the same column are of other types.
            func value(_ place: Int) -> String {
                graph.dialect.hasColumnTypes
                    ? "CASE WHEN g.node = \(edge.parent) THEN CAST(g.v\(place) AS \(types[place])) END" : "g.v\(place)"
            }
            let comparison = RowComparison(graph: graph, edge: edge, child: graph.nodes[node].table)
            let condition = comparison.joined(
                "g",
                column: { value(outputPlace(of: edge.link.targetColumns[$0], in: edge.parent)) }, identity: value,
                &build)
            let from =
                graph.dialect.recursesOnce ? "FROM \(table) AS t WHERE" : "FROM \(name) AS g JOIN \(table) AS t ON"
            return
                "\(node), g.subject, \(values) \(from) g.node = \(edge.parent) "
                + "AND \(condition)\(unheld(edge, of: node, &build))"
        }
    }

    private func padded(_ node: Int, width: Int, _ build: RowStatementBuilder) -> String {
        // Columns of several tables, and so of several collations, become one.
        let collated = graph.nodes[node].table.columns.first { $0.collation != nil }
        let columns = output(node, build).map {
            graph.dialect.plainlyCollated(graph.dialect.cast($0, as: "text"), of: collated)
        }
        let padding = [String](repeating: graph.dialect.typed("NULL", "text"), count: width - columns.count)
        return (columns + padding).joined(separator: ", ")
    }
}
