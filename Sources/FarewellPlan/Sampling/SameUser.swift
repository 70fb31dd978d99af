// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Whether a row names one user by two links, as far as its own columns say it.
struct SameUser {
    private let context: CheckContext
    private let table: SchemaTable

    init(_ context: CheckContext, _ table: SchemaTable) { (self.context, self.table) = (context, table) }

    /// The columns of both links that are equal if, and only if, they name the same user; `nil` where that depends on
    /// more than equal values.
    func pairs(_ first: Link, _ second: Link) -> [RefusedRows.Pair]? {
        let users = context.plan.subject.table
        guard isPlain(first), isPlain(second), first.target == users, second.target == users,
            Set(first.targetColumns) == Set(second.targetColumns), context.map.isUnique(first.targetColumns, in: users)
        else { return nil }
        let there = Dictionary(zip(second.targetColumns, second.columns), uniquingKeysWith: { name, _ in name })
        let pairs = zip(first.columns, first.targetColumns).compactMap { column, target in
            there[target].map { RefusedRows.Pair(column, $0) }
        }
        return pairs.allSatisfy(areComparable) && pairs.count == first.columns.count ? pairs : nil
    }

    private func isPlain(_ link: Link) -> Bool {
        link.path.isEmpty && link.list == nil && link.condition.isEmpty && !link.isOwnedParent && !link.ignoresCase
            && link.shared != .unlink && !link.columns.isEmpty && link.columns.count == link.targetColumns.count
            && link.targetColumns.allSatisfy { context.map.column(link.target, $0)?.looseEquality == nil }
    }

    /// Whether the database compares the two columns, and calls only equal values equal.
    private func areComparable(_ pair: RefusedRows.Pair) -> Bool {
        guard let first = table[pair.first], let second = table[pair.second] else { return false }
        let isOfOneType = first.type == second.type || [.integer, .text].contains(first.kind)
        return first.kind == second.kind && isOfOneType && first.labels == nil && second.labels == nil
            && first.looseEquality == nil && second.looseEquality == nil
            && (first.collation == nil || second.collation == nil || first.collation == second.collation)
    }
}
