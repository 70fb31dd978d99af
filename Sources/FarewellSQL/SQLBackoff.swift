// SPDX-License-Identifier: Apache-2.0

/// How long to wait before a transaction is tried once more: twice as long each time, with jitter so that
/// two that collided do not collide again.
public struct SQLBackoff: Sendable {
    public var first: Duration
    public var longest: Duration
    /// Waits. `Task.sleep` in life, a manual clock in tests.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A number from 0 up to and without 1.
    public var random: @Sendable () -> Double

    public init(
        first: Duration = .milliseconds(10), longest: Duration = .seconds(1),
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable () -> Double
    ) {
        self.first = first
        self.longest = longest
        self.sleep = sleep
        self.random = random
    }

    /// The continuous clock and the system's randomness.
    public static let live = SQLBackoff(
        sleep: { try await Task.sleep(for: $0) }, random: { Double.random(in: 0..<1) })

    /// Between half and the whole of the exponential step.
    func delay(beforeAttempt attempt: Int) -> Duration {
        let step = min(longest, first * Double(1 << min(max(attempt - 2, 0), 20)))
        return step * (0.5 + random() / 2)
    }
}
