// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Signing out")
struct SignOutTests {
    @Test(
        "SO-5 Item 21: three sessions and each scope: the tokens that work afterwards",
        arguments: SQLDialect.allCases, SignOutScope.allCases)
    func scopes(dialect: SQLDialect, scope: SignOutScope) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let neighbour = try await fixture.person("berta")
            var sessions = [try await fixture.person()]
            for _ in 0..<2 { sessions.append(try await fixture.signIn()) }
            try await fixture.authority.signOut(try await fixture.caller(sessions[0]), scope: scope)
            let expected: [Bool] =
                switch scope {
                case .local: [false, true, true]
                case .global: [false, false, false]
                case .others: [true, false, false]
                }
            for (session, works) in zip(sessions, expected) {
                #expect(await refusal { _ = try await fixture.caller(session) } == (works ? nil : "session_not_found"))
                let refreshed = await refusal { _ = try await fixture.authority.refresh(session.refreshToken) }
                #expect(refreshed == (works ? nil : "refresh_token_not_found"))
            }
            _ = try await fixture.caller(neighbour)
            let published = try await fixture.authority.revocations()
            let gone = zip(sessions, expected).filter { !$1 }.map(\.0.sessionID)
            #expect(Set(published.compactMap(\.sessionID)) == Set(gone) && published.count == gone.count)
            for entry in published {
                #expect(entry.reason == (entry.sessionID == sessions[0].sessionID ? .signedOut : .signedOutElsewhere))
                #expect(entry.subject == sessions[0].user.id && entry.before == nil)
            }
        }
    }

    @Test("SO-12 signing in again restores full access", arguments: SQLDialect.allCases)
    func again(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let before = try await fixture.person()
            try await fixture.authority.signOut(try await fixture.caller(before), scope: .global)
            // Within the same second: a session is revoked, not everything issued before a moment.
            let after = try await fixture.signIn()
            let caller = try await fixture.caller(after)
            #expect(caller.user.id == before.user.id && after.sessionID != before.sessionID)
            #expect(caller.user.userMetadata == before.user.userMetadata)
        }
    }

    @Test("Item 27: a late event ends the sessions that began before it, and none that began since", arguments: SQLDialect.allCases)
    func lateEvent(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let (neighbour, before) = (try await fixture.person("berta"), try await fixture.person())
            let event = fixture.clock.now + 30
            fixture.clock.now += 60
            let since = try await fixture.signIn()
            for _ in 0..<2 {
                try await fixture.authority.endSessions(of: before.user.id, begunUntil: event, reason: .byAdministrator)
                #expect(await refusal { _ = try await fixture.caller(before) } == "session_not_found")
                #expect(try await fixture.authority.revocations().map(\.sessionID) == [before.sessionID])
                for session in [neighbour, since] { _ = try await fixture.caller(session) }
            }
            let now = fixture.clock.now
            try await fixture.authority.endSessions(of: before.user.id, begunUntil: now, reason: .byAdministrator)
            #expect(await refusal { _ = try await fixture.caller(since) } == "session_not_found", "it began at that time")
        }
    }

    @Test("Item 23: each sign-in begins its own session", arguments: SQLDialect.allCases)
    func newSession(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            var seen: Set<UUID> = [try await fixture.person().sessionID]
            for _ in 0..<3 { seen.insert(try await fixture.signIn().sessionID) }
            #expect(seen.count == 4)
        }
    }

    @Test("SO-5 the ticket ends its session even when the access token has long expired", arguments: SQLDialect.allCases)
    func ticket(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let (anna, other) = (try await fixture.person(), try await fixture.signIn())
            fixture.clock.now += 40 * 86_400
            #expect(await refusal { _ = try await fixture.caller(anna) } == "bad_jwt")
            #expect(try await fixture.authority.signOut(ticket: anna.signOutTicket) == anna.sessionID)
            #expect(await refusal { _ = try await fixture.authority.refresh(anna.refreshToken) } == "refresh_token_not_found")
            _ = try await fixture.authority.refresh(other.refreshToken)
            // Asked again, and for what is nothing: fine, as RFC 7009 has it.
            #expect(try await fixture.authority.signOut(ticket: anna.signOutTicket, scope: .global) == nil)
            var forged = try #require(Base64URL.bytes(other.signOutTicket))
            forged[forged.count - 1] ^= 1
            for text in ["", "nothing", anna.refreshToken, Base64URL.text(forged)] {
                #expect(try await fixture.authority.signOut(ticket: text, scope: .global) == nil)
            }
            #expect(try await fixture.count("sessions") == 1)
            // A ticket opens nothing else.
            #expect(await refusal { _ = try await fixture.authority.refresh(other.signOutTicket) } == "validation_failed")
            #expect(await refusal { _ = try await fixture.authority.authenticate(other.signOutTicket) } == "bad_jwt")
            #expect(try await fixture.authority.signOut(ticket: other.signOutTicket, scope: .others) == nil, "there is none")
            #expect(try await fixture.authority.signOut(ticket: other.signOutTicket, scope: .global) == other.sessionID)
            #expect(try await fixture.count("sessions") == 0)
        }
    }

    @Test(
        "SE-8 a user sees their sessions with devices and ends any one; the ended device learns the reason", arguments: SQLDialect.allCases
    )
    func list(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let phone = SessionDevice(name: "Phone", platform: "iOS 19.1", appVersion: "2.3", userAgent: "App/2.3", address: "10.0.0.1")
            let first = try await fixture.person(device: phone)
            fixture.clock.now += 60
            let second = try await fixture.signIn(device: SessionDevice(name: "Tablet"))
            _ = try await fixture.person("berta")
            let caller = try await fixture.caller(second)
            let sessions = try await fixture.authority.sessions(of: caller)
            #expect(sessions.map(\.id) == [second.sessionID, first.sessionID])
            #expect(sessions.map(\.isCurrent) == [true, false] && sessions[1].device == phone)
            #expect(sessions[1].createdAt == fixture.clock.now - 60 && sessions[1].lastSeenAt == fixture.clock.now - 60)
            fixture.clock.now += 600
            _ = try await fixture.caller(first)
            #expect(try await fixture.authority.sessions(of: caller).last?.lastSeenAt == fixture.clock.now, "seen again")
            try await fixture.authority.end(session: first.sessionID, of: caller)
            let told = await #expect(throws: FarewellError.self) { _ = try await fixture.caller(first) }
            #expect(told?.code == "auth.session_not_found" && told?.remedy == SessionEnding.endedFromList.sentence)
            #expect(try await fixture.authority.ending(of: first.sessionID) == .endedFromList)
            #expect(try await fixture.authority.sessions(of: caller).map(\.id) == [second.sessionID])
        }
    }

    @Test("Item 25: no user ends another user's session, or learns anything about it", arguments: SQLDialect.allCases)
    func foreign(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let (anna, berta) = (try await fixture.person(), try await fixture.person("berta"))
            let caller = try await fixture.caller(anna)
            for session in [berta.sessionID, UUID()] {
                let error = await #expect(throws: FarewellError.self) {
                    try await fixture.authority.end(session: session, of: caller)
                }
                #expect(error?.code == "auth.session_not_found" && error?.message == "Session does not exist")
            }
            _ = try await fixture.caller(berta)
            // A forged caller reaches no further: the person and the session must belong together.
            let forged = Caller(user: caller.user, session: try await fixture.caller(berta).session, claims: caller.claims)
            try await fixture.authority.signOut(forged, scope: .local)
            _ = try await fixture.caller(berta)
        }
    }

    @Test("Item 19: a revoked session stays revoked after a restart (CVE-2026-9802)", arguments: SQLDialect.allCases)
    func restart(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let anna = try await fixture.person()
            try await fixture.authority.signOut(try await fixture.caller(anna), scope: .local)
            let published = try await fixture.authority.revocations()
            let restarted = try await fixture.again()
            #expect(await refusal { _ = try await restarted.refresh(anna.refreshToken) } == "refresh_token_not_found")
            #expect(await refusal { _ = try await restarted.authenticate(anna.accessToken) } == "session_not_found")
            #expect(try await restarted.revocations() == published)
        }
    }

    @Test("Item 22: a sign-out ends its session, even during a refresh", arguments: SQLDialect.allCases)
    func race(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            for round in 0..<8 {
                let anna = round == 0 ? try await fixture.person() : try await fixture.signIn()
                let caller = try await fixture.caller(anna)
                async let out: Void = fixture.authority.signOut(caller, scope: .global)
                async let refreshed = fixture.authority.refresh(anna.refreshToken, nonce: "nonce-no-\(round)")
                try await out
                if let grant = try? await refreshed {
                    #expect(await refusal { _ = try await fixture.caller(grant) } == "session_not_found")
                }
                #expect(try await fixture.count("sessions") == 0)
            }
        }
    }
}
