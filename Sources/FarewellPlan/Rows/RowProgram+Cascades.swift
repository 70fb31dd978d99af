// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Large accounts: some tables' rows are left to the database's own cascade, while the rows that they link to are
/// deleted in pieces.
///
/// The database looks for such rows whenever it deletes a row to which they could link. If they were deleted before,
/// there would be three searches: by their own link, through the other table, and the database's, without a result.
extension RowProgram {
    /// The tables whose rows may be left to a cascade, each with the tables whose deletion deletes these rows.
    ///
    /// A table is one of them only if the database's counters report its deleted rows, and if a cascade follows each of
    /// its links that leads through another table. Its rows must also have a link that holds the subject's key, by
    /// which they can be counted.
    ///
    /// - Parameters:
    ///   - effects: The effects of an account that is erased in pieces.
    ///   - areFew: Whether each row of the parent has few rows of the node.
    package func cascades(in effects: [Effect], where areFew: (_ node: Int, _ parent: Int) -> Bool) -> [Int: Set<Int>] {
        guard rowCounters != nil else { return [:] }
        var cascades: [Int: Set<Int>] = [:]
        for node in graph.nodes where node.index != graph.root && node.rule.erasesRows {
            guard let parents = parents(of: node, in: effects), parents.allSatisfy({ areFew(node.index, $0) }),
                // Not along a chain, because each table multiplies the rows of a piece.
                !cascades.values.contains(where: { $0.contains(node.index) }),
                parents.allSatisfy({ cascades[$0] == nil })
            else { continue }
            cascades[node.index] = parents
        }
        return cascades
    }

    /// The same effects, with rows of these tables left to a cascade. The rows that no cascade has deleted are deleted
    /// afterwards.
    package func leaving(_ cascades: [Int: Set<Int>], in effects: [Effect]) -> [Effect] {
        var order = effects
        for (node, parents) in cascades.sorted(by: { $0.key < $1.key }) {
            let own = order.filter { $0.nodes == [node] && $0.through == nil }
            order.removeAll { $0.nodes == [node] }
            guard let last = order.lastIndex(where: { !parents.isDisjoint(with: $0.nodes) }) else { return effects }
            order.insert(contentsOf: own, at: last + 1)
            for place in order.indices where !parents.isDisjoint(with: order[place].nodes) {
                order[place].takesOthers = true
            }
        }
        return order
    }

    private func parents(of node: RowGraph.Node, in effects: [Effect]) -> Set<Int>? {
        let own = effects.indices.filter { effects[$0].nodes.contains(node.index) }
        let parents = Set(own.compactMap { effects[$0].through })
        guard let first = own.first, !parents.isEmpty, !parents.contains(graph.root),
            own.contains(where: { effects[$0].through == nil }), areDivided(node.index, effects),
            parents.allSatisfy({ areDivided($0, effects) })
        else { return nil }
        let areTaken = node.links.allSatisfy { edge in
            edge.isDirect
                || edge.link.onDelete == .cascade && edge.link.condition.isEmpty
                    && graph.isVouchedFor(edge, of: node.index)
        }
        let last = effects.lastIndex { !parents.isDisjoint(with: $0.nodes) } ?? first
        // These rows are now deleted after those of the tables in between, so none of their keys may lead there.
        let passed = Set(effects[min(first, last)...last].flatMap(\.nodes))
        let between = passed.subtracting(parents.union([node.index]))
        let mayWait = node.table.foreignKeys.allSatisfy { key in
            guard let target = graph.nodes.first(where: { $0.table.name == key.target })?.index else { return true }
            return key.onDelete == .cascade && key.isValidated && !between.contains(target)
        }
        return areTaken && mayWait ? parents : nil
    }

    /// Whether a node's rows are deleted in pieces that hold no other table's rows and are found by places in the file.
    private func areDivided(_ node: Int, _ effects: [Effect]) -> Bool {
        let own = effects.filter { $0.nodes.contains(node) }
        return !own.isEmpty
            && own.allSatisfy { effect in
                guard effect.nodes == [node], case .places? = effect.chunks else { return false }
                return true
            }
    }
}
