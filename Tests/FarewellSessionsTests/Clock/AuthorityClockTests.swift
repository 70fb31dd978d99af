// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Users' sessions under a wrong clock")
struct AuthorityClockTests {
    private static let tables = [
        "sessions", "revocations", "password_attempts", "one_time_codes", "outgoing_mail", "signing_keys",
    ]

    /// One of each thing that is cleared away in its time.
    private static func fill(_ fixture: AuthorityFixture) async throws {
        try await fixture.person()
        try await fixture.authority.signOut(try await fixture.caller(try await fixture.signIn()), scope: .local)
        #expect(await refusal { _ = try await fixture.authority.signIn(email: "anna@example.org", password: "wrong") } != nil)
        try await fixture.authority.sendCode(.recovery, to: "anna@example.org")
        #expect(try await fixture.delivered().count == 1)
        try await fixture.authority.sendCode(.recovery, to: "nobody@example.org")
        try await fixture.authority.rotateSigningKey()
    }

    private static func counts(_ fixture: AuthorityFixture) async throws -> [Int64] {
        var counts: [Int64] = []
        for table in tables { counts.append(try await fixture.count(table)) }
        return counts
    }

    private static let lives: @Sendable (inout AuthoritySettings) -> Void = { $0.lifetime.absolute = .seconds(30 * 86_400) }

    @Test(
        "OP-3 OPS-10 a server with a wrong clock clears no session, revocation, attempt, code, mail or key",
        arguments: WrongClock.all)
    func pruning(_ wrong: WrongClock) async throws {
        try await AuthorityFixture.with(wrong.dialect, Self.lives) { fixture in
            try await Self.fill(fixture)
            let before = try await Self.counts(fixture)
            #expect(before.allSatisfy { $0 > 0 } && before.last == 2, "\(before)")
            // Nothing is over by the time, and everything by a clock that is years ahead.
            fixture.clock.error = wrong.error
            try await fixture.authority.prune()
            #expect(try await Self.counts(fixture) == before)
            // Everything is over, but a clock that is wrong says nothing.
            fixture.clock.now += 40 * 86_400
            try await fixture.authority.prune()
            #expect(try await Self.counts(fixture) == before)
            fixture.clock.error = 0
            try await fixture.authority.prune()
            #expect(try await Self.counts(fixture) == [0, 0, 0, 0, 0, 1])
        }
    }

    @Test("OP-3 OPS-10 under a wrong clock users sign in, refresh and sign out as usual", arguments: WrongClock.all)
    func signingIn(_ wrong: WrongClock) async throws {
        try await AuthorityFixture.with(wrong.dialect) { fixture in
            try await fixture.person()
            fixture.clock.error = wrong.error
            try await fixture.authority.prune()
            let grant = try await fixture.signIn()
            let next = try await fixture.authority.refresh(grant.refreshToken)
            try await fixture.authority.signOut(try await fixture.caller(next), scope: .local)
            #expect(await refusal { _ = try await fixture.caller(next) } != nil)
        }
    }

    @Test(
        "OP-3 OPS-10 a session refreshed under a slow clock is not cleared once the clock is right again",
        arguments: SQLDialect.allCases)
    func refreshedBehind(_ dialect: SQLDialect) async throws {
        let idle: @Sendable (inout AuthoritySettings) -> Void = { $0.lifetime.inactivity = .seconds(7 * 86_400) }
        try await AuthorityFixture.with(dialect, idle) { fixture in
            let first = try await fixture.person()
            let times = "SELECT refreshed_at, last_seen_at FROM \(fixture.table("sessions"))"
            let before = try await fixture.run(times).rows.map { $0.map(\.date) }
            let years: TimeInterval = -11 * 365 * 86_400
            fixture.clock.error = years
            if dialect == .postgresql { fixture.clock.databaseError = years }
            try await fixture.authority.prune()
            let second = try await fixture.authority.refresh(first.refreshToken)
            #expect(try await fixture.run(times).rows.map { $0.map(\.date) } == before)
            (fixture.clock.error, fixture.clock.databaseError) = (0, 0)
            fixture.clock.now += 86_400
            try await fixture.authority.prune()
            #expect(try await fixture.count("sessions") == 1)
            _ = try await fixture.authority.refresh(second.refreshToken)
            let after = try await fixture.run(times).rows.first?.map(\.date)
            #expect(after == [fixture.clock.now, fixture.clock.now], "a trusted time is stored as it is")
        }
    }

    @Test("OP-3 PostgreSQL's clock decides about expiry, not the server's, where they differ by less than a minute")
    func databaseDecides() async throws {
        try await AuthorityFixture.with(.postgresql, Self.lives) { fixture in
            try await Self.fill(fixture)
            let start = fixture.clock.now
            let cases: [(TimeInterval, TimeInterval, Bool)] = [(50, 590, true), (-50, 610, false)]
            for (error, passed, isThere) in cases {
                fixture.clock.error = error
                fixture.clock.now = start + passed
                try await fixture.authority.prune()
                #expect((try await fixture.count("one_time_codes") > 0) == isThere, "\(passed) s, \(error) s ahead")
            }
        }
    }

    @Test("OP-3 a server writes PostgreSQL's time, so a wrong clock makes no other server clear data early")
    func writtenByTheDatabase() async throws {
        try await AuthorityFixture.with(.postgresql) { fixture in
            fixture.clock.error = -3 * 86_400
            let grant = try await fixture.person()
            try await fixture.authority.signOut(try await fixture.caller(grant), scope: .local)
            let revoked = try await fixture.run("SELECT revoked_at FROM \(fixture.table("revocations"))").scalar?.date
            #expect(revoked == fixture.clock.now)
            fixture.clock.error = 0
            try await fixture.authority.prune()
            #expect(try await fixture.count("revocations") > 0)
        }
    }

    @Test("OP-3 the log reports the clock error at once and every hour, and stops once the clocks agree", arguments: SQLDialect.allCases)
    func logged(_ dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            fixture.clock.error = 11 * 365 * 86_400
            for minute in 0..<150 {
                try await fixture.authority.prune()
                let lines = fixture.fixture.clockLines
                #expect(lines.count == 1 + minute / 60, "after \(minute) minutes: \(lines)")
                fixture.clock.now += 60
            }
            let line = try #require(fixture.fixture.clockLines.first)
            #expect(line.hasPrefix("error ") && line.contains("11 years ahead") && line.contains("NTP"), "\(line)")
            fixture.clock.error = 0
            for _ in 0..<3 {
                try await fixture.authority.prune()
                fixture.clock.now += 3_600
            }
            #expect(fixture.fixture.clockLines.count == 3)
            if dialect == .postgresql {
                fixture.clock.error = -120
                _ = try await fixture.again()
                #expect(fixture.fixture.clockLines.last?.contains("2 minutes behind the database's") == true, "at the start")
            }
        }
    }
}
