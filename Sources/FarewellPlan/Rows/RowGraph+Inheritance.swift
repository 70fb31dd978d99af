// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Tables that inherit from other tables of the plan. Each is a node of its own, with its own rule; a row that names a
/// row of the ancestor may name one of the descendant.
extension RowGraph {
    /// For each node the nodes whose tables inherit from its table.
    static func descendants(of nodes: [Node], _ indexes: [TableName: Int], _ tables: TableDescendants) -> [[Int]] {
        guard !tables.isEmpty else { return Array(repeating: [], count: nodes.count) }
        return nodes.map { node in
            tables.of(node.table.name).compactMap { indexes[$0] }.filter { !nodes[$0].links.isEmpty }
        }
    }

    /// The nodes with the links that a row may follow to a descendant of the table that the plan names.
    ///
    /// A link that holds the subject's key finds its rows by that key alone, and a key of the database leads to the
    /// rows of its own target only.
    static func following(_ descendants: [[Int]], _ nodes: [Node]) -> [Node] {
        guard descendants.contains(where: { !$0.isEmpty }) else { return nodes }
        func followed(_ edge: Edge) -> [Edge] {
            guard !edge.isDirect, edge.link.onDelete == nil else { return [edge] }
            return [edge]
                + descendants[edge.parent].map { descendant in
                    var inherited = edge
                    inherited.link.target = nodes[descendant].table.name
                    inherited.parent = descendant
                    return inherited
                }
        }
        return nodes.map { node in
            var node = node
            node.links = node.links.flatMap(followed)
            node.references = node.references.flatMap(followed)
            return node
        }
    }

    /// The nodes that must be erased after this one because they may hold the subject's own row.
    static func holdingSubject(after node: Node, _ own: [Int], root: Int) -> [Int] {
        guard !own.isEmpty, node.index != root, !own.contains(node.index),
            node.links.contains(where: { $0.parent == root })
        else { return [] }
        return own
    }

    /// The rows of the subject's table, with those of the tables that inherit from it: whichever holds a subject's row.
    package func subjects(_ build: RowStatementBuilder) -> String {
        isInherited ? build.quoted(nodes[root].table.name) : build.rows(of: nodes[root].table)
    }
}

extension RowSelection {
    /// The descendants of a node whose rows are identified by columns that the node's table has as well.
    func heirs(of node: RowGraph.Node) -> [Int] {
        graph.descendants[node.index].filter { index in
            let key = graph.nodes[index].table.primaryKey
            return !key.isEmpty && key.allSatisfy { node.table[$0] != nil }
        }
    }

    /// Whether a row `t`, read from the node's table together with those that inherit from it, is the subjects' own.
    func isOwn(_ node: RowGraph.Node, _ heirs: [Int], _ build: RowStatementBuilder) -> String {
        let found = ([node.index] + heirs).map { index in
            let identity = identity(of: index, build)
            var same = identity.enumerated().map { "f.i\($0) = \($1)" }
            if !heirs.isEmpty {
                let name = build.quoted(graph.nodes[index].table.name).replacing("'", with: "''")
                same.append("t.tableoid = '\(name)'::pg_catalog.regclass")
            }
            return "EXISTS (SELECT 1 FROM f\(index) AS f WHERE \(same.joined(separator: " AND ")))"
        }
        return found.count == 1 ? found[0] : "(\(found.joined(separator: " OR ")))"
    }
}
