// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Awaited requests on their way are accepted together")
struct ArrivingRequestsTests {
    private static let rules = ServiceRules(secondLook: 0, poll: 3_600)

    private static func erase(_ person: String, _ arrival: Int, by requests: ErasureRequests) async throws {
        var request = ErasureRequest()
        (request.isAwaited, request.arrival) = (true, arrival)
        let answer = try await requests.request(person, request)
        let ended = try await requests.wait(for: answer.erasure.id, handed: answer.handed, atMost: .seconds(60))
        #expect(ended?.state == .done && answer.handed != nil)
    }

    @Test("P1 awaited requests wait for those on their way, are accepted in one transaction, and share the free places evenly")
    func together() async throws {
        try await WorkerFixture.with(.postgresql, people: 10) { place in
            let engine = try await place.withoutTime()
            let workers = place.workers(Self.rules, closing: RememberedClosing())
            var requests = ErasureRequests(engine, rules: Self.rules, signals: place.signals)
            requests.handover = workers.handover
            let asking = requests
            try await place.working(workers) {
                try await eventually {
                    let free = (1...2).compactMap { _ in workers.handover.place() }
                    free.forEach { $0.close() }
                    return free.count == 2
                }
                let late = asking.arriving.begin()
                let arrivals = (1...8).map { ($0, asking.arriving.begin()) }
                try await withThrowingTaskGroup(of: Void.self) { calls in
                    for (person, arrival) in arrivals {
                        calls.addTask { try await Self.erase("\(person)", arrival, by: asking) }
                    }
                    try await eventually { asking.arriving.count == 1 }
                    #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.erasures") == ["0"])
                    // The last one does not come.
                    asking.arriving.end(late)
                    try await calls.waitForAll()
                }
                // One that comes alone waits for no other.
                try await Self.erase("9", asking.arriving.begin(), by: asking)
            }
            let acceptances = try await place.fixture.rows("SELECT count(*) FROM farewell.tickets GROUP BY xmin::text")
            let ends = try await place.fixture.rows("SELECT count(*) FROM farewell.ledger GROUP BY xmin::text")
            #expect(acceptances == ["1", "8"] && ends == ["1", "4", "4"])
            _ = try await place.engine.verifyAudit()
        }
    }

    @Test("P1 a request that does not arrive in time holds up one group, and no group waits for requests that begin later")
    func slow() async throws {
        let arriving = ArrivingRequests()
        let waits = Guarded(0)
        let none = Deadline(limit: .zero) { _ in waits.withLock { $0 += 1 } }
        await arriving.whenArrived(none, room: 9)
        #expect(waits.withLock { $0 } == 0)
        let slow = arriving.begin()
        for _ in 1...3 { await arriving.whenArrived(none, room: 9) }
        #expect(waits.withLock { $0 } == 1 && arriving.count == 0)
        arriving.end(slow)

        // The limit never passes.
        let isWaiting = Guarded(false)
        let endless = Deadline(limit: .zero) { _ in
            isWaiting.withLock { $0 = true }
            await untilCancelled()
            throw CancellationError()
        }
        let first = arriving.begin()
        let group = Task { await arriving.whenArrived(endless, room: 9) }
        try await eventually { isWaiting.withLock { $0 } }
        let later = arriving.begin()
        arriving.end(first)
        arriving.end(first)
        await group.value
        #expect(arriving.count == 1)
        arriving.end(later)
        #expect(arriving.count == 0)
    }

    @Test("P1 a full group waits for no request, and another one for as many as it has room for")
    func full() async throws {
        let arriving = ArrivingRequests()
        let isWaiting = Guarded(false)
        // The limit never passes.
        let endless = Deadline(limit: .zero) { _ in
            isWaiting.withLock { $0 = true }
            await untilCancelled()
            throw CancellationError()
        }
        let requests = (1...3).map { _ in arriving.begin() }
        await arriving.whenArrived(endless, room: 0)
        #expect(!isWaiting.withLock { $0 } && arriving.count == 3)
        let group = Task { await arriving.whenArrived(endless, room: 2) }
        try await eventually { isWaiting.withLock { $0 } }
        for request in requests.dropFirst() { arriving.end(request) }
        await group.value
        #expect(arriving.count == 1)
    }
}
