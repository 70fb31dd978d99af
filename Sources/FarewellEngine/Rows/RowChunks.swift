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
    /// The pieces of a change; `nil` for the subject's own row, for rows found by their whole selection, which
    /// would be made anew for every piece, for changed rows on SQLite, which the next piece would find again, and
    /// for changes that must not be made twice, as they would be after an interruption.
    func chunks(_ node: Int, by way: RowSelection.Way, _ change: RowStatement) -> RowChunks? {
        guard node != graph.root, way != .identity, isRepeatable(graph.nodes[node]) else { return nil }
        if graph.dialect == .sqlite { return graph.nodes[node].rule == .erase ? limited(node, by: way) : nil }
        var build = RowStatementBuilder(dialect: graph.dialect)
        let table = build.quoted(graph.nodes[node].table.name)
        let (with, condition) = selection.condition(node, by: way, &build)
        let places = build.statement("\(with)SELECT t.ctid FROM \(table) AS t WHERE \(condition) ORDER BY t.ctid")
        let place = "$\(change.slots.count + 1)::tid[]"
        return RowChunks(
            places: places,
            change: RowStatement(text: "\(change.text) AND t.ctid = ANY(\(place))", slots: change.slots))
    }

    private func isRepeatable(_ node: RowGraph.Node) -> Bool {
        node.rule == .erase
            || node.columns.allSatisfy { column in
                switch column.rule {
                case .keyedHash, .expression: false
                case .null, .constant, .retain, .notPersonal, nil: true
                }
            }
    }

    private func limited(_ node: Int, by way: RowSelection.Way) -> RowChunks {
        var build = RowStatementBuilder(dialect: graph.dialect)
        let table = build.quoted(graph.nodes[node].table.name)
        let (with, condition) = selection.condition(node, by: way, &build)
        let identity = selection.identity(of: node, build)
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
