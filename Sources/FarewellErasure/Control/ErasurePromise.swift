// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// What a service has promised with an erasure, and what an operator holds against it.
struct ErasurePromise: Sendable, Hashable {
    /// Until when it can be cancelled; `nil` where it cannot.
    var graceUntil: Date?
    /// When it has to be over; `nil` where no service was asked for it.
    var dueAt: Date?
    /// Why an operator holds it; `nil` when none does.
    var holdReason: String?

    /// - Parameter result: `(erasure, grace_until, due_at, reason of a hold)`.
    static func byErasure(_ result: SQLResult) -> [UUID: ErasurePromise] {
        var promises: [UUID: ErasurePromise] = [:]
        for row in result.rows {
            guard let id = row[0].identifier else { continue }
            promises[id] = ErasurePromise(graceUntil: row[1].date, dueAt: row[2].date, holdReason: row[3].text)
        }
        return promises
    }
}
