// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Counts what happens, and at the chosen point ends the process as a power cut would.
struct Countdown: Sendable {
    private let left: Guarded<Int>

    init(_ count: Int) { left = Guarded(count) }

    func tick() {
        let isNow = left.withLock { left in
            left -= 1
            return left == 0
        }
        if isNow { kill(getpid(), SIGKILL) }
    }
}
