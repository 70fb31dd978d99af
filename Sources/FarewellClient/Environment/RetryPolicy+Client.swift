// SPDX-License-Identifier: Apache-2.0
import Farewell

extension RetryPolicy {
    /// Calls to the server that failed: from a second to a minute.
    static let calls = RetryPolicy(first: .seconds(1), longest: .seconds(60))
    /// Questions whether the server has finished: from a tenth of a second to two seconds.
    static let questions = RetryPolicy(first: .milliseconds(100), longest: .seconds(2))
    /// Looks at another process's renewal of the session: from 20 milliseconds to half a second.
    static let renewals = RetryPolicy(first: .milliseconds(20), longest: .milliseconds(500))
    /// Attempts to claim the device for a sign-in or a departure: from a millisecond to a tenth of a second.
    static let claims = RetryPolicy(first: .milliseconds(1), longest: .milliseconds(100))
    /// Attempts to take the lock of the state folder: from one millisecond to 50.
    static let locks = RetryPolicy(first: .milliseconds(1), longest: .milliseconds(50))
}
