// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// A hold that outlives the erasure it was put on: the subject cancelled that erasure while it was held. No operator
/// has ended the hold, so the subject's next erasure is held as well.
struct CarriedOverHold: Sendable, Hashable {
    /// The cancelled erasure.
    let cancelled: UUID
    let reason: String
    let since: Date

    /// The holds by subject hash; of several the newest.
    ///
    /// - Parameter result: `(subject_hash, erasure, reason, since)`, the oldest first.
    static func bySubject(_ result: SQLResult) throws -> [String: CarriedOverHold] {
        var holds: [String: CarriedOverHold] = [:]
        for row in result.rows {
            guard row.count == 4, let subject = row[0].text, let cancelled = row[1].identifier,
                let reason = row[2].text, let since = row[3].date
            else { throw FarewellError("erasure.malformed", .ours, "A hold in the control store cannot be read.") }
            holds[subject] = CarriedOverHold(cancelled: cancelled, reason: reason, since: since)
        }
        return holds
    }

    /// Puts the hold on the subject's new erasure, which is recorded already.
    func statements(on erasure: UUID, _ control: ControlStore) -> [SQLStatement] {
        control.requests.hold(erasure, reason: reason, at: since)
    }

    func act(on erasure: UUID, subjectHash: String) -> AuditLog.Act {
        AuditLog.Act(
            act: "erasure.held", erasure: erasure, subjectHash: subjectHash,
            details: ["carried-over-from": cancelled.text])
    }
}
