// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Ends an example's process in the middle, like a power cut: for tests, and to watch the recovery.
///
/// With `FAREWELL_DIE_AFTER=n` by SIGKILL, right after the nth recorded state; with `FAREWELL_DIE_BY` by the signal of
/// that number.
package final class PowerCut: Sendable {
    private let left: Guarded<Int>
    private let signal: Int32

    package init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        left = Guarded(environment["FAREWELL_DIE_AFTER"].flatMap(Int.init) ?? 0)
        signal = environment["FAREWELL_DIE_BY"].flatMap(Int32.init) ?? SIGKILL
    }

    /// A state was recorded.
    package func tick() {
        let left = left.withLock { left in
            left -= 1
            return left
        }
        guard left == 0 else { return }
        // The output so far is written, and later output is not.
        fflush(nil)
        // As the runtime itself ends a program: it survives a signal that another process sends.
        if signal == SIGABRT { abort() }
        kill(getpid(), signal)
    }
}
