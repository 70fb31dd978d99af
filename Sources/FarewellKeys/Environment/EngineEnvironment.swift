// SPDX-License-Identifier: Apache-2.0

import Farewell
public import Foundation
public import Logging

/// Everything the engine needs from outside besides its database: time, identifiers, waiting, a name.
///
/// Passed in, so that a test decides the time and which processes count as alive.
public struct EngineEnvironment: Sendable {
    /// The wall clock. An engine or an authority on PostgreSQL replaces it by the database's.
    public var now: @Sendable () -> Date
    /// This process's own wall clock, whatever replaces `now`: other clocks are compared with it.
    package let wall: @Sendable () -> Date
    /// A clock that only runs forward, also while the machine sleeps, counted from the start that `boot` names.
    package var uptime: @Sendable () -> Duration = LiveWorld.uptime
    /// Names what `uptime` counts from: the same for all processes of a machine until it starts again.
    package var boot = LiveWorld.boot
    /// The time of PostgreSQL's clock, if a test sets it; nil asks PostgreSQL.
    package var databaseNow: (@Sendable () -> Date)?
    /// A fresh identifier.
    public var makeIdentifier: @Sendable () -> UUID
    /// Waits; ends early, throwing, when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// This process's name in leases, as `host:process`.
    public var owner: String
    /// Whether the owner of a lease is certainly dead: a process of this host that no longer exists.
    public var isDead: @Sendable (_ owner: String) -> Bool
    public var log: Logger
    /// A uniform random number from 0 to 1, so that runs that failed together are not tried again together.
    public var chance: @Sendable () -> Double
    /// Called for each erasure that a worker may no longer change: another worker has taken it over, or an operator
    /// holds it.
    package var fenced: @Sendable () -> Void = {}
    /// Receives the receipts of erasures right after they are recorded in the database, before any observer learns that
    /// the erasures are done.
    package var issued: @Sendable (_ receipts: [IssuedReceipt]) async -> Void = { _ in }
    /// Completes an act even if the task is cancelled, within ten seconds.
    package var uninterrupted: @Sendable (_ act: @escaping Act) async -> Void

    public init(
        now: @escaping @Sendable () -> Date, makeIdentifier: @escaping @Sendable () -> UUID,
        sleep: @escaping @Sendable (Duration) async throws -> Void, owner: String,
        isDead: @escaping @Sendable (_ owner: String) -> Bool, log: Logger,
        chance: @escaping @Sendable () -> Double = { .random(in: 0...1) }
    ) {
        self.now = now
        wall = now
        self.makeIdentifier = makeIdentifier
        self.sleep = sleep
        self.owner = owner
        self.isDead = isDead
        self.log = log
        self.chance = chance
        uninterrupted = Self.completing(sleep: sleep)
    }
}

extension EngineEnvironment {
    /// The readings of this machine's clocks.
    package var reading: ClockReading {
        ClockReading(wall: wall(), uptime: uptime() / .seconds(1), boot: boot)
    }

    /// The same with the times of a store.
    package func timed(by clock: StoreClock) -> EngineEnvironment {
        var timed = self
        timed.now = { clock.now }
        return timed
    }
}
