// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import FarewellKeys
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("The revocation feed")
struct RevocationTests {
    /// A second connection pool to the same database: another process's view of it.
    static func other(_ fixture: AuthorityFixture) throws -> any SQLDatabase {
        try openDatabase(fixture.fixture.address, sqlite: SQLiteConfiguration(busyTimeout: .seconds(60)))
    }

    @Test("Item 19: cursors only grow, page by page, and survive a restart and the clearing", arguments: SQLDialect.allCases)
    func cursors(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            try await fixture.person()
            for _ in 0..<5 { try await fixture.authority.signOut(ticket: try await fixture.signIn().signOutTicket) }
            let all = try await fixture.authority.revocations()
            #expect(all.count == 5 && all.map(\.cursor) == all.map(\.cursor).sorted() && Set(all.map(\.cursor)).count == 5)
            let second = try await fixture.authority.revocations(after: all[1].cursor, limit: 2)
            #expect(second == Array(all[2...3]))
            let newest = try #require(all.last?.cursor)
            #expect(try await fixture.authority.newestRevocation() == newest)
            fixture.clock.now += 90_001
            try await fixture.authority.prune()
            #expect(try await fixture.authority.revocations().isEmpty)
            let restarted = try await fixture.again()
            try await restarted.signOut(ticket: try await fixture.signIn().signOutTicket)
            let later = try await restarted.revocations(after: newest)
            #expect(later.count == 1 && later[0].cursor > newest)
            for cursor in [0, 1, newest, later[0].cursor] { #expect(try await restarted.mayHaveGiven(cursor)) }
            #expect(try await !restarted.mayHaveGiven(later[0].cursor + 1), "of a time that a backup does not know")
            let (mark, number) = (fixture.authority.mark(of: later[0]), later[0].cursor)
            #expect(mark.hasPrefix("\(number).") && mark == restarted.mark(of: later[0]), "the same on every server")
            #expect(try await restarted.resumption(after: number, mark: mark) == number)
            #expect(try await restarted.resumption(after: number, mark: nil) == number, "as it was kept before")
            #expect(try await restarted.resumption(after: number + 1, mark: nil) == nil)
            let table = fixture.table("revocations")
            _ = try await fixture.run("UPDATE \(table) SET session_id = $1", .uuid(UUID()))
            #expect(try await restarted.resumption(after: number, mark: mark) == nil, "a restored feed has come as far again")
            // Nothing is left to tell by, and what ended later may have got a cursor before it.
            _ = try await fixture.run("UPDATE \(table) SET feed_cursor = $1", .integer(newest - 1))
            for gone in [fixture.authority.mark(of: all[4]), nil] {
                let start = try #require(try await restarted.resumption(after: newest, mark: gone))
                #expect(try await restarted.revocations(after: start).map(\.cursor) == [newest - 1])
            }
        }
    }

    @Test("an entry that commits late is not skipped, since cursors are given to committed entries")
    func lateCommit() async throws {
        try await AuthorityFixture.with(.postgresql) { fixture in
            try await fixture.person()
            let (slow, quick) = (try await fixture.signIn(), try await fixture.signIn())
            let store = fixture.authority.context.store
            var after: Int64 = 0
            try await fixture.fixture.database.withConnection { connection in
                try await connection.run("BEGIN")
                _ = try await connection.pipeline(store.sessions.end(.one(slow.sessionID), reason: .signedOut, now: fixture.clock.now))
                try await fixture.authority.signOut(ticket: quick.signOutTicket)
                let seen = try await fixture.authority.revocations()
                #expect(seen.map(\.sessionID) == [quick.sessionID])
                after = seen.last?.cursor ?? 0
                try await connection.run("COMMIT")
            }
            #expect(try await fixture.authority.revocations(after: after).map(\.sessionID) == [slow.sessionID])
        }
    }

    @Test("SE-9 followers of this server and of another learn of an ended session", arguments: SQLDialect.allCases)
    func followers(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let database = try Self.other(fixture)
            let other = try await fixture.again(on: database)
            let grants = [try await fixture.person(), try await fixture.signIn(), try await fixture.signIn()]
            try await fixture.authority.signOut(ticket: grants[0].signOutTicket)
            try await withThrowingTaskGroup(of: [UUID?].self) { group in
                for authority in [fixture.authority, other] {
                    group.addTask {
                        await authority.run()
                        return []
                    }
                    group.addTask {
                        var heard: [UUID?] = []
                        for try await entry in authority.revocationFeed() {
                            heard.append(entry.sessionID)
                            if heard.count == 3 { break }
                        }
                        return heard
                    }
                }
                // Earlier entries, those of another server, and those of their own.
                try await eventually {
                    [fixture.authority, other].allSatisfy { $0.parts.revocations.signal.waiters > 0 }
                }
                try await fixture.authority.signOut(ticket: grants[1].signOutTicket)
                try await other.signOut(ticket: grants[2].signOutTicket)
                for _ in 0..<2 {
                    let heard = try await group.next()
                    #expect(Set(heard ?? []) == Set(grants.map(\.sessionID)) && heard?.first == grants[0].sessionID)
                }
                group.cancelAll()
            }
            #expect(fixture.authority.parts.revocations.signal.waiters == 0, "who has gone is forgotten")
            await database.close()
        }
    }

    @Test("a database that fails temporarily does not end the feed", arguments: SQLDialect.allCases)
    func failing(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let grant = try await fixture.person()
            let (aside, back) =
                dialect == .postgresql
                ? ("ALTER TABLE auth.revocations RENAME TO aside", "ALTER TABLE auth.aside RENAME TO revocations")
                : ("ALTER TABLE auth_revocations RENAME TO aside", "ALTER TABLE aside RENAME TO auth_revocations")
            let wakes = fixture.authority.parts.revocations.signal.wakes
            _ = try await fixture.run(aside)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await fixture.authority.run() }
                try await eventually { fixture.fixture.log.lines.contains(where: { $0.contains("Reading the revocation feed failed") }) }
                _ = try await fixture.run(back)
                try await fixture.authority.signOut(ticket: grant.signOutTicket)
                for await _ in wakes where try await fixture.authority.newestRevocation() > 0 { break }
                #expect(try await fixture.authority.revocations().map(\.sessionID) == [grant.sessionID])
                group.cancelAll()
            }
        }
    }
}
