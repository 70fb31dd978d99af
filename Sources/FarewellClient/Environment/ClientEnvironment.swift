// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Foundation

/// The environment of a device, which a test can replace.
public struct ClientEnvironment: Sendable {
    /// The device's clock, which may be wrong.
    public var now: @Sendable () -> Date
    /// The time since an arbitrary moment, by a clock that never jumps.
    public var elapsed: @Sendable () -> Duration
    public var sleep: @Sendable (Duration) async throws -> Void
    /// Waits in the background: before a failed act is tried again, and between signs of life.
    public var pause: @Sendable (Duration) async throws -> Void
    /// Asks the system for time to finish work when the app goes to the background. Takes a name for the system's
    /// log, and returns a function that ends the time.
    public var keepAwake: @Sendable (String) -> @Sendable () -> Void
    public var makeIdentifier: @Sendable () -> UUID
    /// A number from 0 up to 1, for waits that should not coincide.
    public var chance: @Sendable () -> Double
    /// Receives errors that no caller waits for. They hold nothing personal.
    public var log: @Sendable (FarewellError) -> Void
    /// Whether this process is an extension of the app, which cannot clear the app's data.
    public var isExtension: Bool

    /// - Parameter pause: Without one, `sleep`.
    public init(
        now: @escaping @Sendable () -> Date, elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        pause: (@Sendable (Duration) async throws -> Void)? = nil,
        keepAwake: @escaping @Sendable (String) -> @Sendable () -> Void = { _ in {} },
        makeIdentifier: @escaping @Sendable () -> UUID, chance: @escaping @Sendable () -> Double,
        log: @escaping @Sendable (FarewellError) -> Void, isExtension: Bool = false
    ) {
        self.now = now
        self.elapsed = elapsed
        self.sleep = sleep
        self.pause = pause ?? sleep
        self.keepAwake = keepAwake
        self.makeIdentifier = makeIdentifier
        self.chance = chance
        self.log = log
        self.isExtension = isExtension
    }
}
