// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The change of another subject's row that names the subject: it loses the value that names the subject, and nothing
/// else.
struct ReferenceChange {
    let graph: RowGraph
    let edge: RowGraph.Edge
    let table: SchemaTable

    /// The columns of a link that are changed: of a composite key those that no other key needs.
    static func columns(of link: Link, in table: SchemaTable) -> [String] {
        guard link.columns.count > 1 else { return link.columns }
        let others = table.foreignKeys.filter { Set($0.columns) != Set(link.columns) }.flatMap(\.columns)
        let needed = Set(table.primaryKey + others)
        return link.columns.filter { table[$0]?.isNullable == true && !needed.contains($0) }
    }

    /// `"approver_id" = NULL`.
    ///
    /// - Parameter member: Which members of a list are removed.
    func assignments(_ member: String?, _ build: inout RowStatementBuilder) -> [String] {
        Self.columns(of: edge.link, in: table).map { "\(build.quoted($0)) = \(value(of: $0, member, &build))" }
    }

    private func value(of column: String, _ member: String?, _ build: inout RowStatementBuilder) -> String {
        if let member { return RowComparison(graph: graph, edge: edge, child: table).without(member, &build) }
        guard let text = edge.link.replacement, let column = table[column] else { return "NULL" }
        return ColumnAssignment(dialect: graph.dialect, table: table).constant(text, column, &build)
    }
}
