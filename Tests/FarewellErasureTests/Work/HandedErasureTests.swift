// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation
import TestFixtures
import Testing

/// Receives a call after an erasure was recorded, before its caller is answered.
private struct LookingClosing: SubjectClosing {
    let look: @Sendable () async -> Void

    func close(_ subjects: [String]) async throws {}

    func remove(_ subjects: [String]) async -> Bool {
        await look()
        return true
    }
}

@Suite("The end of an awaited erasure")
struct HandedErasureTests {
    private static let rules = ServiceRules(secondLook: 0, poll: 3_600)

    /// What a caller learns of an erasure, without its times: the store keeps microseconds.
    private static func seen(_ erasure: RequestedErasure) -> [String] {
        let record = erasure.status.erasure
        let steps = erasure.status.steps.map { step in
            let counts = step.counts.sorted { $0.key < $1.key }
            return "\(step.name) \(step.state) \(step.attempts) \(step.finishedAt == nil) \(counts) \(step.isInChunks)"
        }
        let receipt = "\(record.receipt ?? "-") \(record.planFingerprint) \(record.schemaFingerprint)"
        let owner = "\(record.owner ?? "-") \(record.leaseUntil == nil) \(record.sealed == nil) \(record.wrappedKey == nil)"
        let promise = "\(erasure.graceUntil == nil) \(erasure.dueAt == nil) \(erasure.holdReason ?? "-")"
        return ["\(record.id) \(record.state) \(record.attempts) \(record.epoch)", receipt, owner, promise] + steps
    }

    @Test("P1 the caller of an awaited erasure hears of it as it is stored, without a query, and only once its account is looked for")
    func asStored() async throws {
        try await WorkerFixture.with(.postgresql, people: 8) { place in
            let reads = Guarded(0)
            let counted = WatchedDatabase(place.fixture.database) { statements, _ in
                if statements.contains(where: { $0.text.contains("FROM farewell.steps") }) { reads.withLock { $0 += 1 } }
                return statements
            }
            let engine = try await place.withoutTime(on: counted)
            let handed = Guarded<[HandedErasure]>([])
            let early = Guarded(false)
            let closing = LookingClosing {
                // The transaction is committed, and the account is not yet looked for.
                let isEarly = handed.withLock { $0.contains { $0.isRecorded && $0.recorded != nil && !$0.isAccountRemoved } }
                if isEarly { early.withLock { $0 = true } }
            }
            let workers = place.workers(Self.rules, closing: closing)
            var requests = ErasureRequests(engine, rules: Self.rules, signals: place.signals)
            requests.handover = workers.handover
            let asking = requests
            try await place.working(workers) {
                try await eventually {
                    let free = workers.handover.place()
                    free?.close()
                    return free != nil
                }
                try await withThrowingTaskGroup(of: Void.self) { calls in
                    for person in 1...6 {
                        calls.addTask {
                            var request = ErasureRequest()
                            request.isAwaited = true
                            let answer = try await asking.request("\(person)", request)
                            let mine = try #require(answer.handed)
                            handed.withLock { $0.append(mine) }
                            let ended = try #require(
                                try await asking.wait(for: answer.erasure.id, handed: mine, atMost: .seconds(60)))
                            #expect(ended.state == .done && ended.receipt != nil && mine.isAccountRemoved)
                            let stored = try #require(try await place.requests().erasure(ended.id))
                            #expect(Self.seen(ended) == Self.seen(stored) && ended.status.steps.count == 1)
                            let ends = [ended, stored].compactMap(\.status.erasure.finishedAt)
                            #expect(ends.count == 2 && abs(ends[0].timeIntervalSince(ends[1])) < 0.01)
                        }
                    }
                    try await calls.waitForAll()
                }
            }
            #expect(reads.withLock { $0 } == 0, "a caller has read the end")
            #expect(!early.withLock { $0 }, "a caller heard of the end before its account was looked for")
            #expect(try await place.fixture.rows("SELECT count(*) FROM farewell.fences") == ["0"])
            #expect(try await place.fixture.rows("SELECT id FROM people ORDER BY id") == ["7", "8"])
        }
    }
}
