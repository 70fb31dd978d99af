// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The database's records of erasures that were stopped.
struct StopStanding: Sendable {
    /// Erasures with a hold.
    var held: Set<UUID> = []
    /// Live erasures that are stopped according to the file.
    var live: [Live] = []
    /// When a hold of one of them last ended.
    var ended: [UUID: Date] = [:]

    /// An erasure that lives.
    struct Live: Sendable, Hashable {
        let erasure: UUID
        let subjectHash: String
        /// Whether no worker has begun it, so that it can be cancelled.
        let isWaiting: Bool

        /// - Parameter result: `(id, subject_hash, is_waiting)`.
        @Sendable static func all(_ result: SQLResult) -> [Live] {
            result.rows.compactMap { row in
                guard row.count == 3, let id = row[0].identifier, let subject = row[1].text else { return nil }
                return Live(erasure: id, subjectHash: subject, isWaiting: row[2].integer == 1)
            }
        }
    }
}

extension ControlStore {
    /// The erasures with a hold.
    var heldErasures: StoreQuery<Set<UUID>> {
        StoreQuery(SQLStatement("SELECT erasure FROM \(holds)"), { Set($0.rows.compactMap { $0.first?.identifier }) })
    }

    /// Which of some erasures live. PostgreSQL: locks them until the transaction ends, in one order, if it is to.
    func live(_ ids: [UUID], isLocking: Bool = false) -> StoreQuery<[StopStanding.Live]> {
        let locking = isLocking ? dialect.locked : ""
        return StoreQuery(
            SQLStatement(
                """
                SELECT id, subject_hash, CASE WHEN state IN ('requested', 'grace') THEN 1 ELSE 0 END \
                FROM \(erasures) WHERE id \(isAmong("$1")) AND state NOT IN ('done', 'cancelled') \
                ORDER BY id\(locking)
                """, [identifiers(ids)]), StopStanding.Live.all)
    }
}
