// SPDX-License-Identifier: Apache-2.0

import FarewellSQL
import Foundation

/// An event in the outbox.
struct RecordedEvent: Sendable, Hashable {
    let erasure: UUID
    let kind: ErasureEventKind
    let happenedAt: Date
    let subjectHash: String
    /// Distinguishes the occasions of an event that can happen again; 0 for other events.
    let occasion: Int64

    /// - Parameter result: `(erasure, kind, happened_at, subject_hash, occasion)`.
    @Sendable static func first(_ result: SQLResult) -> RecordedEvent? {
        guard let row = result.rows.first, let erasure = row[0].identifier,
            let kind = row[1].text.flatMap(ErasureEventKind.init(rawValue:)), let happenedAt = row[2].date
        else { return nil }
        return RecordedEvent(
            erasure: erasure, kind: kind, happenedAt: happenedAt, subjectHash: row[3].text ?? "",
            occasion: row[4].integer ?? 0)
    }
}
