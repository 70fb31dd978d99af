// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Shared rows that another subject holds: they stay, and lose their link to the subject (`shared: unlink`).
extension RowProgramWriter {
    static func unlinking(_ node: RowGraph.Node) -> [RowGraph.Edge] {
        node.links.filter { $0.link.shared == .unlink }
    }

    /// They lose it before anything that they are found by is deleted.
    func unlinks(_ wanted: Set<Int>) -> [RowProgram.Effect] {
        graph.nodes.filter { wanted.contains($0.index) || graph.isFreedEarly($0.index) }.flatMap { node in
            Self.unlinking(node).map { unlink($0, node) } + clears(node)
        }
    }

    private func unlink(_ edge: RowGraph.Edge, _ node: RowGraph.Node) -> RowProgram.Effect {
        var build = RowStatementBuilder(dialect: graph.dialect)
        let table = build.rows(of: node.table)
        let comparison = RowComparison(graph: graph, edge: edge, child: node.table)
        var rows: Rows = ("", "")
        if edge.isDirect {
            rows.condition = comparison.direct(&build) + isHeld(node, besides: edge, &build)
        } else {
            rows.with = selection.with([edge.parent], &build)
            let condition = joined(edge, node, &build)
            rows.condition =
                "EXISTS (SELECT 1 FROM f\(edge.parent) AS p WHERE \(condition))" + isHeld(node, besides: edge, &build)
        }
        // Written last: the statements that list the rows have no parameter of the new values.
        var changing = build
        let change = ReferenceChange(graph: graph, edge: edge, table: node.table)
        let assignments = change.assignments(nil, &changing).joined(separator: ", ")
        let statement = changing.statement(
            rows.with, "UPDATE \(table) AS t SET \(assignments) WHERE \(rows.condition)")
        // A selection that rests on the rows themselves would be made anew for every piece.
        let isDivided = edge.isDirect || selection.indirectLinks(node.index) != nil
        return .init(
            statements: [statement], nodes: [],
            chunks: isDivided ? chunks(unlinking: node.index, rows, build, statement) : nil, unlinked: node.index)
    }

    /// `(place, subject, rows)` of a node's rows that will only lose their link, once each however many links lead from
    /// a row to the subjects.
    func linksCounted(of node: RowGraph.Node, _ build: inout RowStatementBuilder) -> [String] {
        let edges = Self.unlinking(node)
        guard node.losesLinks else { return [] }
        let others = isNotOwn(node, &build)
        let table = build.rows(of: node.table)
        let identity = selection.identity(of: node.index, build)
        let columns = identity.enumerated().map { "\($1) AS i\($0)" }.joined(separator: ", ")
        let reached = edges.map { edge in
            guard edge.isDirect else {
                return "SELECT p.subject AS subject, \(columns) FROM \(table) AS t JOIN f\(edge.parent) AS p "
                    + "ON \(joined(edge, node, &build))" + isHeld(node, besides: edge, &build) + others
            }
            let comparison = RowComparison(graph: graph, edge: edge, child: node.table)
            let key = selection.spelled("CAST(\(comparison.value(0, &build)) AS text)")
            return "SELECT \(graph.isAboutOne ? "'subject'" : key) AS subject, \(columns) FROM \(table) AS t "
                + "WHERE \(comparison.direct(&build))" + isHeld(node, besides: edge, &build) + others
        }
        let freed = node.references.map { naming(columns, of: node, by: $0, besides: others, &build) }
        let names = identity.indices.map { "i\($0)" }.joined(separator: ", ")
        return [
            "SELECT \(literal(node.linkPlace)) AS place, subject, count(*) AS n FROM (SELECT min(subject) AS subject "
                + "FROM (\((reached + freed).joined(separator: " UNION ALL "))) AS reached GROUP BY \(names)) AS once "
                + "GROUP BY subject"
        ]
    }

    /// The nodes whose own rows must be known to count what only loses a link.
    var countedBesideOwn: [Int] {
        graph.nodes.filter { $0.losesLinks && areFoundThroughParents($0) }.map(\.index)
    }

    /// A row that another link gives to the subjects is their own, even if it names others, and is deleted.
    func isNotOwn(_ node: RowGraph.Node, _ build: inout RowStatementBuilder) -> String {
        if areFoundThroughParents(node) {
            return " AND NOT (\(selection.identityCondition(node.index, source: "f\(node.index)", build)))"
        }
        return selection.directCondition(node.index, &build).map { " AND (\($0)) IS NOT TRUE" } ?? ""
    }

    func areFoundThroughParents(_ node: RowGraph.Node) -> Bool { node.links.contains { !$0.isDirect } }

    func joined(
        _ edge: RowGraph.Edge, _ node: RowGraph.Node, _ build: inout RowStatementBuilder
    ) -> String {
        RowComparison(graph: graph, edge: edge, child: node.table).joined(
            "p", column: { "p." + selection.name(of: edge.link.targetColumns[$0], in: edge.parent) },
            identity: { "p.i\($0)" }, &build)
    }

    /// Whether another subject holds a row `t` as well: never where no other link could name them, always in the
    /// subjects' own table, where a row is held by the person it is.
    func isHeld(
        _ node: RowGraph.Node, besides edge: RowGraph.Edge, _ build: inout RowStatementBuilder
    ) -> String {
        guard node.index != graph.root else { return "" }
        let held = selection.holders(of: node.index, besides: edge, &build)
        return held.isEmpty ? " AND FALSE" : " AND (\(held.joined(separator: " OR ")))"
    }
}
