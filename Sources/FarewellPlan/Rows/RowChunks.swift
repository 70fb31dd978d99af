// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// How to delete or change a great many rows of one table in bounded transactions.
package enum RowChunks: Sendable {
    /// PostgreSQL: the places of the rows in physical order, read once by a held cursor.
    /// Deleting in that order touches each page once; asking again and again for the next rows would wade
    /// through the dead ones. The change is of the rows at the places of its last parameter that still are
    /// the subject's; a place may have been given to another row meanwhile.
    case places(RowStatement, change: RowStatement)
    /// SQLite: deletes at most `limit` of the rows that are left.
    case limited(RowStatement)
    /// Rows that stay, by their primary key: those that must not be changed twice, as they would be after an
    /// interruption, and on SQLite all, since the next piece would find them again.
    case keys(RowKeyChunks)
}

extension RowProgramWriter {
    typealias Rows = (with: String, condition: String)

    /// The chunks of a change; `nil` for the subject's own row, and for rows without a primary key if they need one.
    ///
    /// Also `nil` for rows found by their whole selection, which every chunk would repeat. Such rows are in tables that
    /// link to themselves or to each other, if a link only unlinks; and rows that stay and are found by several links.
    func chunks(_ node: Int, by way: RowSelection.Way, _ change: RowStatement) -> RowChunks? {
        guard node != graph.root, way != .identity, !graph.isUndivided(node) else { return nil }
        var build = RowStatementBuilder(dialect: graph.dialect)
        let rows = selection.condition(node, by: way, &build)
        let entry = graph.nodes[node]
        if !graph.hasRowPlaces, entry.rule.erasesRows { return limited(node, rows, &build) }
        let isByPlace = graph.hasRowPlaces && isRepeatable(entry)
        return isByPlace ? places(node, rows, build, change) : keys(node, rows, build, change)
    }

    /// The pieces of taking a link out of rows that stay, which may be done twice.
    func chunks(unlinking node: Int, _ rows: Rows, _ build: RowStatementBuilder, _ change: RowStatement) -> RowChunks? {
        graph.hasRowPlaces ? places(node, rows, build, change) : keys(node, rows, build, change)
    }

    private func isRepeatable(_ node: RowGraph.Node) -> Bool {
        node.rule.erasesRows || node.columns.allSatisfy { $0.rule?.isMadeOfOld != true }
    }

    private func places(
        _ node: Int, _ rows: Rows, _ build: RowStatementBuilder, _ change: RowStatement
    ) -> RowChunks {
        let table = build.rows(of: graph.nodes[node].table)
        let places = build.statement(
            rows.with, "SELECT t.ctid FROM \(table) AS t WHERE \(rows.condition) ORDER BY t.ctid")
        let place = "$\(change.slots.count + 1)::tid[]"
        return .places(places, change: change.adding(" AND t.ctid = ANY(\(place))"))
    }

    private func limited(_ node: Int, _ rows: Rows, _ build: inout RowStatementBuilder) -> RowChunks {
        let table = build.rows(of: graph.nodes[node].table)
        let identity = selection.identity(of: node, build)
        let tuple = identity.count == 1 ? identity[0] : "(\(identity.joined(separator: ", ")))"
        let inner = identity.joined(separator: ", ")
        let limit = build.parameter(.limit)
        return .limited(
            build.statement(
                rows.with,
                "DELETE FROM \(table) AS t WHERE \(tuple) IN "
                    + "(SELECT \(inner) FROM \(table) AS t WHERE \(rows.condition) LIMIT \(limit))"))
    }

    /// Only where the key's columns stay as they are and are never null, and on SQLite are of a kind whose values
    /// come back in the order they were read in.
    private func keys(
        _ node: Int, _ rows: Rows, _ build: RowStatementBuilder, _ change: RowStatement
    ) -> RowChunks? {
        let entry = graph.nodes[node]
        let columns = entry.table.primaryKey.compactMap { entry.table[$0] }
        let changed = entry.columns.filter { $0.rule?.changesValue == true }
        let ordered: Set<SchemaColumn.Kind> = [.integer, .text, .uuid]
        let isOrdered = columns.allSatisfy { column in
            let isChanged = changed.contains { $0.name == column.name }
            return !column.isNullable && !isChanged && (graph.dialect.hasColumnTypes || ordered.contains(column.kind))
        }
        guard !columns.isEmpty, isOrdered else { return nil }
        let key = columns.map { $0.compared("t." + build.quoted($0.name)) }
        let values = key.enumerated().map { "\($1) AS k\($0)" }.joined(separator: ", ")
        let table = build.rows(of: entry.table)
        return .keys(
            RowKeyChunks(
                dialect: graph.dialect, key: key, types: columns.map(\.comparedType),
                rows: build.statement(rows.with, "SELECT \(values) FROM \(table) AS t WHERE (\(rows.condition))"),
                change: change))
    }
}
