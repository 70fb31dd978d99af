// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The operators' views and actions")
struct ErasureOverviewTests {
    @Test(
        "BX-9 the overview counts by state, lists due erasures first, days and failures by system; release and redelivery are audited",
        arguments: SQLDialect.allCases)
    func overview(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect, people: 4) { place in
            let requests = place.requests()
            let done = try #require(try await place.erased("1"))
            let grace = try await place.requests(ServiceRules(graceDays: 14, secondLook: 0, poll: 1)).request("2").erasure
            let parked = try await requests.request("3").erasure
            let control = place.fixture.control
            let id = parked.id.uuidString.lowercased()
            let now = UTCTime.text(place.fixture.clock.now)
            try await place.fixture.run(
                """
                UPDATE \(control("erasures")) SET state = 'needs attention', cause = 'Stripe does not answer.' WHERE id = '\(id)';
                UPDATE \(control("requests")) SET ready_at = NULL WHERE erasure = '\(id)';
                INSERT INTO \(control("steps")) (erasure, name, state, attempts, started_at) VALUES \
                ('\(id)', 'system: stripe', 'running', 3, '\(now)')
                """)

            let overview = try await requests.overview()
            #expect(overview.counts == [.done: 1, .grace: 1, .needsAttention: 1])
            #expect(Set(overview.due.map(\.id)) == [grace.id, parked.id])
            #expect(overview.due.map { $0.dueAt ?? .distantPast } == overview.due.compactMap(\.dueAt).sorted())
            #expect(overview.leased.isEmpty && overview.outbox.isEmpty && overview.letters.isEmpty)
            let days = try await requests.days(14)
            #expect(days.count == 14 && days.map(\.day) == days.map(\.day).sorted())
            #expect(days.last?.day == String(now.prefix(10)))
            #expect(days.map(\.asked).reduce(0, +) == 3 && days.map(\.done).reduce(0, +) == 1)
            #expect(days.last?.failures == ["stripe": 3])

            #expect(try await requests.found(state: "", beginning: "", limit: 10).count == 3)
            #expect(try await requests.found(state: "", beginning: "", limit: 2).count == 2)
            #expect(try await requests.found(state: "grace", beginning: "", limit: 10).map(\.id) == [grace.id])
            #expect(try await requests.found(state: "", beginning: String(id.prefix(13)).uppercased(), limit: 10).map(\.id) == [parked.id])
            let hash = String(done.status.erasure.subjectHash.prefix(12))
            #expect(try await requests.found(state: "done", beginning: hash, limit: 10).map(\.id) == [done.id])
            for strange in ["%", "_", "'; DROP TABLE people", "\\"] {
                #expect(try await requests.found(state: "", beginning: strange, limit: 10).isEmpty)
            }

            #expect(await code { try await requests.release(grace.id, by: "console") } == "run.not-parked")
            try await place.fixture.run("DELETE FROM \(control("steps")) WHERE erasure = '\(id)'")
            try await requests.release(parked.id, by: "console")
            #expect(await code { try await requests.release(parked.id, by: "console") } == "run.not-parked", "once")
            try await place.working {
                try await eventually { try await requests.erasure(parked.id)?.state == .done }
            }
            #expect(try await place.fixture.rows("SELECT id FROM people") == ["2", "4"])
            let acts = try await place.fixture.rows("SELECT count(*) FROM \(control("audit")) WHERE entry LIKE '%erasure.released%'")
            #expect(acts == ["1"], "what was refused left no entry")

            let delivery = RecordingEventDelivery(endpoints: [.init(name: "one", kinds: [.done])])
            delivery.refusals.withLock { $0 = [DeliveryFailure("status 410: gone", isFinal: true)] }
            try await place.deliver(delivery)
            let dead = try await requests.overview()
            #expect(dead.outbox.map { "\($0.name) \($0.delivered) \($0.waiting) \($0.dead)" } == ["one 1 0 1"])
            #expect(dead.letters.map(\.reason) == ["status 410: gone"] && dead != overview)
            #expect(try await requests.redeliver(to: "one", by: "console") == 1)
            try await requests.note("console.signed-in", by: "console")
            #expect(try await requests.overview().outbox.map { "\($0.delivered) \($0.waiting) \($0.dead)" } == ["1 1 0"])
            #expect(try await place.engine.verifyAudit() >= 4, "the chain is whole")
        }
    }

    @Test(
        "BX-9 the console's speed counts every erasure that ended in the last day, however long ago it was requested",
        arguments: SQLDialect.allCases)
    func throughput(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect, people: 1) { place in
            let requests = place.requests()
            #expect(try await requests.throughput() == ErasureThroughput())
            let now = place.fixture.clock.now
            // Seconds before now of the end, and how long each took; the last ended a day and a second ago.
            let ends: [(TimeInterval, TimeInterval)] = [(1, 0.5), (86_399, 40 * 86_400), (7, 20), (60, 3), (86_401, 9)]
            for (number, (ago, took)) in ends.enumerated() {
                let end = now.addingTimeInterval(-ago)
                let values: [SQLValue] = [
                    .uuid(UUID()), .timestamp(end.addingTimeInterval(-took)), .timestamp(end),
                    .text(String(repeating: "a", count: 32) + String(number)),
                ]
                let statement = SQLStatement(
                    "INSERT INTO \(place.fixture.control("erasures")) (id, state, requested_at, finished_at, subject_hash, "
                        + "plan_fingerprint, schema_fingerprint) VALUES ($1, 'done', $2, $3, $4, 'p', 's')", values)
                _ = try await place.fixture.database.withConnection { try await $0.run(statement) }
            }
            let found = try await requests.throughput()
            #expect(found.done == 4 && found.half?.rounded() == 20 && found.slowest?.rounded() == 40 * 86_400, "\(found)")
            #expect(try await requests.countOverdue(at: now) == 0)
            let live = try await requests.request("1").erasure
            let due = try #require(live.dueAt)
            #expect(try await requests.countOverdue(at: due.addingTimeInterval(1)) == 1)
            #expect(try await requests.countOverdue(at: due) == 0)
        }
    }

    private func code(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? FarewellError)?.code.rawValue
        }
    }
}
