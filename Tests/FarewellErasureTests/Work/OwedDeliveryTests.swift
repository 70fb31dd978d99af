// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Required deliveries after an erasure that have failed for good")
struct OwedDeliveryTests {
    @Test(
        "the subject of a delivery stays stored until the delivery is done, however long it takes, and a retry is possible",
        arguments: SQLDialect.allCases)
    func kept(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let delivery = RecordingEventDelivery(endpoints: [
                .init(name: "accounts", kinds: [.done], needsSubject: true, attempts: nil, isFirst: true),
                .init(name: "crm", kinds: [.done]),
            ])
            let ended = try #require(try await place.erased("1"))
            delivery.refusals.withLock { $0 = [DeliveryFailure("the endpoint is no longer configured", isFinal: true)] }
            try await place.deliver(delivery)
            #expect(try await place.requests().deadLetters().map(\.endpoint) == ["accounts"])
            #expect(try await place.requests().undelivered("accounts", among: [ended]).map(\.id) == [ended.id])

            let keepsakes = place.fixture.control("keepsakes")
            try await place.fixture.run("UPDATE \(keepsakes) SET keep_until = '2001-01-01T00:00:00.000Z'")
            try await Cleaner(workers: place.workers(delivery: delivery)).perform()
            #expect(try await place.fixture.rows("SELECT count(*) FROM \(keepsakes)") == ["1"])
            #expect(try await place.requests().redeliver(to: "accounts", by: "operator") == 1)
            try await place.deliver(delivery)
            #expect(delivery.taken.withLock { $0.compactMap(\.subject) } == ["1"])
            #expect(try await place.requests().undelivered("accounts", among: [ended]).isEmpty)
            try await Cleaner(workers: place.workers(delivery: delivery)).perform()
            #expect(try await place.fixture.rows("SELECT count(*) FROM \(keepsakes)") == ["0"], "and no longer")
        }
    }

    @Test(
        "a dead letter that needs its subject can be delivered again, for three days at most",
        arguments: SQLDialect.allCases)
    func deadLetter(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let delivery = RecordingEventDelivery(endpoints: [.init(name: "risc", kinds: [.done], needsSubject: true)])
            _ = try await place.erased("1")
            let gone = DeliveryFailure("status 410: gone", isFinal: true)
            delivery.refusals.withLock { $0 = [gone, gone] }
            try await place.deliver(delivery)
            try await Cleaner(workers: place.workers(delivery: delivery)).perform()
            #expect(try await place.requests().redeliver(to: "risc", by: "operator") == 1)
            try await place.deliver(delivery)
            #expect(try await place.requests().deadLetters().map(\.reason) == [gone.reason], "asked again, and not without whom")

            let keepsakes = place.fixture.control("keepsakes")
            try await place.fixture.run("UPDATE \(keepsakes) SET keep_until = '2001-01-01T00:00:00.000Z'")
            try await Cleaner(workers: place.workers(delivery: delivery)).perform()
            #expect(try await place.fixture.rows("SELECT count(*) FROM \(keepsakes)") == ["0"])
        }
    }

    @Test(
        "an event that no endpoint has accepted counts as undelivered once its subject is no longer stored",
        arguments: SQLDialect.allCases)
    func lost(_ dialect: SQLDialect) async throws {
        try await WorkerFixture.with(dialect) { place in
            let delivery = RecordingEventDelivery(endpoints: [
                .init(name: "accounts", kinds: [.done], needsSubject: true, attempts: nil)
            ])
            let before = try #require(try await place.erased("1"))
            try await place.deliver(RecordingEventDelivery(endpoints: [.init(name: "crm", kinds: [.done])]))
            let ended = try #require(try await place.erased("2"))
            try await place.fixture.run("DELETE FROM \(place.fixture.control("keepsakes"))")
            try await place.deliver(delivery)
            #expect(delivery.taken.withLock { $0.isEmpty })
            #expect(try await place.requests().deadLetters().map(\.erasure) == [ended.id])
            let undelivered = try await place.requests().undelivered("accounts", among: [before, ended])
            #expect(undelivered.map(\.id) == [ended.id], "of the other it never had to be told")
        }
    }
}
