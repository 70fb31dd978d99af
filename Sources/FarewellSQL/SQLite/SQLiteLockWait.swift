// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// How a statement waits for another connection's lock: it looks again every millisecond until its time is over.
///
/// SQLite's own waiting grows from 1 to 100 ms. A statement that has waited for long then sleeps while others come and
/// go, and waits ever longer.
struct SQLiteLockWait: Sendable {
    static let step: Duration = .milliseconds(1)
    /// How often to look.
    private let looks: Int
    /// Lets a little time pass between two looks. Blocks.
    private let pause: @Sendable (Duration) -> Void

    init(timeout: Duration, pause: @escaping @Sendable (Duration) -> Void) {
        looks = Int(min(timeout / Self.step, Double(Int32.max)))
        self.pause = pause
    }

    static func live(_ timeout: Duration) -> SQLiteLockWait {
        SQLiteLockWait(timeout: timeout, pause: { _ = usleep(UInt32($0 / .microseconds(1))) })
    }

    /// Waits a little, and returns whether to try again.
    ///
    /// - Parameter looked: How often it was looked before this.
    func waits(after looked: Int) -> Bool {
        guard looked < looks else { return false }
        pause(Self.step)
        return true
    }
}
