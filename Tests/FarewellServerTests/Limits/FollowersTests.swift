// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellKeys
@testable import FarewellServer
import Foundation
import HTTPTypes
import Metrics
import Testing

@Suite("The places for followers")
struct FollowersTests {
    private let metrics = ServerMetrics(MetricsRegistry())

    @Test("the places are limited in total and per caller, and each is free again once its follower leaves")
    func places() {
        let followers = Followers(limit: 3, ofOne: 2, metrics: metrics)
        let (anna, berta) = (UUID(), UUID())
        var seats = [followers.enter(following: anna, by: nil), followers.enter(following: anna, by: nil)]
        #expect(seats.allSatisfy { $0 != nil })
        #expect(followers.enter(following: anna, by: nil) == nil, "one person takes no more")
        seats.append(followers.enter(following: berta, by: nil))
        #expect(seats.allSatisfy { $0 != nil })
        #expect(followers.enter(following: berta, by: nil) == nil && followers.enter(by: nil) == nil, "all are taken")
        seats.removeFirst()
        #expect(followers.enter(following: anna, by: nil) != nil)
        seats = []
        #expect((0..<3).map { _ in followers.enter(by: nil) }.allSatisfy { $0 != nil })
    }

    @Test("a follower reads at once, at each signal and after each silence, and leaves nothing behind")
    func wakes() async throws {
        let followers = Followers(limit: 1, metrics: metrics)
        let signal = WakeSignal()
        let (silences, silence) = AsyncStream.makeStream(of: Void.self)
        let slept = Guarded(0)
        do {
            let seat = try #require(followers.enter(by: nil))
            let looks = seat.wakes(signal.wakes, each: .seconds(7)) { duration in
                #expect(duration == .seconds(7))
                slept.withLock { $0 += 1 }
                for await _ in silences { return }
                throw CancellationError()
            }
            var iterator = looks.makeAsyncIterator()
            #expect(try await iterator.next() != nil, "at once")
            for wake in [{ signal.wake() }, { _ = silence.yield() }, { signal.wake() }] {
                wake()
                #expect(try await iterator.next() != nil)
            }
            #expect(slept.withLock { $0 } >= 1)
        }
        try await eventually { followers.enter(by: nil) != nil }
        try await eventually { signal.waiters == 0 }
    }

    @Test("SE-9 followers of erasures, however many, leave places for services at the feed, and vice versa")
    func kinds() async throws {
        try await ErasureMount.with { mount in
            let anna = try await mount.person()
            let secret = Base64URL.text([UInt8](repeating: 7, count: 32))
            let done = try await mount.ask(
                .post, "/v1/erasures", token: anna.token, json: #"{"ticket":"\#(secret)"}"#,
                ["Idempotency-Key": "k", "Prefer": "wait=60"])
            let id = try #require(UUID(uuidString: done.json["id"] as? String ?? ""), "\(done)")
            let ticket = ["X-Farewell-Ticket": secret]
            let path = "/v1/erasures/\(id.uuidString.lowercased())/events"

            var services: [Followers.Seat] = []
            while let seat = mount.server.followers.enter(by: nil) { services.append(seat) }
            #expect(services.count == mount.server.settings.limits.followers)
            #expect(try await mount.ask(.get, path, ticket).status == 200)
            services = []

            var people: [Followers.Seat] = []
            while let seat = mount.server.erasureFollowers.enter(following: id, by: nil) { people.append(seat) }
            #expect(people.count == 8)
            let refused = try await mount.ask(.get, path, ticket)
            #expect(refused.status == 503 && refused.code == "overloaded", "\(refused)")
            while let seat = mount.server.erasureFollowers.enter(by: nil) { people.append(seat) }
            #expect(mount.server.followers.enter(by: nil) != nil && mount.server.consoleFollowers.enter(by: nil) != nil)
            people = []
            #expect(try await mount.ask(.get, path, ticket).status == 200)
        }
    }
}
