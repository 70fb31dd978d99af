// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

extension RowProgramWriter {
    /// PostgreSQL: the rows of a small table that a link through another table reaches: the subject and the columns
    /// `i0`, `i1`, … of each; `nil` if the table may be large, or if the link is not one key or number.
    ///
    /// A look into the index for each of a million parents takes longer than the whole table. The join is a full one,
    /// because the server hashes or sorts such a join whatever numbers of rows it expects: an inner join would be row
    /// by row, through the whole table each time, if it expected one parent. The last condition is written so that the
    /// server does not make an inner join of it.
    ///
    /// - Parameter excluded: Conditions on a row `t` of the table.
    func reachedInSmallTable(
        _ identity: [String], of node: RowGraph.Node, by edge: RowGraph.Edge, besides excluded: String,
        _ build: inout RowStatementBuilder
    ) -> String? {
        // No rows at all: before version 14 the server says so of a table that it has never counted.
        guard readsSmallTablesWhole, let rows = node.table.estimatedRows, (1..<Self.smallTable).contains(rows),
            node.table.kind == .table, edge.link.columns.count == 1, selection.isIndexed(edge, node.index),
            let kind = node.table[edge.link.columns[0]]?.kind, kind == .uuid || kind == .integer
        else { return nil }
        let comparison = RowComparison(graph: graph, edge: edge, child: node.table)
        let key = "t." + build.quoted(edge.link.columns[0])
        let condition =
            comparison.conditioned("\(key) IS NOT NULL", &build) + selection.unheld(edge, of: node.index, &build)
            + excluded
        let columns = (identity.enumerated().map { "\($1) AS i\($0)" } + ["\(key) AS k"]).joined(separator: ", ")
        let names = identity.indices.map { "x.i\($0)" }.joined(separator: ", ")
        let parent = "p." + selection.name(of: edge.link.targetColumns[0], in: edge.parent)
        return "SELECT p.subject, \(names) FROM f\(edge.parent) AS p FULL JOIN "
            + "(SELECT \(columns) FROM \(build.rows(of: node.table)) AS t WHERE \(condition)) AS x ON x.k = \(parent) "
            + "WHERE (x.k IS NULL OR \(parent) IS NULL) IS FALSE"
    }
}
