// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The change of a row that stays and names the subject: it loses the value that names the subject, and nothing else.
struct ReferenceChange {
    let graph: RowGraph
    let edge: RowGraph.Edge
    let table: SchemaTable

    /// The columns of a link that are changed. Of a composite key these are the columns that the database's own action
    /// sets to null, otherwise those that name the subject and that no other key needs: a tenant's column stays. Where
    /// other keys have each of them, the one that says most about the subject is changed. `MATCH FULL` does not allow a
    /// key that is null in part. A value (`set`) replaces that of one column.
    static func columns(
        of link: Link, in table: SchemaTable, to target: @autoclosure () -> ReferenceTarget
    ) -> [String] {
        guard link.columns.count > 1 else { return link.columns }
        guard link.replacement == nil else { return replaced(by: link, to: target()).map { [$0] } ?? [] }
        let key = table.foreignKeys.first { $0.isSame(as: link) }
        let clearable = ClearableColumns(link, in: table)
        guard !clearable.areTogether else { return clearable.columns }
        if let emptied = key?.setColumns, !emptied.isEmpty { return link.columns.filter(emptied.contains) }
        let possible = clearable.columns
        let target = target()
        guard !clearable.areShared else { return target.best(link, among: possible).map { [$0] } ?? [] }
        let own = target.own(link, among: possible)
        guard own.count > 1, key?.emptiedColumns.isEmpty ?? true, !target.names(link, by: own) else { return own }
        // One null is enough to name no row. A column with the name of its target may have a meaning of its own.
        let renamed = zip(link.columns, link.targetColumns).filter { $0 != $1 }.map(\.0)
        return Array((own.filter(renamed.contains) + own.filter { !renamed.contains($0) }.reversed()).prefix(1))
    }

    /// The column whose value another one replaces (`set`): of several the one that says most about the subject. The
    /// others, such as the tenant's, stay.
    static func replaced(by link: Link, to target: @autoclosure () -> ReferenceTarget) -> String? {
        link.columns.count > 1 ? target().best(link, among: link.columns) : link.columns.first
    }

    /// The columns that the link of `edge` changes.
    var columns: [String] { Self.columns(of: edge.link, in: table, to: graph.referenceTarget(edge.parent)) }

    /// `"approver_id" = NULL`.
    ///
    /// - Parameter member: Which members of a list are removed.
    func assignments(_ member: String?, _ build: inout RowStatementBuilder) -> [String] {
        columns.map { "\(build.quoted($0)) = \(value(of: $0, member, &build))" }
    }

    /// The same in a statement about several links: `"approver_id" = CASE WHEN … THEN NULL ELSE t."approver_id" END`.
    ///
    /// - Parameter condition: Whether a row `t` names the subject by this link.
    func assignments(where condition: String, _ build: inout RowStatementBuilder) -> [String] {
        columns.map { column in
            let name = build.quoted(column)
            return "\(name) = CASE WHEN \(condition) THEN \(value(of: column, nil, &build)) ELSE t.\(name) END"
        }
    }

    private func value(of column: String, _ member: String?, _ build: inout RowStatementBuilder) -> String {
        let comparison = RowComparison(graph: graph, edge: edge, child: table)
        if let member { return comparison.without(member, &build) }
        if !edge.link.path.isEmpty { return comparison.withoutEntry(&build) }
        guard let text = edge.link.replacement, let column = table[column] else { return "NULL" }
        return ColumnAssignment(dialect: graph.dialect, table: table).constant(text, column, &build)
    }
}
