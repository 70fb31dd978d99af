// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellErasure
import FarewellSQL
import TestFixtures
import Testing

/// Hears nothing from one receiver, and everything from the others.
private struct HalfSilentEventDelivery: EventDelivery {
    let endpoints: [EventEndpoint] = [
        .init(name: "silent", kinds: [.done]), .init(name: "healthy", kinds: [.requested]),
    ]
    let taken = Guarded<[String]>([])
    let unanswered = Guarded(0)

    func deliver(_ event: OutgoingEvent, to endpoint: String) async throws(DeliveryFailure) {
        if endpoint == "silent" {
            unanswered.withLock { $0 += 1 }
            await untilCancelled()
            throw DeliveryFailure("no answer")
        }
        taken.withLock { $0.append(event.id) }
    }
}

@Suite("A receiver that does not answer")
struct SilentReceiverTests {
    @Test(
        "a receiver that does not answer, with many waiting events, delays no other receiver",
        .timeLimit(.minutes(30)), arguments: SQLDialect.allCases)
    func others(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            _ = try await place.erased("1")
            let delivery = HalfSilentEventDelivery()
            let workers = place.workers(delivery: delivery)
            let (events, deliveries) = (place.fixture.control("events"), place.fixture.control("deliveries"))
            let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)"
            try await place.fixture.run(
                """
                \(numbers) INSERT INTO \(events) (erasure, kind, occasion, happened_at) \
                SELECT e.id, 'erasure.done', n.i, e.finished_at FROM \(place.fixture.control("erasures")) AS e, n
                """)
            try await Addresser(workers: workers).perform()
            #expect(
                try await place.fixture.rows("SELECT endpoint, count(*) FROM \(deliveries) GROUP BY endpoint ORDER BY endpoint") == [
                    "healthy 1", "silent 201",
                ])
            try await place.fixture.run(
                "UPDATE \(deliveries) SET next_at = '2001-01-01T00:00:00.000Z' WHERE endpoint = 'silent'")
            try await place.working(workers) {
                try await eventually { delivery.unanswered.withLock { $0 > 0 } }
                try await eventually { delivery.taken.withLock { $0.count == 1 } }
            }
            let (unanswered, taken) = (delivery.unanswered.withLock { $0 }, delivery.taken.withLock { $0.count })
            #expect(unanswered <= 16 && taken == 1, "\(unanswered), while no receiver answered")
        }
    }

    @Test("a delivery that ends because its process stops is due at once, and does not count as a refusal", arguments: SQLDialect.allCases)
    func stopped(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            _ = try await place.erased("1")
            let delivery = HalfSilentEventDelivery()
            let workers = place.workers(delivery: delivery)
            let deliveries = place.fixture.control("deliveries")
            try await Addresser(workers: workers).perform()
            let silent = try #require(workers.deliverers.first { ($0 as? Deliverer)?.endpoint?.name == "silent" })
            let attempt = Task { try await silent.perform() }
            try await eventually { delivery.unanswered.withLock { $0 == 1 } }
            attempt.cancel()
            _ = await attempt.result
            let left = try await place.fixture.rows(
                "SELECT state, attempts, error IS NULL FROM \(deliveries) WHERE endpoint = 'silent'")
            #expect(left.count == 1 && left[0].hasPrefix("waiting 0 "), "\(left)")
            let heard = RecordingEventDelivery(endpoints: [.init(name: "silent", kinds: [.done])])
            try await place.deliver(heard)
            #expect(heard.taken.withLock { $0.count } == 1, "without waiting for the claim to end")
        }
    }

    @Test("an event for a receiver that is no longer configured is a dead letter", arguments: SQLDialect.allCases)
    func noLongerNamed(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            _ = try await place.erased("1")
            let former = RecordingEventDelivery(endpoints: [.init(name: "former", kinds: [.done])])
            try await Addresser(workers: place.workers(delivery: former)).perform()
            let present = RecordingEventDelivery(endpoints: [.init(name: "present", kinds: [.done])])
            try await place.deliver(present)
            let letters = try await place.requests().deadLetters()
            #expect(letters.map { "\($0.endpoint): \($0.reason)" } == ["former: the endpoint is no longer configured"])
            #expect(former.taken.withLock { $0.isEmpty } && present.taken.withLock { $0.isEmpty })
        }
    }
}
