// SPDX-License-Identifier: Apache-2.0

import Farewell
import Testing

@Suite("A limit for work")
struct DeadlineTests {
    private struct Failure: Error {}

    @Test("work that ends in time gives its result or its error; its timer is cancelled")
    func inTime() async throws {
        let deadline = Deadline(limit: .seconds(3_600)) { try await ContinuousClock().sleep(for: $0) }
        #expect(try await deadline.run { 7 } == 7)
        await #expect(throws: Failure.self) { try await deadline.run { () -> Int in throw Failure() } }
    }

    @Test("work that takes too long is cancelled, and has ended when there is no result")
    func late() async throws {
        let (limits, limit) = AsyncStream.makeStream(of: Void.self)
        let isEnded = Guarded(false)
        let deadline = Deadline(limit: .seconds(5)) { pause in
            #expect(pause == .seconds(5))
            for await _ in limits { return }
        }
        let result = try await deadline.run {
            limit.yield()
            try? await ContinuousClock().sleep(for: .seconds(3_600))
            isEnded.withLock { $0 = true }
            return 7
        }
        #expect(result == nil && isEnded.withLock { $0 })
    }
}
