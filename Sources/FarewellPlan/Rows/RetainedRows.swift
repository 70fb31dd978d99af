// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// How a table's retained rows are known again when their time ends and no link leads to them any longer.
package struct RetainedRows: Sendable {
    /// A column by whose value a row is known again.
    package struct Mark: Sendable, Hashable, Codable {
        package var column: String
        package var kind: Kind

        package enum Kind: String, Sendable, Hashable, Codable {
            /// Part of the primary key, the date that the period counts from, or, if there is no key, any column that
            /// stays as it is.
            case same
            /// A link that stays: it must not lead to another subject meanwhile, but may have been removed.
            case sameOrNone
        }
    }

    package let node: Int
    package let marks: [Mark]
    /// Columns that the erasure empties: without a primary key they distinguish the row from another subject's row that
    /// is otherwise equal.
    package let emptied: [String]
    /// `(subject, values of the marks…)`; on PostgreSQL as text.
    package let statement: RowStatement
    /// The mark of the date that the period counts from, if the key alone does not identify a row.
    let date: Mark?

    /// The marks of rows that were read with `width` values: without the date where one value is missing.
    package func marks(for width: Int) -> [Mark] {
        width == marks.count - 1 && date != nil ? marks.filter { $0 != date } : marks
    }
}

extension RowProgramWriter {
    /// One for each retained table.
    func retained() -> [RetainedRows] {
        graph.nodes.compactMap { node in
            guard node.rule.retention != nil else { return nil }
            let marks = marks(of: node)
            guard !marks.isEmpty else { return nil }
            var build = RowStatementBuilder(dialect: graph.dialect)
            let with = selection.with([node.index], &build)
            let identity = selection.identity(of: node.index, build)
            let joined = identity.enumerated().map { "\($1) = f.i\($0)" }.joined(separator: " AND ")
            let values = marks.map { mark in
                let value = "t.\(build.quoted(mark.column))"
                return graph.dialect.cast(value, as: "text")
            }
            return RetainedRows(
                node: node.index, marks: marks, emptied: emptied(in: node),
                statement: build.statement(
                    with,
                    "SELECT f.subject, \(values.joined(separator: ", ")) FROM f\(node.index) AS f "
                        + "JOIN \(build.rows(of: node.table)) AS t ON \(joined)"),
                date: node.table.primaryKey.isEmpty
                    ? nil
                    : start(of: node).first.flatMap { name in marks.first { $0.column == name && $0.kind == .same } })
        }
    }

    /// The date that the period counts from, if it stays as it is: a key may be given again, to a row of another day.
    /// No UUID is, and a trigger may write the date anew.
    private func start(of node: RowGraph.Node) -> [String] {
        let key = node.table.primaryKey
        guard let start = node.rule.retention?.start, !key.contains(start),
            node.columns.contains(where: { $0.name == start && $0.rule?.changesValue == false }),
            !key.contains(where: { node.table[$0]?.kind == .uuid }),
            !node.table.triggers.contains(where: { $0.events.contains("update") })
        else { return [] }
        return [start]
    }

    private func emptied(in node: RowGraph.Node) -> [String] {
        guard node.table.primaryKey.isEmpty else { return [] }
        return node.columns.filter { $0.rule?.givesNull == true }.map(\.name).sorted()
    }

    private func marks(of node: RowGraph.Node) -> [RetainedRows.Mark] {
        let key = node.table.primaryKey
        let emptied = node.references.filter { $0.link.list == nil && $0.link.replacement == nil }
        // A column that loses a reference or a member of a list has an unpredictable value afterwards.
        let changed = Set(node.references.flatMap(\.link.columns)).subtracting(emptied.flatMap(\.link.columns))
        let kept = node.columns.filter { $0.rule?.changesValue == false && !changed.contains($0.name) }.map(\.name)
        let linking = node.links.filter(\.link.path.isEmpty) + emptied
        let links = Set(linking.flatMap(\.link.columns)).intersection(kept)
        let same = (key.isEmpty ? kept : key + start(of: node)).filter { !links.contains($0) || key.contains($0) }
        return same.map { .init(column: $0, kind: .same) }
            + links.subtracting(key).sorted().map { .init(column: $0, kind: .sameOrNone) }
    }
}
