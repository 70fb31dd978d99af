// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

extension RowSelection {
    /// A way to find the subjects' rows of a node in a `DELETE` or `UPDATE` on `t`.
    enum Way: Hashable {
        /// By the links that hold the subject's key.
        case direct
        /// By the link of this place, through the rows of its parent.
        case link(Int)
        /// By all links in one go, each by its own index.
        case links
        /// By the rows' own identity, from the node's whole selection.
        case identity
    }

    /// The ways that together reach all of the subjects' rows of a node.
    ///
    /// Link by link if that is possible, so that each finds its rows by its own index; together where links recurse or
    /// depend on each other, and where a row may refer to one that another link finds.
    func ways(of node: Int) -> [Way] {
        let ways = singleWays(of: node)
        return ways.count > 1 && graph.refersToItself(node) ? [.identity] : ways
    }

    /// The same where no row refers to one that another link finds.
    func singleWays(of node: Int) -> [Way] {
        let links = graph.nodes[node].links
        if links.allSatisfy(\.isDirect) { return [.direct] }
        let dependent = links.contains { edge in
            edge.link.shared == .unlink || edge.link.isOwnedParent || (!edge.isDirect && inGroup(edge.parent, of: node))
        }
        if dependent || node == graph.root { return [.identity] }
        let indirect = links.indices.filter { !links[$0].isDirect }.map(Way.link)
        return links.contains(where: \.isDirect) ? [.direct] + indirect : indirect
    }

    /// The same at once if an index finds the rows of every link: link by link, the next statement would scan the dead
    /// rows of the one before.
    func waysAtOnce(of node: Int) -> [Way] {
        let areIndexed = graph.nodes[node].links.allSatisfy { $0.link.columns.count == 1 && isIndexed($0, node) }
        return areIndexed && singleWays(of: node).count > 1 ? [.links] : ways(of: node)
    }

    /// The same if the deleted rows must report the value that found them: a converted value, or one inside JSON, is no
    /// column that they could report.
    func tellingWays(of node: Int) -> [Way] {
        let isConverted = graph.nodes[node].links.contains { !$0.isDirect && needsConversion($0, node) }
        // At once, a row would also report its key if the link does not concern it.
        let isConditional = graph.nodes[node].links.contains { !$0.link.condition.isEmpty }
        return isConverted ? [.identity] : isConditional ? ways(of: node) : waysAtOnce(of: node)
    }

    /// The condition of a `DELETE` or `UPDATE` on `t`, and the selections it rests on.
    func condition(_ node: Int, by way: Way, _ build: inout RowStatementBuilder) -> (with: String, condition: String) {
        switch way {
        case .direct:
            return ("", directCondition(node, &build) ?? "FALSE")
        case .link(let place):
            let edge = graph.nodes[node].links[place]
            return (with([edge.parent], &build), isFound(node, by: edge, &build))
        case .links:
            let indirect = graph.nodes[node].links.indices.filter { !graph.nodes[node].links[$0].isDirect }
            let with = with(Set(indirect.map { graph.nodes[node].links[$0].parent }), &build)
            let direct = directCondition(node, &build).map { [$0] } ?? []
            let listed = indirect.map { condition(node, by: .link($0), &build).condition }
            return (with, (direct + listed).joined(separator: " OR "))
        case .identity:
            let with = with([node], &build)
            return (with, identityCondition(node, source: "f\(node)", build))
        }
    }

    /// Whether a row `t` names a row of its parent, from the parent's selection.
    ///
    /// - Parameter isWay: Whether rows are found by it, and not only looked at: each row would pass the whole list.
    func isFound(
        _ node: Int, by edge: RowGraph.Edge, isWay: Bool = true, _ build: inout RowStatementBuilder
    ) -> String {
        if needsConversion(edge, node) { return converted(edge, node, &build) }
        let columns = edge.link.columns.map { "t." + build.quoted($0) }
        let targets = edge.link.targetColumns.map { name(of: $0, in: edge.parent) }.joined(separator: ", ")
        let parents = "SELECT \(targets) FROM f\(edge.parent)"
        // A list leads the planner to the index, whatever it believes about how many parents there are.
        let isListed = isWay && columns.count == 1 && isIndexed(edge, node)
        let found = isListed ? "\(columns[0]) = ANY(ARRAY(\(parents)))" : "\(tuple(columns)) IN (\(parents))"
        return RowComparison(graph: graph, edge: edge, child: graph.nodes[node].table).conditioned(found, &build)
    }

    /// Whether a row `t` names a row of its parent in another type, or in JSON.
    private func converted(_ edge: RowGraph.Edge, _ node: Int, _ build: inout RowStatementBuilder) -> String {
        let comparison = RowComparison(graph: graph, edge: edge, child: graph.nodes[node].table)
        guard graph.dialect.hasColumnTypes else {
            guard edge.link.list == nil, !comparison.ignoresCase else { return isAnyOf(edge, comparison, &build) }
            let values = edge.link.columns.indices.map { comparison.value($0, &build) }
            let listed = comparison.isListed(values, in: "f\(edge.parent)") { position in
                name(of: edge.link.targetColumns[position], in: edge.parent)
            }
            return comparison.conditioned(listed, &build)
        }
        return isAnyOf(edge, comparison, &build)
    }

    private func isAnyOf(
        _ edge: RowGraph.Edge, _ comparison: RowComparison, _ build: inout RowStatementBuilder
    ) -> String {
        let condition = comparison.joined(
            "p", column: { "p." + name(of: edge.link.targetColumns[$0], in: edge.parent) }, identity: { "p.i\($0)" },
            &build)
        return "EXISTS (SELECT 1 FROM f\(edge.parent) AS p WHERE \(condition))"
    }

    /// `(t.a, t.b) IN (SELECT i0, i1 FROM source)`.
    func identityCondition(_ node: Int, source: String, _ build: RowStatementBuilder) -> String {
        let identity = identity(of: node, build)
        let names = identity.indices.map { "i\($0)" }.joined(separator: ", ")
        return "\(tuple(identity)) IN (SELECT \(names) FROM \(source))"
    }
}
