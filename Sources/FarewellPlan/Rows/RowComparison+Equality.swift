// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Values of which differently written ones are equal: `citext`, `COLLATE NOCASE`.
extension RowComparison {
    /// How one column of the link is compared with the column that it leads to.
    func equality(_ position: Int) -> KeyEquality {
        if ignoresCase { return caseless }
        let isWhole = edge.link.path.isEmpty && edge.link.list == nil
        return graph.dialect.equality(
            of: isWhole ? child[edge.link.columns[position]] : nil, with: targetColumn(position))
    }

    func targetColumn(_ position: Int) -> SchemaColumn? {
        graph.nodes[edge.parent].table[edge.link.targetColumns[position]]
    }

    /// Whether a value of the link's first column, or a member of its list, is among keys.
    ///
    /// - Parameter slot: The keys as values of a kind.
    func isAmong(
        _ value: String, _ kind: SchemaColumn.Kind, _ slot: (SchemaColumn.Kind) -> RowStatement.Slot,
        _ build: inout RowStatementBuilder
    ) -> String {
        guard graph.dialect.hasColumnTypes, targetColumn(0)?.isCaseless == true else {
            return Self.isAmong(
                equality(0).side(value), kind: kind, isPadded: isPadded(slot(kind)), slot: slot(kind), graph, &build)
        }
        let keys = "\(build.list(slot(.text)))::text[]"
        // An index over the column serves.
        if equality(0) == .own, let type = child[edge.link.columns[0]]?.caselessType {
            return "\(value) = ANY(\(keys)::\(type)[])"
        }
        return "\(KeyEquality.lowered.side(value)) IN "
            + "(SELECT \(KeyEquality.lowered.keySide("k.v")) FROM unnest(\(keys)) AS k (v))"
    }

    /// PostgreSQL: whether the link's column, the column that it leads to and the keys are of the type `character(n)`.
    /// Compared with a `text`, none of the column's indexes would serve.
    private func isPadded(_ slot: RowStatement.Slot) -> Bool {
        edge.link.path.isEmpty && edge.link.list == nil && child[edge.link.columns[0]]?.isPadded == true
            && targetColumn(0)?.isPadded == true && (slot.isList || graph.keyColumn.isPadded)
    }
}
