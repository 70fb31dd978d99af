// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("A system that answers is called")
struct AnsweredTroubleTests {
    /// The answers to the calls, one after another; the last one for ever.
    private func caller(
        _ statuses: [Int], _ clock: Guarded<Double>
    ) -> (call: () async -> FarewellError?, service: AnsweringService) {
        let left = Guarded(statuses)
        let service = AnsweringService { _ in
            SystemReply(status: left.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? 200 })
        }
        var world = ConnectorWorld.hurried(service)
        world.uptime = { clock.withLock { $0 } }
        let caller = SystemCaller("it", budget: RateBudget(burst: 100, perSecond: 100), world: world)
        return (
            {
                await fault {
                    let address = try SystemAddress("https://it.example", system: "it")
                    _ = try await caller.send(SystemCall("GET", address, "/", permission: "reading"))
                }
            }, service
        )
    }

    @Test("F11 a refusal between failures shows that the system answers: it is not paused", arguments: [400, 403, 404, 409, 501])
    func between(_ status: Int) async throws {
        let (call, service) = caller(Array(repeating: 503, count: 4) + [status] + Array(repeating: 503, count: 4) + [200], Guarded(0))
        for _ in 1...9 { #expect(await call() != nil) }
        #expect(await call() == nil)
        #expect(service.sent.count == 10)
    }

    @Test("F11 after a pause one call tries for all, and a refusal or a plea for patience ends the pause", arguments: [403, 429])
    func afterwards(_ status: Int) async throws {
        let clock = Guarded(0.0)
        let (call, service) = caller(Array(repeating: 503, count: 5) + [status, 200], clock)
        for _ in 1...5 { _ = await call() }
        #expect(await call()?.message.contains("paused") == true)
        clock.withLock { $0 = 5 }
        #expect(await call() != nil)
        #expect(await call() == nil)
        #expect(service.sent.count == 7)
    }
}
