// SPDX-License-Identifier: Apache-2.0

/// The pause before an act that failed, or is not ready, is repeated: exponential back-off with jitter.
///
/// The delay doubles with each failure up to a bound. A caller waits between half of it and all of it, so that callers
/// that failed together do not try again together.
public struct RetryPolicy: Sendable, Hashable {
    /// The delay after the first failure, before jitter.
    public var first: Duration
    /// The longest delay.
    public var longest: Duration

    public init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// The delay before the next attempt.
    ///
    /// - Parameters:
    ///   - failures: How many attempts failed in a row; fewer than 1 counts as 1.
    ///   - chance: A random number from 0 to 1: 0 gives half of the delay, 1 all of it.
    public func delay(afterFailures failures: Int, chance: Double) -> Duration {
        delay(afterFailures: failures) * (0.5 + 0.5 * min(max(chance, 0), 1))
    }

    /// The delay before the next attempt without jitter, for callers that do not fail together.
    ///
    /// - Parameter failures: How many attempts failed in a row; fewer than 1 counts as 1.
    package func delay(afterFailures failures: Int) -> Duration {
        let doublings = min(max(failures, 1), 31) - 1
        return min(first * (1 << doublings), longest)
    }
}
