// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// A service's promise with an erasure, and an operator's hold.
struct ErasurePromise: Sendable, Hashable {
    /// The end of the time in which it can be cancelled; `nil` if it cannot.
    var graceUntil: Date?
    /// Its due date; `nil` if no service accepted it.
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
