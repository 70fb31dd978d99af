// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
import Foundation
import Testing

@Suite("Calls beyond their time limit")
struct CallTimeoutsTests {
    /// Time passes when the signal yields.
    private let slept = Guarded(0)
    private let signal: AsyncStream<Void>.Continuation
    private let timeouts: CallTimeouts

    init() {
        let (wakes, signal) = AsyncStream<Void>.makeStream()
        self.signal = signal
        var world = ServerWorld.live()
        world.sleep = { [slept] _ in
            slept.withLock { $0 += 1 }
            for await _ in wakes { return }
        }
        timeouts = CallTimeouts(limit: .seconds(3_600), world: world)
    }

    private static let endless: @Sendable (CallDeadline) async throws -> Int = { _ in
        try await ContinuousClock().sleep(for: .seconds(3_600))
        return 0
    }

    @Test("many calls share one timer, and each gets its own answer or its own error")
    func shared() async throws {
        for number in 0..<100 {
            #expect(try await timeouts.run { _ in number } == number)
        }
        await #expect(throws: CocoaError.self) { try await timeouts.run { _ in throw CocoaError(.fileNoSuchFile) } }
        #expect(slept.withLock { $0 } <= 1)
    }

    @Test("a call past its time limit is cancelled with an error; a later call continues")
    func late() async throws {
        let timeouts = timeouts
        let first = Task { try await timeouts.run(Self.endless) }
        // Its timer waits: whatever begins now is younger.
        while slept.withLock({ $0 }) == 0 { await Task.yield() }
        let (answers, answer) = AsyncStream<Int>.makeStream()
        let second = Task {
            try await timeouts.run { _ in
                for await number in answers { return number }
                return 0
            }
        }
        signal.yield()
        let refused = await #expect(throws: FarewellError.self) { try await first.value }
        #expect(refused?.code == "auth.request_timeout")
        answer.yield(7)
        #expect(try await second.value == 7)
    }

    @Test("a caller that disconnects cancels the work")
    func cancelled() async {
        let timeouts = timeouts
        let call = Task { try await timeouts.run(Self.endless) }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }
}
