// SPDX-License-Identifier: Apache-2.0

import Farewell
public import Foundation
public import Logging

/// Everything the engine needs from the world besides its database: time, identifiers, waiting, a name.
///
/// Handed in, so that a test decides what time it is and which process is thought to be alive.
public struct EngineEnvironment: Sendable {
    /// The wall clock.
    public var now: @Sendable () -> Date
    /// A fresh identifier.
    public var makeIdentifier: @Sendable () -> UUID
    /// Waits; ends early, throwing, when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// Who we are in leases, as `host:process`.
    public var owner: String
    /// Whether the owner of a lease is certainly dead: a process of this host that no longer exists.
    public var isDead: @Sendable (_ owner: String) -> Bool
    public var log: Logger
    /// A number from 0 to 1, each as likely; what failed together is not tried again together.
    public var chance: @Sendable () -> Double
    /// Told of each erasure of which a worker could not write any more: another one has taken it over, or an operator
    /// holds it.
    package var fenced: @Sendable () -> Void = {}
    /// Does something to its end also where the task is cancelled.
    package var uninterrupted: @Sendable (_ act: @escaping @Sendable () async -> Void) async -> Void = { act in
        await Task { await act() }.value
    }

    public init(
        now: @escaping @Sendable () -> Date, makeIdentifier: @escaping @Sendable () -> UUID,
        sleep: @escaping @Sendable (Duration) async throws -> Void, owner: String,
        isDead: @escaping @Sendable (_ owner: String) -> Bool, log: Logger,
        chance: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.now = now
        self.makeIdentifier = makeIdentifier
        self.sleep = sleep
        self.owner = owner
        self.isDead = isDead
        self.log = log
        self.chance = chance
    }
}
