// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Large accounts: tables whose rows are left to the database's own cascade while the rows that they link to are
/// deleted in pieces.
///
/// The database looks for such rows with each row that it deletes, whether they are gone already or not. If they are
/// deleted before, each of them is found three times: by its own link, through the other table, and in vain once more.
extension RowProgram {
    /// For each table whose rows may be left to a cascade, the tables with whose rows they go.
    ///
    /// Only where the database's counters report the deleted rows, and where it deletes the rows by each of their links
    /// that leads through another table. They also have a link that holds the subject's key: it says how many they are.
    ///
    /// - Parameters:
    ///   - effects: The effects of an account that is erased in pieces.
    ///   - areFew: Whether few rows of a node go with each row of another.
    package func cascades(in effects: [Effect], where areFew: (_ node: Int, _ parent: Int) -> Bool) -> [Int: Set<Int>] {
        guard rowCounters != nil else { return [:] }
        var cascades: [Int: Set<Int>] = [:]
        for node in graph.nodes where node.index != graph.root && node.rule.erasesRows {
            guard let parents = parents(of: node, in: effects), parents.allSatisfy({ areFew(node.index, $0) }),
                // Not along a chain: each table multiplies the rows that a piece takes.
                !cascades.values.contains(where: { $0.contains(node.index) }),
                parents.allSatisfy({ cascades[$0] == nil })
            else { continue }
            cascades[node.index] = parents
        }
        return cascades
    }

    /// The same effects, if rows of these tables are left to a cascade: what is left of them then is deleted behind the
    /// tables with which they go.
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

    /// Whether the rows of a node are deleted in pieces, by themselves, and by their places.
    private func areDivided(_ node: Int, _ effects: [Effect]) -> Bool {
        let own = effects.filter { $0.nodes.contains(node) }
        return !own.isEmpty
            && own.allSatisfy { effect in
                guard effect.nodes == [node], case .places? = effect.chunks else { return false }
                return true
            }
    }
}
