// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Waits before a transaction is repeated: from ten milliseconds to a second.
public struct SQLBackoff: Sendable {
    public var policy: RetryPolicy
    /// Waits. `Task.sleep` in production, a manual clock in tests.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A number from 0 up to and without 1.
    public var random: @Sendable () -> Double

    public init(
        policy: RetryPolicy = RetryPolicy(first: .milliseconds(10), longest: .seconds(1)),
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable () -> Double
    ) {
        self.policy = policy
        self.sleep = sleep
        self.random = random
    }

    /// The continuous clock and the system's randomness.
    public static let live = SQLBackoff(
        sleep: { try await Task.sleep(for: $0) }, random: { Double.random(in: 0..<1) })

    func delay(afterFailures failures: Int) -> Duration {
        policy.delay(afterFailures: failures, chance: random())
    }
}
