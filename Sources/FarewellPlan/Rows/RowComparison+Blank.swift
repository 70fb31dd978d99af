// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Values without a character other than spaces and line ends: many rows have them, because they say that there is no
/// value. Where no key of the database makes such a value a reference, it names no row.
extension RowComparison {
    /// Whether a row `t` has a value that can name a row; `nil` where every equal value can.
    ///
    /// If there are several columns, those that name the subject decide, and not, for example, a tenant's column.
    func isWritten(_ build: inout RowStatementBuilder) -> String? {
        guard edge.link.onDelete == nil, edge.link.list == nil else { return nil }
        let places = namingColumns
        guard places.allSatisfy(mayBeBlank) else { return nil }
        let written = places.map { Self.isWritten(value($0, &build), kind(of: edge.link.columns[$0]), graph.dialect) }
        return written.count == 1 ? written[0] : "(\(written.joined(separator: " OR ")))"
    }

    /// The places of the link's columns that name the subject.
    private var namingColumns: [Int] {
        guard edge.link.columns.count > 1 else { return [0] }
        let naming = graph.referenceTarget(edge.parent).own(edge.link, among: edge.link.columns)
        return edge.link.columns.indices.filter { naming.contains(edge.link.columns[$0]) }
    }

    /// A condition of a list's member, only for members that can name a row.
    func written(_ condition: String, member: String) -> String {
        let found = exactly(condition)
        guard mayBeBlank(0) else { return found }
        return "\(found) AND \(Self.isWritten(member, .text, graph.dialect))"
    }

    /// The value of the link's first column in a row `t`, null if it cannot name a row.
    func writtenColumn(_ build: inout RowStatementBuilder) -> String {
        let column = "t." + build.quoted(edge.link.columns[0])
        return isWritten(&build).map { "CASE WHEN \($0) THEN \(column) END" } ?? column
    }

    private static func isWritten(_ value: String, _ kind: SchemaColumn.Kind, _ dialect: SQLDialect) -> String {
        if kind == .bytes { return "length(\(value)) > 0" }
        return dialect.isWritten(value)
    }

    /// Whether equal values of one column of the link may be blank.
    private func mayBeBlank(_ position: Int) -> Bool {
        let target = targetKind(position)
        guard !graph.dialect.hasColumnTypes else { return target == .text || target == .bytes }
        // SQLite keeps text in a column of any type, except for the rows' own numbers.
        guard !edge.isDirect else { return !target.isNumeric }
        let table = graph.nodes[edge.parent].table
        let name = edge.link.targetColumns[position]
        return table.primaryKey != [name] || table[name]?.type.uppercased() != "INTEGER"
    }
}
