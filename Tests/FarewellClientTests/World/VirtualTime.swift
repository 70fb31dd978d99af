// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import FarewellClient
import Foundation

/// Time that passes at once when a task waits. Waits of an hour and more last until they are cancelled.
final class VirtualTime: Sendable {
    static let start = Date(timeIntervalSince1970: 1_800_000_000)
    private let passed = Guarded(Duration.zero)
    /// How wrong the device's clock is, in seconds.
    let deviceError = Guarded(TimeInterval(0))
    /// Whether time stops while a task waits for less than a second.
    let standsStill = Guarded(false)
    let logged = Guarded<[FarewellError]>([])
    /// The waits beside the work that are under way, each with its length.
    private let pauses = Guarded<[UUID: (length: Duration, end: AsyncStream<Void>.Continuation)]>([:])
    /// Of the waits for the limit of a participant: how many have begun, and those that are under way.
    private let limits = Guarded<(begun: Int, open: [UUID: AsyncStream<Void>.Continuation])>((0, [:]))
    /// The reasons for staying awake, and the number of open ones.
    let awake = Guarded<(reasons: [String], open: Int)>(([], 0))

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
            }, pause: { try await self.paused($0) },
            keepAwake: { reason in
                self.awake.withLock { $0 = ($0.reasons + [reason], $0.open + 1) }
                return { self.awake.withLock { $0.open -= 1 } }
            }, makeIdentifier: { UUID() }, chance: { 0.5 }, log: { error in self.logged.withLock { $0.append(error) } })
    }

    /// Waits beside the work last until a test ends them.
    private func paused(_ length: Duration) async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let id = UUID()
        let isLimit = length == WipeRegistry.limit
        if isLimit {
            limits.withLock { limits in
                limits.begun += 1
                limits.open[id] = end
            }
        } else {
            pauses.withLock { $0[id] = (length, end) }
        }
        defer {
            if isLimit { limits.withLock { $0.open[id] = nil } } else { pauses.withLock { $0[id] = nil } }
        }
        for await _ in ends { return }
        throw CancellationError()
    }

    /// Ends the waits of at least this length, once there is one.
    func endPauses(ofAtLeast length: Duration = .zero) async throws {
        try await eventually { self.endedPauses(ofAtLeast: length) > 0 }
    }

    /// Lets the limit of a participant pass, once `begun` participants in all were called and all but one are done.
    func passLimit(afterBegun begun: Int) async throws {
        try await eventually { limits.withLock { $0.begun == begun && $0.open.count == 1 } }
        let ending = limits.withLock { Array($0.open.values) }
        for end in ending { end.yield() }
    }

    /// Ends those that there are; how many there were.
    @discardableResult
    func endedPauses(ofAtLeast length: Duration = .zero) -> Int {
        let ending = pauses.withLock { pauses in
            let ending = pauses.filter { $0.value.length >= length }
            for id in ending.keys { pauses[id] = nil }
            return ending.values.map(\.end)
        }
        for end in ending { end.yield() }
        return ending.count
    }
}
