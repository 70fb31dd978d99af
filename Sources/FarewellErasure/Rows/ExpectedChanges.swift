// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// How many rows of a table are to be inserted, updated and deleted.
struct ExpectedChanges: Sendable, Hashable {
    var inserted = ExpectedNumber.none
    var updated = ExpectedNumber.none
    var deleted = ExpectedNumber.none

    static func + (one: ExpectedChanges, other: ExpectedChanges) -> ExpectedChanges {
        ExpectedChanges(
            inserted: one.inserted + other.inserted, updated: one.updated + other.updated,
            deleted: one.deleted + other.deleted)
    }

    /// Rows of a partitioned table that move to another partition when they are updated: PostgreSQL counts each as
    /// deleted and inserted.
    func withoutMoves(_ actual: RowChanges) -> RowChanges {
        guard !inserted.contains(actual.inserted) else { return actual }
        let moved = min(inserted.excess(of: actual.inserted), actual.deleted)
        return RowChanges(
            inserted: actual.inserted - moved, updated: actual.updated + moved, deleted: actual.deleted - moved)
    }

    /// The deviations.
    func differences(of actual: RowChanges, in table: TableName) -> [ChangeDifference] {
        [
            (ChangeDifference.Kind.inserted, actual.inserted, inserted), (.updated, actual.updated, updated),
            (.deleted, actual.deleted, deleted),
        ].compactMap { kind, number, expected in
            guard !expected.contains(number) else { return nil }
            return ChangeDifference(
                table: table, kind: kind, rows: number, predicted: expected.words, excess: expected.excess(of: number))
        }
    }
}
