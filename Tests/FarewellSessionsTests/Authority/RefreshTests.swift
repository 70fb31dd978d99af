// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Refreshing a session")
struct RefreshTests {
    @Test("SE-6 a refresh token is spent for one successor, and the access token is valid", arguments: SQLDialect.allCases)
    func rotation(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let first = try await fixture.person()
            fixture.clock.now += 3000
            let second = try await fixture.authority.refresh(first.refreshToken, nonce: "nonce-no-1")
            #expect(second.refreshToken != first.refreshToken && second.sessionID == first.sessionID)
            #expect(second.refreshCounter == 1 && !second.isRepeated && second.signOutTicket == first.signOutTicket)
            let caller = try await fixture.caller(second)
            #expect(caller.user.id == first.user.id && caller.session?.id == first.sessionID)
            #expect(caller.session?.refreshedAt == fixture.clock.now)
            #expect(caller.session?.methods.map(\.method) == ["password"], "a refresh is no new proof of who it is")
        }
    }

    @Test(
        "SE-6 Item 17: after a lost response the same nonce gives the same successor, also after a restart",
        arguments: SQLDialect.allCases)
    func lostResponse(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let first = try await fixture.person()
            let lost = try await fixture.authority.refresh(first.refreshToken, nonce: "nonce-no-1")
            fixture.clock.now += 30 * 86_400
            let restarted = try await fixture.again()
            let again = try await restarted.refresh(first.refreshToken, nonce: "nonce-no-1")
            #expect(again.refreshToken == lost.refreshToken && again.isRepeated)
            let next = try await restarted.refresh(again.refreshToken, nonce: "nonce-no-2")
            #expect(next.refreshCounter == 2)
        }
    }

    @Test(
        "SE-6 Item 16: another nonce, or none, on a spent token is theft: the whole session ends",
        arguments: SQLDialect.allCases, [nil, "nonce-no-of-a-thief"])
    func theft(dialect: SQLDialect, nonce: String?) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let first = try await fixture.person()
            let other = try await fixture.signIn()
            let second = try await fixture.authority.refresh(first.refreshToken, nonce: "nonce-no-1")
            let found = await refusal { _ = try await fixture.authority.refresh(first.refreshToken, nonce: nonce) }
            #expect(found == "refresh_token_already_used")
            #expect(await refusal { _ = try await fixture.authority.refresh(second.refreshToken) } == "refresh_token_not_found")
            #expect(await refusal { _ = try await fixture.caller(second) } == "session_not_found")
            let published = try await fixture.authority.revocations()
            #expect(published.map(\.sessionID) == [first.sessionID] && published.map(\.reason) == [.tokenReused])
            _ = try await fixture.caller(other)
        }
    }

    @Test("SE-6 Item 16: a token two refreshes old is theft, whichever client presents it", arguments: SQLDialect.allCases)
    func replay(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let first = try await fixture.person()
            let second = try await fixture.authority.refresh(first.refreshToken)
            let third = try await fixture.authority.refresh(second.refreshToken)
            fixture.clock.now += 11
            #expect(await refusal { _ = try await fixture.authority.refresh(first.refreshToken) } == "refresh_token_already_used")
            #expect(await refusal { _ = try await fixture.authority.refresh(third.refreshToken) } == "refresh_token_not_found")
        }
    }

    @Test(
        "SE-6 without a nonce, a client may repeat the token just before the active one at any time, and older ones for ten seconds",
        arguments: SQLDialect.allCases)
    func withoutNonce(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let first = try await fixture.person()
            let second = try await fixture.authority.refresh(first.refreshToken)
            fixture.clock.now += 86_400
            let again = try await fixture.authority.refresh(first.refreshToken)
            #expect(again.refreshToken == second.refreshToken && again.repetitions == [.failedToSave])
            let third = try await fixture.authority.refresh(second.refreshToken)
            fixture.clock.now += 9
            let oldest = try await fixture.authority.refresh(first.refreshToken)
            #expect(oldest.refreshToken == third.refreshToken && oldest.refreshCounter == 2 && oldest.repetitions == [.concurrent])
        }
    }

    @Test("SE-6 Item 18: 64 simultaneous refreshes of one token give one successor", arguments: SQLDialect.allCases, ["nonce-no-64", nil])
    func parallel(dialect: SQLDialect, nonce: String?) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let first = try await fixture.person()
            let grants = try await withThrowingTaskGroup(of: SessionGrant.self) { group in
                for _ in 0..<64 {
                    group.addTask { try await fixture.authority.refresh(first.refreshToken, nonce: nonce) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(grants.count == 64 && Set(grants.map(\.refreshToken)).count == 1)
            #expect(grants.count { !$0.isRepeated } == 1)
            let counter = try await fixture.run("SELECT refresh_token_counter FROM \(fixture.table("sessions"))").scalar
            #expect(counter?.integer == 1)
            let next = try await fixture.authority.refresh(try #require(grants.first?.refreshToken), nonce: "nonce-no-65")
            #expect(next.refreshCounter == 2)
        }
    }

    @Test("Item 18: 64 different nonces on one token end the session; at most one of them gets a successor", arguments: SQLDialect.allCases)
    func parallelThieves(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let first = try await fixture.person()
            let outcomes = await withTaskGroup(of: String?.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        await refusal { _ = try await fixture.authority.refresh(first.refreshToken, nonce: "a thief-\(number)") }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == nil } == 1)
            #expect(Set(outcomes.compactMap(\.self)).isSubset(of: ["refresh_token_already_used", "refresh_token_not_found"]))
            #expect(try await fixture.count("sessions") == 0)
            #expect(try await fixture.authority.revocations().count == 1)
        }
    }

    @Test("Item 24: sessions end by inactivity and at their absolute limit", arguments: SQLDialect.allCases)
    func lifetimes(dialect: SQLDialect) async throws {
        let settings: @Sendable (inout AuthoritySettings) -> Void = {
            $0.lifetime = SessionLifetime(inactivity: .seconds(1000), absolute: .seconds(5000))
        }
        try await AuthorityFixture.with(dialect, settings) { fixture in
            let idle = try await fixture.person()
            fixture.clock.now += 1000
            #expect(await refusal { _ = try await fixture.authority.refresh(idle.refreshToken) } == "session_expired")
            #expect(await refusal { _ = try await fixture.caller(idle) } == "session_expired")
            var busy = try await fixture.signIn()
            for _ in 0..<5 {
                fixture.clock.now += 999
                busy = try await fixture.authority.refresh(busy.refreshToken)
            }
            #expect(busy.expiresIn == 5, "no token outlives its session")
            fixture.clock.now += 5
            #expect(await refusal { _ = try await fixture.authority.refresh(busy.refreshToken) } == "session_expired")
            try await fixture.authority.prune()
            #expect(await refusal { _ = try await fixture.authority.refresh(busy.refreshToken) } == "session_expired", "for a day")
            fixture.clock.now += 86_400
            try await fixture.authority.prune()
            #expect(try await fixture.count("sessions") == 0)
        }
    }

    @Test("a refresh is refused for barred and deleted users", arguments: SQLDialect.allCases)
    func barred(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let anna = try await fixture.person()
            // Barred by a program that knows nothing of sessions.
            let later = fixture.clock.now + 60
            _ = try await fixture.run("UPDATE \(fixture.table("users")) SET banned_until = $1", .timestamp(later))
            #expect(await refusal { _ = try await fixture.authority.refresh(anna.refreshToken) } == "user_banned")
            #expect(await refusal { _ = try await fixture.caller(anna) } == "user_banned")
            #expect(await refusal { _ = try await fixture.signIn() } == "user_banned")
            fixture.clock.now += 61
            let again = try await fixture.authority.refresh(anna.refreshToken)
            try await fixture.authority.deleteUser(again.user.id)
            #expect(await refusal { _ = try await fixture.authority.refresh(again.refreshToken) } == "refresh_token_not_found")
        }
    }

    @Test("every refresh and token check of a barred user says so, as long as the user is barred", arguments: SQLDialect.allCases)
    func barredByOperator(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let (anna, berta) = (try await fixture.person(), try await fixture.person("berta"))
            var bar = AdministratorChange()
            bar.banDuration = "72h"
            _ = try await fixture.authority.updateUser(anna.user.id, bar)
            for _ in 0..<2 {
                #expect(await refusal { _ = try await fixture.authority.refresh(anna.refreshToken) } == "user_banned")
                #expect(await refusal { _ = try await fixture.caller(anna) } == "user_banned" || fixture.clock.now > anna.expiresAt)
                // A day later the feed has forgotten all other ended users.
                try await fixture.authority.endSessions(of: berta.user.id, reason: .signedOut)
                fixture.clock.now += 26 * 3600
                try await fixture.authority.prune()
            }
            #expect(try await fixture.count("revocations") == 1)
            bar.banDuration = "none"
            _ = try await fixture.authority.updateUser(anna.user.id, bar)
            #expect(await refusal { _ = try await fixture.authority.refresh(anna.refreshToken) } == "refresh_token_not_found")
            try await fixture.authority.prune()
            #expect(try await fixture.count("revocations") == 0)
            _ = try await fixture.signIn()
        }
    }

    @Test("Item 14: a token of another origin is refused without a database query", arguments: SQLDialect.allCases)
    func forged(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let good = try await fixture.person().refreshToken
            for text in ["", "x", "abcdefghijkl", good + "A", String(good.dropLast()), good + "=", String(repeating: "A", count: 100_000)] {
                #expect(await refusal { _ = try await fixture.authority.refresh(text) } == "validation_failed")
            }
            var bytes = try #require(Base64URL.bytes(good))
            for index in 1..<bytes.count {
                bytes[index] ^= 1
                let text = Base64URL.text(bytes)
                #expect(await refusal { _ = try await fixture.authority.refresh(text) } == "refresh_token_not_found")
                bytes[index] ^= 1
            }
            for nonce in ["", "short", String(repeating: "n", count: 257)] {
                #expect(await refusal { _ = try await fixture.authority.refresh(good, nonce: nonce) } == "validation_failed")
            }
            _ = try await fixture.authority.refresh(good)
        }
    }

    @Test("SE-6 a store restored from a back-up refuses newer tokens, and does not report them as theft", arguments: SQLDialect.allCases)
    func restored(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let first = try await fixture.person()
            let sessions = fixture.table("sessions")
            let row = try await fixture.run("SELECT refresh_token_hash FROM \(sessions)").scalar ?? .null
            let second = try await fixture.authority.refresh(first.refreshToken, nonce: "nonce-no-1")
            _ = try await fixture.run(
                "UPDATE \(sessions) SET refresh_token_hash = $1, refresh_token_counter = 0, refresh_nonce_hash = NULL", row)
            #expect(await refusal { _ = try await fixture.authority.refresh(second.refreshToken) } == "refresh_token_not_found")
            #expect(try await fixture.authority.refresh(first.refreshToken, nonce: "nonce-no-1").refreshToken == second.refreshToken)
        }
    }

    @Test("a token number beyond any session's range is refused, without counting up to it", arguments: SQLDialect.allCases)
    func damagedCounter(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let first = try await fixture.person()
            let second = try await fixture.authority.refresh(first.refreshToken)
            for counter: Int64 in [.max, .max - 1, 1_099_511_627_776] {
                _ = try await fixture.run("UPDATE \(fixture.table("sessions")) SET refresh_token_counter = $1", .integer(counter))
                #expect(await refusal { _ = try await fixture.authority.refresh(first.refreshToken) } == "refresh_token_not_found")
            }
            #expect(try await fixture.authority.refresh(second.refreshToken).refreshCounter == 2, "the active token goes on")
        }
    }
}
