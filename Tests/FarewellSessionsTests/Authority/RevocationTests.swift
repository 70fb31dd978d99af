// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("The revocation feed")
struct RevocationTests {
    typealias House = AuthorityHouse

    /// A second connection pool to the same database: another process's view of it.
    static func other(_ house: House) throws -> any SQLDatabase {
        try openDatabase(house.house.address, sqlite: SQLiteConfiguration(busyTimeout: .seconds(60)))
    }

    @Test("Item 19: cursors only grow, page by page, and survive a restart and clearing away", arguments: SQLDialect.allCases)
    func cursors(dialect: SQLDialect) async throws {
        try await House.with(dialect) { house in
            try await house.person()
            for _ in 0..<5 { try await house.authority.signOut(ticket: try await house.signIn().signOutTicket) }
            let all = try await house.authority.revocations()
            #expect(all.count == 5 && all.map(\.cursor) == all.map(\.cursor).sorted() && Set(all.map(\.cursor)).count == 5)
            let second = try await house.authority.revocations(after: all[1].cursor, limit: 2)
            #expect(second == Array(all[2...3]))
            let newest = try #require(all.last?.cursor)
            #expect(try await house.authority.newestRevocation() == newest)
            house.clock.now += 90_001
            try await house.authority.prune()
            #expect(try await house.authority.revocations().isEmpty)
            let restarted = try await house.again()
            try await restarted.signOut(ticket: try await house.signIn().signOutTicket)
            let later = try await restarted.revocations(after: newest)
            #expect(later.count == 1 && later[0].cursor > newest)
            for cursor in [0, 1, newest, later[0].cursor] { #expect(try await restarted.mayHaveGiven(cursor)) }
            #expect(try await !restarted.mayHaveGiven(later[0].cursor + 1), "of a time that a backup does not know")
            let (mark, number) = (house.authority.mark(of: later[0]), later[0].cursor)
            #expect(mark.hasPrefix("\(number).") && mark == restarted.mark(of: later[0]), "the same on every server")
            #expect(try await restarted.resumption(after: number, mark: mark) == number)
            #expect(try await restarted.resumption(after: number, mark: nil) == number, "as it was kept before")
            #expect(try await restarted.resumption(after: number + 1, mark: nil) == nil)
            let table = house.table("revocations")
            _ = try await house.run("UPDATE \(table) SET session_id = $1", .uuid(UUID()))
            #expect(try await restarted.resumption(after: number, mark: mark) == nil, "a restored feed has come as far again")
            // Nothing is left to tell by, and what ended later may have got a cursor before it.
            _ = try await house.run("UPDATE \(table) SET feed_cursor = $1", .integer(newest - 1))
            for gone in [house.authority.mark(of: all[4]), nil] {
                let start = try #require(try await restarted.resumption(after: newest, mark: gone))
                #expect(try await restarted.revocations(after: start).map(\.cursor) == [newest - 1])
            }
        }
    }

    @Test("an entry that commits late is not passed over: cursors are given to what is committed")
    func lateCommit() async throws {
        try await House.with(.postgresql) { house in
            try await house.person()
            let (slow, quick) = (try await house.signIn(), try await house.signIn())
            let store = house.authority.store
            var after: Int64 = 0
            try await house.house.database.withConnection { connection in
                try await connection.run("BEGIN")
                _ = try await connection.pipeline(store.end(.one(slow.sessionID), reason: .signedOut, now: house.clock.now))
                try await house.authority.signOut(ticket: quick.signOutTicket)
                let seen = try await house.authority.revocations()
                #expect(seen.map(\.sessionID) == [quick.sessionID])
                after = seen.last?.cursor ?? 0
                try await connection.run("COMMIT")
            }
            #expect(try await house.authority.revocations(after: after).map(\.sessionID) == [slow.sessionID])
        }
    }

    @Test("SE-9 followers of this server and of another one hear of an ended session", arguments: SQLDialect.allCases)
    func followers(dialect: SQLDialect) async throws {
        try await House.with(dialect) { house in
            let database = try Self.other(house)
            let other = try await house.again(on: database)
            let grants = [try await house.person(), try await house.signIn(), try await house.signIn()]
            try await house.authority.signOut(ticket: grants[0].signOutTicket)
            try await withThrowingTaskGroup(of: [UUID?].self) { group in
                for authority in [house.authority, other] {
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
                // What was before they came, what another server ends, and what their own does.
                try await eventually { house.authority.bell.followers > 0 && other.bell.followers > 0 }
                try await house.authority.signOut(ticket: grants[1].signOutTicket)
                try await other.signOut(ticket: grants[2].signOutTicket)
                for _ in 0..<2 {
                    let heard = try await group.next()
                    #expect(Set(heard ?? []) == Set(grants.map(\.sessionID)) && heard?.first == grants[0].sessionID)
                }
                group.cancelAll()
            }
            #expect(house.authority.bell.followers == 0, "who has gone is forgotten")
            await database.close()
        }
    }

    @Test("a database that fails for a while does not end the feed", arguments: SQLDialect.allCases)
    func failing(dialect: SQLDialect) async throws {
        try await House.with(dialect) { house in
            let grant = try await house.person()
            let (aside, back) =
                dialect == .postgresql
                ? ("ALTER TABLE auth.revocations RENAME TO aside", "ALTER TABLE auth.aside RENAME TO revocations")
                : ("ALTER TABLE auth_revocations RENAME TO aside", "ALTER TABLE aside RENAME TO auth_revocations")
            let rings = house.authority.bell.rings
            _ = try await house.run(aside)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await house.authority.run() }
                try await eventually { house.house.log.lines.contains(where: { $0.contains("reading the revocation feed failed") }) }
                _ = try await house.run(back)
                try await house.authority.signOut(ticket: grant.signOutTicket)
                for await _ in rings where try await house.authority.newestRevocation() > 0 { break }
                #expect(try await house.authority.revocations().map(\.sessionID) == [grant.sessionID])
                group.cancelAll()
            }
        }
    }
}
