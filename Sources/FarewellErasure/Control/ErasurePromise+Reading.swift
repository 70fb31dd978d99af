// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

extension ErasurePromise {
    /// - Parameter result: `(erasure, grace_until, due_at, reason of a hold, ready_at, failures)`.
    static func byErasure(_ result: SQLResult) -> [UUID: ErasurePromise] {
        var promises: [UUID: ErasurePromise] = [:]
        for row in result.rows {
            guard let id = row[0].identifier else { continue }
            promises[id] = ErasurePromise(
                graceUntil: row[1].date, dueAt: row[2].date, holdReason: row[3].text, readyAt: row[4].date,
                failures: Int(row[5].integer ?? 0))
        }
        return promises
    }
}
