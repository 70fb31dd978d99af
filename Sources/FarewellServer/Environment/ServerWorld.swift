// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The server's environment: time, waiting, identifiers.
public struct ServerWorld: Sendable {
    /// The wall clock.
    public var now: @Sendable () -> Date
    /// A clock that only runs forward, from any beginning.
    public var elapsed: @Sendable () -> Duration
    /// Waits; ends early, throwing, when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A fresh identifier.
    public var makeIdentifier: @Sendable () -> UUID

    public init(
        now: @escaping @Sendable () -> Date, elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void, makeIdentifier: @escaping @Sendable () -> UUID
    ) {
        self.now = now
        self.elapsed = elapsed
        self.sleep = sleep
        self.makeIdentifier = makeIdentifier
    }
}
