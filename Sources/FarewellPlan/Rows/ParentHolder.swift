// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// A way in which rows of some table name a row that is an owned parent (`parent: owned`), and so keep it. Rows that
/// lose the value before the parent goes (`role: reference`) keep nothing.
struct ParentHolder: Sendable, Hashable {
    let table: SchemaTable
    /// The naming columns, and those that they name.
    let columns: [String]
    let targetColumns: [String]
    /// PostgreSQL: the partition of the parent's table in which they name rows; `nil` if that is the whole table.
    var partition: SchemaTable?
    /// The node of the table, if its rows that are erased with the subject keep nothing; `nil` if all stay.
    var node: Int?

    /// The nodes with the holders of their rows: every key of the database to them, and the plan's own links.
    static func found(in nodes: [RowGraph.Node], _ schema: Schema) -> [RowGraph.Node] {
        var nodes = nodes
        guard nodes.contains(where: { $0.links.contains(where: \.link.isOwnedParent) }) else { return nodes }
        let map = SchemaMap(schema)
        for index in nodes.indices {
            let owned = nodes[index].links.filter(\.link.isOwnedParent)
            guard !owned.isEmpty else { continue }
            let planned = owned.map { edge in
                ParentHolder(
                    table: nodes[edge.parent].table, columns: edge.link.targetColumns, targetColumns: edge.link.columns)
            }
            let keys = schema.tables.flatMap { table in
                table.foreignKeys.compactMap { key -> ParentHolder? in
                    var listed = key
                    listed.target = map.listedName(of: key.target)
                    guard listed.target == nodes[index].table.name, key.isPaired,
                        !nodes.letGo(of: listed, in: map.listedName(of: table.name))
                    else { return nil }
                    return ParentHolder(
                        table: table, columns: key.columns, targetColumns: key.targetColumns,
                        partition: key.target == listed.target ? nil : map[key.target])
                }
            }
            var seen: Set<ParentHolder> = []
            nodes[index].holders = (planned + keys).filter { seen.insert($0).inserted }.map { holder in
                var holder = holder
                holder.node = holder.leaving(nodes, map.listedName(of: holder.table.name), besides: index)
                return holder
            }
        }
        return nodes
    }

    /// Whether rows that a link of the plan finds have lost this key when the row that it names is deleted.
    static func letsGo(of key: ForeignKey, by link: Link) -> Bool {
        key.isSame(as: link) && (!link.isReference || link.condition.isEmpty && link.list == nil)
    }

    /// The node whose rows of the subject no longer name the parent when they have gone or were changed; `nil` where
    /// there is none, or it is itself found through the parents.
    ///
    /// - Parameter name: The table as the plan names it: that of a partition is its parent.
    private func leaving(_ nodes: [RowGraph.Node], _ name: TableName, besides parent: Int) -> Int? {
        guard let node = nodes.first(where: { $0.table.name == name }),
            node.rule.erasesRows || columns.contains(where: node.changes)
        else { return nil }
        var (open, seen) = ([node.index], Set<Int>())
        while let next = open.popLast() {
            guard next != parent else { return nil }
            guard seen.insert(next).inserted else { continue }
            open += nodes[next].links.filter { !$0.isDirect }.map(\.parent) + nodes[next].holders.compactMap(\.node)
        }
        return node.index
    }
}

extension [RowGraph.Node] {
    /// Whether the plan erases rows with this key together with the row that it names, or takes the key out of rows
    /// that stay: such rows keep nothing.
    fileprivate func letGo(of key: ForeignKey, in table: TableName) -> Bool {
        contains { node in
            node.table.name == table
                && (node.links + node.references).contains { ParentHolder.letsGo(of: key, by: $0.link) }
        }
    }
}

extension RowGraph {
    /// Nodes whose rows are owned parents, those first that own others.
    func ownedParents(among nodes: [Int]) -> [Int] {
        let owned = nodes.filter { node in self.nodes[node].links.contains(where: \.link.isOwnedParent) }
        return owned.map { ($0, depth(of: $0, [])) }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    private func depth(of node: Int, _ seen: Set<Int>) -> Int {
        let owners = nodes[node].links.filter(\.link.isOwnedParent).map(\.parent).filter { !seen.contains($0) }
        return owners.map { depth(of: $0, seen.union([node])) + 1 }.max() ?? 0
    }
}

extension RowSelection {
    /// Whether no row that stays names a row `t` of the node, an owned parent.
    func isReleased(_ node: Int, _ build: inout RowStatementBuilder) -> String {
        let held = graph.nodes[node].holders.map { holder in
            guard let own = holder.node else { return naming(holder, node, build) }
            let identity = identity(of: own, build, as: "h")
            let names = identity.indices.map { "i\($0)" }.joined(separator: ", ")
            return "\(naming(holder, node, build)) AND NOT (\(tuple(identity)) IN (SELECT \(names) FROM f\(own)))"
        }
        return held.map { "NOT EXISTS (\($0))" }.joined(separator: " AND ")
    }

    /// Whether no row at all names a row `t` of the node any longer.
    func isUnnamed(_ node: Int, _ build: RowStatementBuilder) -> String {
        graph.nodes[node].holders.map { "NOT EXISTS (\(naming($0, node, build)))" }.joined(separator: " AND ")
    }

    private func naming(_ holder: ParentHolder, _ node: Int, _ build: RowStatementBuilder) -> String {
        let same = zip(holder.columns, holder.targetColumns).map { column, target in
            let equality = graph.dialect.equality(of: holder.table[column], with: graph.nodes[node].table[target])
            return "\(equality.side("h.\(build.quoted(column))")) = \(equality.keySide("t.\(build.quoted(target))"))"
        }
        let conditions = same + (holder.partition.map { [isRow(of: $0, node, build)] } ?? [])
        return "SELECT 1 FROM \(build.rows(of: holder.table)) AS h WHERE \(conditions.joined(separator: " AND "))"
    }

    /// Whether a row `t` of the node is in a partition.
    private func isRow(of partition: SchemaTable, _ node: Int, _ build: RowStatementBuilder) -> String {
        let same = zip(identity(of: node, build, as: "q"), identity(of: node, build)).map { "\($0) = \($1)" }
        return "EXISTS (SELECT 1 FROM \(build.rows(of: partition)) AS q WHERE \(same.joined(separator: " AND ")))"
    }
}
