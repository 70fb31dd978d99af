// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import FarewellClient
import Foundation

/// Time that passes when somebody waits, and at once. Waits of an hour and more last until they are cancelled.
final class VirtualTime: Sendable {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)
    private let passed = Guarded(Duration.zero)
    /// How wrong the device's clock is, in seconds.
    let deviceError = Guarded(TimeInterval(0))
    /// Whether time stands still while somebody waits for less than a second.
    let standsStill = Guarded(false)
    let logged = Guarded<[FarewellError]>([])
    private let counter = Guarded<UInt64>(0)

    var elapsed: Duration { passed.withLock { $0 } }
    var serverNow: Date { Self.start.addingTimeInterval(elapsed / .seconds(1)) }

    func pass(_ duration: Duration) { passed.withLock { $0 += duration } }

    func environment() -> ClientEnvironment {
        ClientEnvironment(
            now: { self.serverNow.addingTimeInterval(self.deviceError.withLock { $0 }) }, elapsed: { self.elapsed },
            sleep: { duration in
                if duration >= .seconds(3_600) {
                    await untilCancelled()
                }
                try Task.checkCancellation()
                for _ in 0..<20 { await Task.yield() }
                if duration >= .seconds(1) || !self.standsStill.withLock({ $0 }) { self.pass(duration) }
            }, makeIdentifier: { UUID() }, chance: { 0.5 }, log: { error in self.logged.withLock { $0.append(error) } })
    }
}
