// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Tables whose rows are found through tables that lead to each other. A statement for each of them would find the rows
/// of all those tables again: hundreds of statements, each with a search through a hundred tables.
extension RowProgramWriter {
    /// How many followers one statement has at most. PostgreSQL's rows have at most 1,600 columns.
    private static let mostFollowers = 500

    /// The changes of all rows, with followers joined to the group through whose tables their rows are found; `nil` if
    /// there are none.
    ///
    /// Not if a trigger could notice the order.
    func joinedEffects() throws -> [RowProgram.Effect]? {
        guard graph.changesInQueries, !graph.isInherited, graph.nodes.allSatisfy(\.foreignTriggers.isEmpty) else {
            return nil
        }
        let followers = followers()
        guard !followers.isEmpty else { return nil }
        return try effects(isAtOnce: true, leaving: graph.isCascaded, joining: followers) { _ in true }
    }

    /// The nodes that are deleted together with a later deletion group, by that group's place. A node may follow if no
    /// key and no link of it leads to a table whose rows are deleted in between.
    private func followers() -> [Int: [Int]] {
        let places = placesOfDeletion()
        let nearest = nearestCircles(places)
        var followers: [Int: [Int]] = [:]
        var following: [Int: Int] = [:]
        for group in graph.deletionGroups.reversed() where group.count == 1 {
            let node = graph.nodes[group[0]]
            guard isOnlyErased(node), !graph.isCascaded(node.index),
                let place = nearest[node.index], followers[place, default: []].count < Self.mostFollowers
            else { continue }
            let targets = node.links.map(\.parent) + node.table.foreignKeys.compactMap { graph.places[$0.target] }
            let mayWait = targets.allSatisfy { target in
                target == node.index || places[target] >= place || following[target] == place
            }
            guard mayWait else { continue }
            followers[place, default: []].append(node.index)
            following[node.index] = place
        }
        return followers
    }

    /// Whether rows of a node are erased, and nothing else happens with them or with the rows that they name.
    private func isOnlyErased(_ node: RowGraph.Node) -> Bool {
        node.rule.erasesRows && node.index != graph.root && node.table.kind == .table && !node.losesLinks
            && node.holders.isEmpty && node.links.allSatisfy { $0.link.list == nil && !$0.link.isOwnedParent }
    }

    /// For each node the place of its deletion group.
    private func placesOfDeletion() -> [Int] {
        var places = [Int](repeating: 0, count: graph.nodes.count)
        for (place, group) in graph.deletionGroups.enumerated() {
            for node in group { places[node] = place }
        }
        return places
    }

    /// For each node the first deletion group with tables that lead to each other through which its rows are found.
    private func nearestCircles(_ places: [Int]) -> [Int?] {
        var nearest = [Int?](repeating: nil, count: graph.nodes.count)
        for group in graph.groups.reversed() {
            for node in group {
                let parents = graph.nodes[node].links.filter { !$0.isDirect }.map(\.parent)
                nearest[node] = group.count > 1 ? places[node] : parents.compactMap { nearest[$0] }.min()
            }
        }
        return nearest
    }
}
