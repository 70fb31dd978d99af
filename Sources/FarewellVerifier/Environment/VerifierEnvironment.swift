// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation
public import Logging

/// Everything a verifier needs from outside besides the network: time, waiting, random numbers.
///
/// Handed in, so that a test decides what time it is.
public struct VerifierEnvironment: Sendable {
    /// The wall clock, to which the times in tokens refer.
    public var now: @Sendable () -> Date
    /// Monotonic time, since any fixed instant. It measures the age of keys and of the feed.
    public var uptime: @Sendable () -> Duration
    /// Waits; ends early, throwing, when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A number from 0 up to and without 1.
    public var random: @Sendable () -> Double
    public var log: Logger

    public init(
        now: @escaping @Sendable () -> Date, uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void, random: @escaping @Sendable () -> Double,
        log: Logger
    ) {
        self.now = now
        self.uptime = uptime
        self.sleep = sleep
        self.random = random
        self.log = log
    }
}
