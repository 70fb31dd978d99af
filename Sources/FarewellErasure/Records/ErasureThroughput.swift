// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// How many erasures were completed since a time, and how long they took from the request to the end.
package struct ErasureThroughput: Sendable, Hashable {
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
}
