// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Testing

@testable import FarewellVerifier

@Suite("Stored keys that an issuer publishes")
struct KeySetKeeperTests {
    let time = ManualTime()
    let policy = KeySetPolicy(
        timeToLive: .seconds(300), graceWhenUnreachable: .seconds(600), interval: .seconds(10), timeout: .seconds(5))

    private func keeper(_ shelf: KeyShelf) throws -> KeySetKeeper {
        KeySetKeeper(
            try #require(URL(string: "https://id.example.org/keys")), for: [.es256], policy: policy, fetching: shelf,
            environment: time.environment)
    }

    @Test("Item 4: a flood of unknown identifiers causes one request to the issuer per interval")
    func flood() async throws {
        let shelf = KeyShelf([.es256("a")])
        let keeper = try keeper(shelf)
        for round in 1...3 {
            for number in 0..<1000 {
                await #expect(throws: TokenRefusal.key) { try await keeper.key("unknown-\(number)") }
            }
            #expect(shelf.asked == round)
            time.advance(by: policy.interval)
        }
        _ = try await keeper.key("a")
        #expect(shelf.asked == 3)
    }

    @Test("Item 12: a hundred simultaneous callers share one request, which survives the caller that began it")
    func singleFlight() async throws {
        let shelf = KeyShelf([.es256("a")])
        shelf.hold()
        let keeper = try keeper(shelf)
        let found = try await withThrowingTaskGroup(of: Bool.self) { group in
            let first = Task { try await keeper.key("a") }
            await shelf.isAsked()
            first.cancel()
            for _ in 0..<100 { group.addTask { try await keeper.key("a").key.algorithm == .es256 } }
            group.addTask {
                shelf.release()
                return true
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(found.count == 101 && found.allSatisfy { $0 } && shelf.asked == 1)
    }

    @Test("Item 13: a new key is found at once, and an old one stays as long as it is published")
    func rotation() async throws {
        let shelf = KeyShelf([.es256("old")])
        let keeper = try keeper(shelf)
        _ = try await keeper.key("old")
        time.advance(by: .seconds(60))
        shelf.lay([.es256("new"), .es256("old")])
        _ = try await keeper.key("new")
        _ = try await keeper.key("old")
        #expect(shelf.asked == 2)
    }

    @Test("Item 13: a removed key is refused once the time to live is over")
    func removal() async throws {
        let shelf = KeyShelf([.es256("old")])
        let keeper = try keeper(shelf)
        _ = try await keeper.key("old")
        shelf.lay([.es256("new")])
        time.advance(by: policy.timeToLive - .seconds(1))
        _ = try await keeper.key("old")
        time.advance(by: .seconds(1))
        await #expect(throws: TokenRefusal.key) { try await keeper.key("old") }
    }

    @Test("Item 12: an unreachable issuer is tolerated for a while, and called once per interval")
    func stale() async throws {
        let shelf = KeyShelf([.es256("a")])
        let keeper = try keeper(shelf)
        _ = try await keeper.key("a")
        shelf.lay(nil)
        time.advance(by: policy.timeToLive)
        for _ in 0..<100 { _ = try await keeper.key("a") }
        #expect(shelf.asked == 2)
        await #expect(throws: TokenRefusal.key) { try await keeper.key("b") }
        time.advance(by: policy.graceWhenUnreachable - .seconds(1))
        #expect(try await keeper.key("a").since == nil)
        time.advance(by: .seconds(1))
        await #expect(throws: TokenRefusal.keysUnavailable) { try await keeper.key("a") }
        time.advance(by: policy.interval)
        shelf.lay([.es256("a")])
        #expect(try await keeper.key("a").since == time.passed)
    }

    @Test("Item 12: without keys and with an unreachable issuer, the verdict on a token is unknown")
    func never() async throws {
        let shelf = KeyShelf(nil)
        let keeper = try keeper(shelf)
        for _ in 0..<10 { await #expect(throws: TokenRefusal.keysUnavailable) { try await keeper.key("a") } }
        #expect(shelf.asked == 1)
        #expect(TokenRefusal.keysUnavailable.family == .tryAgain && TokenRefusal.key.family == .yoursToFix)
    }

    @Test("Item 12: while one caller fetches a newer set, the old one serves, and an unknown key waits")
    func staleWhileAsking() async throws {
        let shelf = KeyShelf([.es256("a")])
        let keeper = try keeper(shelf)
        _ = try await keeper.key("a")
        time.advance(by: policy.timeToLive)
        shelf.hold()
        shelf.lay([.es256("a"), .es256("b")])
        async let asking = keeper.key("a")
        await shelf.isAsked()
        #expect(try await keeper.key("a").since == nil)
        async let waiting = keeper.key("b")
        shelf.release()
        #expect(try await asking.since == time.passed)
        #expect(try await waiting.since == time.passed)
        #expect(shelf.asked == 2)
    }
}
