// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The database's records of erasures that were stopped.
struct StopStanding: Sendable {
    /// Erasures with a hold.
    var held: Set<UUID> = []
    /// Those erasures that the file says are stopped, and that live.
    var live: [Live] = []
    /// When a hold of one of them last ended, by the audit log.
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

    /// When an operator last ended a hold of an erasure, by the audit log; `nil` if the hold was put on again since, or
    /// if there never was an end. Reads the whole log.
    func holdEnded(of erasure: UUID) -> StoreQuery<Date?> {
        StoreQuery(
            SQLStatement(
                "SELECT entry FROM \(audit) WHERE entry LIKE $1 AND entry LIKE $2 ORDER BY sequence DESC LIMIT 1",
                [.text("%\"act\":\"erasure.h%"), .text("%\"run\":\"\(erasure.text)\"%")])
        ) { result in
            guard let entry = result.rows.first.flatMap({ AuditLog.entry($0[0]) }), entry.run == erasure,
                entry.act == "erasure.hold-ended"
            else { return nil }
            return entry.at
        }
    }
}
