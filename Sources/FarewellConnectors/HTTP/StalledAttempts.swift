// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Counts the attempts in a row that brought nothing further, and sets the pauses between them. For calls that a system
/// answers, and leaves undone in part.
package struct StalledAttempts: Sendable {
    private static let most = 5
    private static let retry = RetryPolicy(first: .milliseconds(50), longest: .seconds(1))

    private var failures = 0

    package init() {}

    /// Notes an attempt.
    ///
    /// - Parameter hasProgress: Whether the system did a part of it.
    /// - Returns: How long to wait before the next attempt; `nil` after the fifth in a row without progress.
    package mutating func pause(hasProgress: Bool) -> Duration? {
        failures = hasProgress ? 0 : failures + 1
        return failures < Self.most ? Self.retry.delay(afterFailures: failures + 1) : nil
    }
}
