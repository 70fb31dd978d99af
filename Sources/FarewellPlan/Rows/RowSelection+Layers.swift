// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Tables that lead to the subject in very many ways, on a database that copies a selection wherever it is named. The
/// copies double with every step if two links lead from table to table.
///
/// Such tables are found together, like tables that lead to each other: as many as one recursion can take, then the
/// tables that need them, in a recursion that begins with all rows found before. Each names the one before it once.
extension RowSelection {
    /// How many selections are copied at most.
    private static let mostCopies = 200

    /// Whether the selections of these groups would be copied too often. Parents come first.
    func areCopied(_ groups: [[Int]]) -> Bool {
        guard graph.dialect.copiesSelections else { return false }
        var copies: [Int: Int] = [:]
        for group in groups {
            var own = 1
            for node in group {
                for edge in graph.nodes[node].links where !edge.isDirect && !inGroup(edge.parent, of: node) {
                    own += copies[edge.parent] ?? 0
                    guard own <= Self.mostCopies else { return true }
                }
            }
            for node in group { copies[node] = own }
        }
        return false
    }

    /// A named query for all rows of these nodes and of those that they depend on, `(node, subject, v0, v1, …)`; `nil`
    /// if no part would be repeated too often.
    func layers(over nodes: Set<Int>, _ build: inout RowStatementBuilder) -> (with: String, name: String, width: Int)? {
        let groups = Set(closure(of: nodes).map { graph.groupOfNode[$0] }).sorted(by: >).map { graph.groups[$0] }
        guard areCopied(groups) else { return nil }
        let (parts, name, width) = layered(groups, &build)
        return ("WITH RECURSIVE \(parts.joined(separator: ", ")) ", name, width)
    }

    /// - Parameter groups: Parents first.
    func layered(
        _ groups: [[Int]], _ build: inout RowStatementBuilder
    ) -> (parts: [String], name: String, width: Int) {
        let width = groups.joined().map { output($0, build).count }.max() ?? 0
        let header = (["node", "subject"] + (0..<width).map { "v\($0)" }).joined(separator: ", ")
        var parts: [String] = []
        var (found, shown): (Set<Int>, Set<Int>) = ([], [])
        var name: String?
        var rest = groups[...]
        while !rest.isEmpty {
            let layer = Self.layer(&rest, of: graph)
            found.formUnion(layer)
            if let name {
                let holders = Self.holders(of: layer, graph).subtracting(shown)
                parts += holders.sorted().map { view($0, of: name, build) }
                shown.formUnion(holders)
            }
            let own = "g\(layer[0])"
            var queries = name.map { ["SELECT * FROM \($0)"] } ?? []
            for node in layer { queries += groupSeeds(node, group: found, width: width, &build) }
            for node in layer {
                queries += groupSteps(node, group: found, in: own, width: width, &build).map { "SELECT \($0)" }
            }
            parts.append("\(own)(\(header)) AS (\(queries.joined(separator: " UNION ")))")
            name = own
        }
        let last = name ?? "g"
        let views = groups.joined().filter { !shown.contains($0) }.map { view($0, of: last, build) }
        return (parts + views, last, width)
    }

    /// The nodes whose rows keep owned parents among these nodes, unless they go themselves.
    private static func holders(of nodes: [Int], _ graph: RowGraph) -> Set<Int> {
        Set(nodes.flatMap { graph.nodes[$0].holders.compactMap(\.node) })
    }

    /// As many groups as make one list of queries, but one at least. An owned parent comes in a later layer than the
    /// rows that keep it: all of those have to be known.
    private static func layer(_ rest: inout ArraySlice<[Int]>, of graph: RowGraph) -> [Int] {
        var layer: [Int] = []
        var queries = 1
        while let group = rest.first {
            queries += group.reduce(0) { $0 + graph.nodes[$1].links.count + 1 }
            guard layer.isEmpty || queries <= 2 * graph.dialect.longestUnion,
                holders(of: group, graph).isDisjoint(with: layer)
            else { break }
            layer += group
            rest = rest.dropFirst()
        }
        return layer
    }
}

extension RowProgramWriter {
    /// Counts the rows that were found in layers, each once.
    func countsOfLayers(_ build: inout RowStatementBuilder) -> RowStatement? {
        let indirect = graph.nodes.filter { !isCountedInPlace($0.index) }
        // Rows that lose a link lead to rows that are counted in place, too.
        let linked = graph.nodes.filter(\.losesLinks).flatMap { node in
            (Self.unlinking(node) + node.references).filter { !$0.isDirect }.map(\.parent)
        }
        let all = Set(indirect.map(\.index) + linked + countedBesideOwn)
        guard let (with, name, width) = selection.layers(over: all, &build) else { return nil }
        var parts = graph.nodes.filter { isCountedInPlace($0.index) }.flatMap { countsByLink($0, through: [], &build) }
        let places = indirect.map { "WHEN \($0.index) THEN \(place($0))" }.joined(separator: " ")
        let values = (["node"] + (0..<width).map { "v\($0)" }).joined(separator: ", ")
        let nodes = indirect.map { String($0.index) }.joined(separator: ", ")
        parts.append(
            "SELECT CASE node \(places) END AS place, 'subject' AS subject, count(*) AS n "
                + "FROM (SELECT DISTINCT \(values) FROM \(name) WHERE node IN (\(nodes))) AS found GROUP BY node")
        parts += graph.nodes.flatMap { linksCounted(of: $0, &build) }
        return build.statement(with + build.union(parts))
    }
}
