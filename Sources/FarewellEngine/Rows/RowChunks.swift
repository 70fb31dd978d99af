// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// How to delete or change a great many rows of one table in bounded transactions.
package struct RowChunks: Sendable {
    /// PostgreSQL: the physical places of the rows in the order they lie in, read once by a held cursor.
    /// Deleting in that order touches each page once; asking again and again for the next rows would wade
    /// through the dead ones.
    package let places: RowStatement?
    /// The change of one chunk. PostgreSQL: of the rows at the places of the last parameter that still are
    /// the subject's; a place may have been given to another row meanwhile. SQLite: of at most `limit` rows.
    package let change: RowStatement
}

extension RowProgramWriter {
    func chunks() throws -> [Int: RowChunks] {
        var chunks: [Int: RowChunks] = [:]
        for node in graph.nodes where node.index != graph.root && !isDeletedTogether(node.index) {
            chunks[node.index] = try chunked(node)
        }
        return chunks
    }

    private func isDeletedTogether(_ node: Int) -> Bool {
        graph.deletionGroups.contains { $0.count > 1 && $0.contains(node) }
            || graph.nodes[node].links.contains { $0.parent == node }
    }

    private func chunked(_ node: RowGraph.Node) throws -> RowChunks? {
        if graph.dialect == .sqlite { return node.rule == .erase ? limited(node) : nil }
        var build = RowStatementBuilder(dialect: graph.dialect)
        let table = build.quoted(node.table.name)
        let (with, condition) = selection.condition(node.index, &build)
        let places = build.statement("\(with)SELECT t.ctid FROM \(table) AS t WHERE \(condition) ORDER BY t.ctid")
        guard let change = try change(node.index) else { return nil }
        let place = "$\(change.slots.count + 1)::tid[]"
        return RowChunks(
            places: places,
            change: RowStatement(text: "\(change.text) AND t.ctid = ANY(\(place))", slots: change.slots))
    }

    private func limited(_ node: RowGraph.Node) -> RowChunks {
        var build = RowStatementBuilder(dialect: graph.dialect)
        let table = build.quoted(node.table.name)
        let (with, condition) = selection.condition(node.index, &build)
        let identity = selection.identity(of: node.index, build)
        let tuple = identity.count == 1 ? identity[0] : "(\(identity.joined(separator: ", ")))"
        let inner = identity.joined(separator: ", ")
        let limit = build.parameter(.limit)
        return RowChunks(
            places: nil,
            change: build.statement(
                "\(with)DELETE FROM \(table) AS t WHERE \(tuple) IN "
                    + "(SELECT \(inner) FROM \(table) AS t WHERE \(condition) LIMIT \(limit))"))
    }
}
