// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The treatment of one column of the subject's rows in an export.
package enum ExportedColumn: Sendable {
    /// The value is read.
    case whole
    /// The value is read where it names the subject.
    case whereNaming([RowGraph.Edge])
    case omitted(RowExport.OmittedColumn.Reason)

    /// An erasure deletes every value of a deleted row and the changed ones of a row that stays: these are the
    /// subject's unless the plan says otherwise. A value that stays may be any user's: it is read where the plan says
    /// `export: yes`. So is a secret of the tables by which users sign in.
    package init(_ column: SchemaColumn, of node: RowGraph.Node, in graph: RowGraph) {
        let planned = node.columns.first { $0.name == column.name }
        if planned?.export == false {
            self = .omitted(.refused)
        } else if planned?.export == nil, SecretColumns.isKept(column, in: node.table.name) {
            self = .omitted(.secret)
        } else if node.rule.erasesRows || planned?.export == true
            || planned?.rule.map({ $0.changesValue || $0.isRetained }) == true
            || Self.isKey(column, of: node, in: graph)
        {
            self = .whole
        } else {
            let edges = (node.links + node.references).filter { $0.link.columns.contains(column.name) }
            self = edges.isEmpty ? .omitted(.undecided) : .whereNaming(edges)
        }
    }

    /// Whether the column tells only which row of the subject's this is: the subject's key, or a key that numbers rows.
    private static func isKey(_ column: SchemaColumn, of node: RowGraph.Node, in graph: RowGraph) -> Bool {
        if node.index == graph.root, column.name == graph.keyColumn.name { return true }
        let isNumber = column.kind == .integer || column.kind == .uuid
        let names =
            node.table.foreignKeys.contains { $0.columns.contains(column.name) }
            || (node.links + node.references).contains { $0.link.columns.contains(column.name) }
        return node.table.primaryKey == [column.name] && isNumber && !names
    }
}
