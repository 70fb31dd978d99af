// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Rows that stay, and the limits of reading them back.
///
/// A rule may empty or replace the values by which the rows were found. Such rows are found again by the primary keys
/// that they had before the change.
extension RowGraph {
    /// Whether rows of a table stay and lose a value by which they are found: a rule empties or changes it, or the
    /// database's own key does when their parent is deleted.
    func losesTrack(of node: Node) -> Bool {
        guard !node.rule.erasesRows, node.isChanged else { return false }
        if node.index == root, node.changes(keyColumn.name) { return true }
        return node.links.contains { isLost($0, of: node) }
    }

    private func isLost(_ edge: Edge, of node: Node) -> Bool {
        edge.link.columns.contains { node.changes($0) } || isLetGo(edge, of: node)
    }

    /// Whether the database's own key empties the linking column, or sets it to its default, when the row that it names
    /// is deleted or changed.
    private func isLetGo(_ edge: Edge, of node: Node) -> Bool {
        emptying(edge, of: node).map { $0 == .setNull || $0 == .setDefault } ?? false
    }

    /// The action of the database's own key on the linking column when the row that it names is deleted or changed.
    ///
    /// - Parameter depth: The number of keys followed so far.
    private func emptying(_ edge: Edge, of node: Node, depth: Int = 0) -> DeleteAction? {
        let parent = nodes[edge.parent]
        guard !parent.rule.erasesRows else { return edge.link.onDelete }
        guard depth < KeyStep.greatestDepth, edge.link.onDelete != nil,
            let key = node.table.foreignKeys.first(where: { $0.isSame(as: edge.link) }), key.updatesRows
        else { return nil }
        let changes = edge.link.targetColumns.compactMap { givesNull($0, in: parent, depth: depth + 1) }
        guard !changes.isEmpty else { return nil }
        return key.onUpdate == .cascade && changes.contains(true) ? .setNull : key.onUpdate
    }

    /// Whether an erasure sets a column of a row that stays to null, by its rule or by a key; `nil` if the column keeps
    /// its value.
    private func givesNull(_ column: String, in node: Node, depth: Int = 0) -> Bool? {
        let rule = node.columns.first { $0.name == column }?.rule
        if let rule, rule.changesValue { return rule.givesNull }
        for edge in node.links where edge.link.columns.contains(column) {
            guard let action = emptying(edge, of: node, depth: depth) else { continue }
            if action == .setNull || action == .setDefault { return action == .setNull }
            if action == .cascade, !nodes[edge.parent].rule.erasesRows { return false }
        }
        return nil
    }

    /// Whether rows that lose the values by which they are found are read again by their primary key. The key must
    /// exist, must not be null, and must not change.
    package func isKnownByKey(_ node: Node) -> Bool {
        guard losesTrack(of: node), needsKey(node), lettingGo(of: node) != nil else { return false }
        let columns = node.table.primaryKey.compactMap { node.table[$0] }
        return !columns.isEmpty
            && columns.allSatisfy { column in
                !column.isNullable && !mayMove(column.name, in: node) && isWrittenInOneWay(column)
            }
    }

    /// Whether only values by which the rows are found change to a known value: a row that still has its old value is
    /// then found by it, and needs no other key.
    private func isReadByLinks(_ node: Node) -> Bool { lettingGo(of: node) != nil && !needsKey(node) }

    /// Whether a rule empties a column that no link uses, or sets it to a constant.
    private func needsKey(_ node: Node) -> Bool {
        var linking = Set(node.links.flatMap(\.link.columns))
        if node.index == root { linking.insert(keyColumn.name) }
        return node.columns.contains { column in
            guard let rule = column.rule, rule.changesValue, !rule.isMadeOfOld else { return false }
            return !linking.contains(column.name)
        }
    }

    /// SQLite: whether a value of the column that was read compares equal when it is sent back.
    private func isWrittenInOneWay(_ column: SchemaColumn) -> Bool {
        let kinds: Set<SchemaColumn.Kind> = [.integer, .text, .uuid, .bytes]
        return dialect.hasColumnTypes || kinds.contains(column.kind)
    }

    /// Whether a column may have another value after the erasure: by its own rule, or because its parent's changes.
    private func mayMove(_ column: String, in node: Node) -> Bool {
        givesNull(column, in: node) != nil || node.references.contains { $0.link.columns.contains(column) }
            || node.links.contains { edge in
                zip(edge.link.columns, edge.link.targetColumns).contains {
                    $0 == column && nodes[edge.parent].changes($1)
                }
            }
    }

    /// The proof that a row has not been given to another subject since: in each of these lists a column has its
    /// planned value. `nil` if there is no proof, because a rule derives the new value from the old one, or only the
    /// database knows it.
    func lettingGo(of node: Node) -> [[TablePlan.PlannedColumn]]? {
        var changed = Set(node.links.flatMap(\.link.columns).filter(node.changes))
        if node.index == root, node.changes(keyColumn.name) { changed.insert(keyColumn.name) }
        let planned = node.columns.filter { changed.contains($0.name) }
        guard !planned.contains(where: { $0.rule?.isMadeOfOld == true }) else { return nil }
        let left = node.links.filter { edge in
            isLetGo(edge, of: node) && !edge.link.columns.contains(where: node.changes)
        }
        guard left.allSatisfy({ emptying($0, of: node) == .setNull }) else { return nil }
        let emptied = left.map { edge in edge.link.columns.map { TablePlan.PlannedColumn($0, .null) } }
        return planned.map { [$0] } + emptied
    }

    /// The places of a node's primary key, in the opposite order to `keyPlaces` of links. So a key that both name has
    /// two lists, and one can be forgotten without the other.
    package func ownKey(of node: Node) -> [Int] {
        Set(node.table.primaryKey).sorted(by: >).compactMap(node.table.place(of:))
    }

    /// Whether rows that stay lose the values by which they are found, and nothing else identifies them.
    func losesSight(of node: Node) -> Bool { losesTrack(of: node) && !isKnownByKey(node) && !isReadByLinks(node) }

    /// Whether rows of a node stay and are changed, and reading back cannot prove that they hold nothing of the
    /// subject: nothing finds them any longer, or a rule derives their values from the old ones.
    package func isUnreadable(_ node: Node) -> Bool {
        guard !node.rule.erasesRows else { return false }
        let isMadeOfOld = node.columns.contains { $0.rule?.isMadeOfOld == true }
        return isMadeOfOld || losesSight(of: node)
    }
}
