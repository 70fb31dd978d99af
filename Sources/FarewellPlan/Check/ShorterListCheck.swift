// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Lists that lose a member and are then equal to another row's, although an index or a constraint keeps them apart.
///
/// The first row is accepted, so neither one erasure nor its rehearsal shows that the second is refused.
struct ShorterListCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        ListRemoval.all(context).flatMap { removal in indexes(removal) + exclusions(removal) }
    }

    private func indexes(_ removal: ListRemoval) -> [Finding] {
        let changed = removal.changed
        return removal.table.indexes.filter(\.isUnique).compactMap { index in
            let computed = Computation(index.definition)
            guard changed.contains(where: { index.columns.contains($0) || computed.mentions($0) }) else { return nil }
            let others = index.columns.filter { !$0.isEmpty && !changed.contains($0) }
            // If the other columns are unique on their own, no two rows are equal in all.
            guard others.isEmpty || !removal.table.isUnique(others) else { return nil }
            return finding(removal, "unique index", index.name)
        }
    }

    private func exclusions(_ removal: ListRemoval) -> [Finding] {
        let changed = removal.changed
        return removal.table.exclusions.compactMap { exclusion in
            let computed = Computation(exclusion.definition)
            // A shorter list overlaps no more others than before.
            let isApart = zip(exclusion.columns, exclusion.operators).contains { changed.contains($0) && $1 == "&&" }
            guard !isApart, changed.contains(where: computed.mentions) else { return nil }
            return finding(removal, "exclusion constraint", exclusion.name)
        }
    }

    private func finding(_ removal: ListRemoval, _ noun: String, _ name: String) -> Finding {
        Finding(
            "list.not-unique", .warning, table: removal.table.name, column: removal.column.name,
            "\(removal.actor) removes the subject from this list, from which the \(noun) \(Shown.name(name)) is made: "
                + "of two rows that are then equal in it, the second would be refused.",
            remedy: "\(removal.answer); or let the \(noun) cover a column that differs in every row.")
    }
}
