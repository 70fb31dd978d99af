// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("People's sessions under a wrong clock", .serialized)
struct AuthorityClockTests {
    private static let tables = [
        "sessions", "revocations", "password_attempts", "one_time_codes", "outgoing_mail", "signing_keys",
    ]

    /// One of each thing that is cleared away in its time.
    private static func fill(_ house: AuthorityHouse) async throws {
        try await house.person()
        try await house.authority.signOut(try await house.caller(try await house.signIn()), scope: .local)
        #expect(await refusal { _ = try await house.authority.signIn(email: "anna@example.org", password: "wrong") } != nil)
        try await house.authority.sendCode(.recovery, to: "anna@example.org")
        #expect(try await house.delivered().count == 1)
        try await house.authority.sendCode(.recovery, to: "nobody@example.org")
        try await house.authority.rotateSigningKey()
    }

    private static func counts(_ house: AuthorityHouse) async throws -> [Int64] {
        var counts: [Int64] = []
        for table in tables { counts.append(try await house.count(table)) }
        return counts
    }

    private static let lives: @Sendable (inout AuthoritySettings) -> Void = { $0.lifetime.absolute = .seconds(30 * 86_400) }

    @Test(
        "OP-3 OPS-10 a server whose clock is wrong clears away no session, revocation, attempt, code, mail or key",
        arguments: WrongClock.all)
    func pruning(_ wrong: WrongClock) async throws {
        try await AuthorityHouse.with(wrong.dialect, Self.lives) { house in
            try await Self.fill(house)
            let before = try await Self.counts(house)
            #expect(before.allSatisfy { $0 > 0 } && before.last == 2, "\(before)")
            // Nothing is over by the time, and everything by a clock that is years ahead.
            house.clock.error = wrong.error
            try await house.authority.prune()
            #expect(try await Self.counts(house) == before)
            // Everything is over, but a clock that is wrong says nothing.
            house.clock.now += 40 * 86_400
            try await house.authority.prune()
            #expect(try await Self.counts(house) == before)
            house.clock.error = 0
            try await house.authority.prune()
            #expect(try await Self.counts(house) == [0, 0, 0, 0, 0, 1])
        }
    }

    @Test("OP-3 OPS-10 under a wrong clock people sign in, refresh and sign out as ever", arguments: WrongClock.all)
    func signingIn(_ wrong: WrongClock) async throws {
        try await AuthorityHouse.with(wrong.dialect) { house in
            try await house.person()
            house.clock.error = wrong.error
            try await house.authority.prune()
            let grant = try await house.signIn()
            let next = try await house.authority.refresh(grant.refreshToken)
            try await house.authority.signOut(try await house.caller(next), scope: .local)
            #expect(await refusal { _ = try await house.caller(next) } != nil)
        }
    }

    @Test(
        "OP-3 OPS-10 a session refreshed under a clock that is behind is not cleared away when the clock is right again",
        arguments: SQLDialect.allCases)
    func refreshedBehind(_ dialect: SQLDialect) async throws {
        let idle: @Sendable (inout AuthoritySettings) -> Void = { $0.lifetime.inactivity = .seconds(7 * 86_400) }
        try await AuthorityHouse.with(dialect, idle) { house in
            let first = try await house.person()
            let times = "SELECT refreshed_at, last_seen_at FROM \(house.table("sessions"))"
            let before = try await house.run(times).rows.map { $0.map(\.date) }
            let years: TimeInterval = -11 * 365 * 86_400
            house.clock.error = years
            if dialect == .postgresql { house.clock.databaseError = years }
            try await house.authority.prune()
            let second = try await house.authority.refresh(first.refreshToken)
            #expect(try await house.run(times).rows.map { $0.map(\.date) } == before)
            (house.clock.error, house.clock.databaseError) = (0, 0)
            house.clock.now += 86_400
            try await house.authority.prune()
            #expect(try await house.count("sessions") == 1)
            _ = try await house.authority.refresh(second.refreshToken)
            let after = try await house.run(times).rows.first?.map(\.date)
            #expect(after == [house.clock.now, house.clock.now], "a trusted time is stored as it is")
        }
    }

    @Test("OP-3 PostgreSQL's clock decides what is over, and not the server's, where they differ by less than a minute")
    func databaseDecides() async throws {
        try await AuthorityHouse.with(.postgresql, Self.lives) { house in
            try await Self.fill(house)
            let start = house.clock.now
            let cases: [(TimeInterval, TimeInterval, Bool)] = [(50, 590, true), (-50, 610, false)]
            for (error, passed, isThere) in cases {
                house.clock.error = error
                house.clock.now = start + passed
                try await house.authority.prune()
                #expect((try await house.count("one_time_codes") > 0) == isThere, "\(passed) s, \(error) s ahead")
            }
        }
    }

    @Test("OP-3 a server writes PostgreSQL's time, so no other server clears away early what it wrote with a wrong clock")
    func writtenByTheDatabase() async throws {
        try await AuthorityHouse.with(.postgresql) { house in
            house.clock.error = -3 * 86_400
            let grant = try await house.person()
            try await house.authority.signOut(try await house.caller(grant), scope: .local)
            let revoked = try await house.run("SELECT revoked_at FROM \(house.table("revocations"))").scalar?.date
            #expect(revoked == house.clock.now)
            house.clock.error = 0
            try await house.authority.prune()
            #expect(try await house.count("revocations") > 0)
        }
    }

    @Test("OP-3 the trouble is in the log at once and every hour, and no more once the clocks agree", arguments: SQLDialect.allCases)
    func logged(_ dialect: SQLDialect) async throws {
        try await AuthorityHouse.with(dialect) { house in
            house.clock.error = 11 * 365 * 86_400
            for minute in 0..<150 {
                try await house.authority.prune()
                let lines = house.house.clockLines
                #expect(lines.count == 1 + minute / 60, "after \(minute) minutes: \(lines)")
                house.clock.now += 60
            }
            let line = try #require(house.house.clockLines.first)
            #expect(line.hasPrefix("error ") && line.contains("11 years ahead") && line.contains("NTP"), "\(line)")
            house.clock.error = 0
            for _ in 0..<3 {
                try await house.authority.prune()
                house.clock.now += 3_600
            }
            #expect(house.house.clockLines.count == 3)
            if dialect == .postgresql {
                house.clock.error = -120
                _ = try await house.again()
                #expect(house.house.clockLines.last?.contains("2 minutes behind the database's") == true, "at the start")
            }
        }
    }
}
