// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// How often a password may be tried for one account, by all servers together, whether or not the account exists.
public struct AttemptLimit: Sendable, Hashable {
    /// Attempts of all unknown sources together, and the most of any source.
    public var attempts: Int
    /// Attempts of one source: a device that has signed in to the account before, or a network.
    public var perSource: Int
    public var window: Duration

    public init(attempts: Int = 30, perSource: Int = 10, window: Duration = .seconds(300)) {
        self.attempts = attempts
        self.perSource = perSource
        self.window = window
    }
}
