// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Interrupts the work of a cancelled task until it has ended.
///
/// SQLite forgets an interruption that comes before a statement takes its first step. One interruption, as GRDB makes
/// it, may therefore come too early, and the statement would run to its end.
final class SQLiteInterruption: Sendable {
    private enum Phase: Sendable { case waiting, running, ended }

    private let phase = Guarded(Phase.waiting)
    private let interrupt: @Sendable () -> Void
    /// Between two interruptions: from one millisecond to a tenth of a second.
    private static let policy = RetryPolicy(first: .milliseconds(1), longest: .milliseconds(100))

    /// - Parameter interrupt: Interrupts the connection's statements. Must not wait.
    init(_ interrupt: @escaping @Sendable () -> Void) { self.interrupt = interrupt }

    /// Runs the work that may be interrupted. Once.
    func during<Value>(_ work: () throws -> Value) rethrows -> Value {
        phase.withLock { $0 = .running }
        defer { end() }
        return try work()
    }

    /// There is no more work.
    func end() { phase.withLock { $0 = .ended } }

    /// Interrupts the work now and repeatedly, on a thread of its own, which may block.
    func begin() {
        guard step() else { return }
        BlockingWork.start { [self] in
            var times = 0
            repeat {
                times += 1
                _ = poll(nil, 0, Int32(Self.policy.delay(afterFailures: times) / .milliseconds(1)))
            } while step()
        }
    }

    /// - Returns: Whether there is, or will be, work. The next work of the connection is not interrupted: it begins
    ///   only after the end of this one, which waits for an interruption under way.
    private func step() -> Bool {
        phase.withLock { phase in
            if phase == .running { interrupt() }
            return phase != .ended
        }
    }
}
