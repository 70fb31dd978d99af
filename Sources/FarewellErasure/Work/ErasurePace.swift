// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// How many erasures were completed since a time, and how long they took from the request to the end.
package struct ErasurePace: Sendable, Hashable {
    package var done = 0
    /// Seconds within which half of them ended; nil if there was none.
    package var half: TimeInterval?
    /// Seconds of the slowest; nil if there was none.
    package var slowest: TimeInterval?

    package init(done: Int = 0, half: TimeInterval? = nil, slowest: TimeInterval? = nil) {
        self.done = done
        self.half = half
        self.slowest = slowest
    }

    /// From the one in the middle and the slowest, as `(total, requested_at, finished_at)`.
    @Sendable static func read(_ result: SQLResult) -> ErasurePace {
        let times = result.rows.compactMap { row -> TimeInterval? in
            guard let requested = row[1].date, let finished = row[2].date else { return nil }
            return finished.timeIntervalSince(requested)
        }
        return ErasurePace(done: Int(result.rows.first?[0].integer ?? 0), half: times.first, slowest: times.last)
    }
}
