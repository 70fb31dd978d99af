// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

extension RowSelection {
    /// Whether the selection of a node holds every row that names a selected row of another by a key of the database,
    /// because a link of the plan says the same and compares values as the key does. No row is left behind such a key.
    package func holdsAllRows(of node: Int, naming parent: Int, by key: ForeignKey) -> Bool {
        guard node != graph.root else { return false }
        return graph.nodes[node].links.contains { edge in
            edge.parent == parent && edge.partition == nil && key.isSame(as: edge.link)
                && edge.link.condition.isEmpty && edge.link.list == nil && edge.link.shared != .unlink
                && !edge.link.isOwnedParent && areAlike(edge, node)
        }
    }

    /// Whether the columns of a link and those that it leads to hold values in the same form.
    private func areAlike(_ edge: RowGraph.Edge, _ node: Int) -> Bool {
        let (child, parent) = (graph.nodes[node].table, graph.nodes[edge.parent].table)
        return zip(edge.link.columns, edge.link.targetColumns).allSatisfy { name, target in
            guard let column = child[name], let key = parent[target], column.kind == key.kind,
                column.looseEquality == nil, key.looseEquality == nil
            else { return false }
            switch column.kind {
            case .integer: return true
            case .uuid, .text: return column.type.lowercased() == key.type.lowercased()
            default: return false
            }
        }
    }
}
