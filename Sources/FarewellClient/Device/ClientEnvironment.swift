// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Foundation

/// What a device takes from the world around it, so that a test can give it another one.
public struct ClientEnvironment: Sendable {
    /// The device's clock, which may be wrong.
    public var now: @Sendable () -> Date
    /// Time since some moment, which never jumps.
    public var elapsed: @Sendable () -> Duration
    public var sleep: @Sendable (Duration) async throws -> Void
    public var makeIdentifier: @Sendable () -> UUID
    /// A number from 0 up to 1, for waits that should not fall together.
    public var chance: @Sendable () -> Double
    /// Where errors go that nobody waits for. They hold nothing of the person.
    public var log: @Sendable (FarewellError) -> Void

    public init(
        now: @escaping @Sendable () -> Date, elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        makeIdentifier: @escaping @Sendable () -> UUID, chance: @escaping @Sendable () -> Double,
        log: @escaping @Sendable (FarewellError) -> Void
    ) {
        self.now = now
        self.elapsed = elapsed
        self.sleep = sleep
        self.makeIdentifier = makeIdentifier
        self.chance = chance
        self.log = log
    }
}
