// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Simultaneous requests", .timeLimit(.minutes(30)))
struct RequestCoalescerTests {
    @Test(
        "SE-6 Item 18: sessions renewed together each get their own successor; a refused one affects no other",
        arguments: SQLDialect.allCases)
    func together(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let sessions = try await grants(40, fixture)
            let ended = try await fixture.signIn()
            try await fixture.authority.signOut(ticket: ended.signOutTicket)
            let renewed = try await withThrowingTaskGroup(of: SessionGrant.self) { group in
                for session in sessions { group.addTask { try await fixture.authority.refresh(session.refreshToken) } }
                let refused = await refusal { _ = try await fixture.authority.refresh(ended.refreshToken) }
                #expect(refused == "refresh_token_not_found")
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(renewed.allSatisfy { $0.refreshCounter == 1 && !$0.isRepeated })
            #expect(Set(renewed.map(\.sessionID)) == Set(sessions.map(\.sessionID)))
            #expect(Set(renewed.map(\.refreshToken)).count == 40)
            for grant in renewed.prefix(5) { #expect(try await fixture.caller(grant).session?.id == grant.sessionID) }
            guard dialect == .postgresql else { return }
            let transactions = try await fixture.run(
                "SELECT count(DISTINCT xmin::text) FROM \(fixture.table("sessions")) WHERE refresh_token_counter = 1")
            #expect(try #require(transactions.scalar?.integer) < 40, "none went together")
        }
    }

    @Test(
        "simultaneous session checks each return their own user, and an ended session is refused at once",
        arguments: SQLDialect.allCases)
    func lookedUpTogether(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let sessions = try await grants(40, fixture)
            let user = sessions[0].user.id
            #expect(try await fixture.authority.existingUsers([UUID(), user, UUID(), user]) == [user, user])
            for round in 0..<3 {
                let ended = sessions[round]
                try await fixture.authority.signOut(ticket: ended.signOutTicket)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (place, session) in sessions.enumerated() {
                        group.addTask {
                            guard place > round else {
                                let refused = await refusal { _ = try await fixture.caller(session) }
                                #expect(refused == "session_not_found")
                                return
                            }
                            let found = try await fixture.caller(session).session?.id
                            #expect(found == session.sessionID)
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test(
        "SO-5 sessions of users who are erased together end as they would alone; a repeated end adds no entry",
        arguments: SQLDialect.allCases)
    func closedTogether(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let (anna, again) = (try await fixture.person(), try await fixture.signIn())
            let (berta, carla) = (try await fixture.person("berta"), try await fixture.person("carla"))
            for _ in 1...2 { try await fixture.authority.close([anna, berta].map(\.user.id.text)) }
            let feed = "SELECT count(*) FROM \(fixture.table("revocations")) WHERE reason = 'user-deleted'"
            let sessions = try await fixture.run("\(feed) AND session_id IS NOT NULL")
            let users = try await fixture.run("\(feed) AND session_id IS NULL")
            #expect(sessions.scalar?.integer == 3 && users.scalar?.integer == 2)
            for grant in [anna, again, berta] {
                #expect(await refusal { _ = try await fixture.caller(grant) } == "session_not_found")
            }
            #expect(try await fixture.caller(carla).session?.id == carla.sessionID)
        }
    }

    @Test("users' sessions end together without a whole table being read, even by a statement planned early")
    func closedByKey() async throws {
        try await AuthorityFixture.with(.postgresql) { fixture in
            let users = [try await fixture.person().user.id, UUID()]
            let store = fixture.authority.context.store
            let statements = store.sessions.endAll(of: users, reason: .deleted, now: fixture.fixture.clock.now)
            for changing in statements.dropFirst() {
                let explained = SQLStatement("EXPLAIN (COSTS off) " + changing.text, changing.parameters)
                let plan = try await fixture.fixture.database.withConnection { connection in
                    try await connection.pipeline([SQLStatement("BEGIN"), statements[0], explained, SQLStatement("ROLLBACK")])
                }
                let lines = plan[2].rows.compactMap { $0.first?.text }
                #expect(lines.contains { $0.contains("user_id = ANY") || $0.contains("(subject = p.id)") }, "\(lines)")
                #expect(!lines.contains { $0.contains("Seq Scan") }, "\(lines)")
            }
        }
    }

    @Test("in a joint look-up each account is found by its key, even by a statement planned early")
    func lookUpsPlannedEarly() async throws {
        try await AuthorityFixture.with(.postgresql) { fixture in
            let grants = try await grants(3, fixture)
            let wanted = grants.map { SessionLookUp(user: $0.user.id, session: $0.sessionID) }
            let unknownUser = SessionLookUp(user: UUID(), session: nil)
            let store = fixture.authority.context.store
            let statements = store.accounts.lookUp([unknownUser] + wanted)
            let found = try await fixture.fixture.database.withConnection { try await $0.pipeline(statements) }
            let accounts = try store.accounts.found(in: found, among: 4).map { try $0.account() }
            let sessions = accounts.map { $0?.session?.session.id }
            #expect(sessions == [nil] + grants.map(\.sessionID))
            let asked = try #require(statements.last)
            let explained = SQLStatement("EXPLAIN (COSTS off) " + asked.text, asked.parameters)
            let plan = try await fixture.fixture.database.withConnection { connection in
                try await connection.pipeline(statements.dropLast() + [explained]).last
            }
            let lines = (plan?.rows ?? []).compactMap { $0.first?.text }
            #expect(lines.contains { $0.contains("Index Scan using sessions_pkey") }, "\(lines)")
            let isRead = lines.contains { $0.contains("Seq Scan on sessions") || $0.contains("Seq Scan on users") }
            #expect(!isRead, "\(lines)")
        }
    }

    @Test("A session with a locked row waits alone: the others are renewed meanwhile, and it follows at the end")
    func lockedRow() async throws {
        try await AuthorityFixture.with(.postgresql) { fixture in
            let sessions = try await grants(20, fixture)
            let held = sessions[7]
            try await fixture.fixture.database.withConnection { connection in
                try await connection.run("BEGIN")
                let row = "SELECT 1 FROM \(fixture.table("sessions")) WHERE id = $1 FOR UPDATE"
                try await connection.run(SQLStatement(row, [.uuid(held.sessionID)]))
                async let late = fixture.authority.refresh(held.refreshToken)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for session in sessions where session.sessionID != held.sessionID {
                        group.addTask { _ = try await fixture.authority.refresh(session.refreshToken) }
                    }
                    try await group.waitForAll()
                }
                try await connection.run("COMMIT")
                #expect(try await late.refreshCounter == 1)
            }
        }
    }

    @Test("A caller cancelled while waiting for a locked row gets an answer at once, and the token is not lost")
    func cancelled() async throws {
        try await AuthorityFixture.with(.postgresql) { fixture in
            let session = try await fixture.person()
            try await fixture.fixture.database.withConnection { connection in
                try await connection.run("BEGIN")
                let row = "SELECT 1 FROM \(fixture.table("sessions")) WHERE id = $1 FOR UPDATE"
                try await connection.run(SQLStatement(row, [.uuid(session.sessionID)]))
                let asking = Task { try await fixture.authority.refresh(session.refreshToken, nonce: "nonce-no-1") }
                asking.cancel()
                await #expect(throws: (any Error).self) { try await asking.value }
                try await connection.run("COMMIT")
            }
            let renewed = try await fixture.authority.refresh(session.refreshToken, nonce: "nonce-no-1")
            #expect(renewed.refreshCounter == 1)
        }
    }

    @Test("a statement planned while there are few sessions finds each one by its key, as long as it stays prepared")
    func plannedEarly() async throws {
        try await AuthorityFixture.with(.postgresql) { fixture in
            let grants = try await grants(3, fixture)
            let (store, keys) = (fixture.authority.context.store, fixture.authority.context.keys)
            let renewals = try grants.map { grant in
                let token = try RefreshToken(grant.refreshToken, keys)
                return SessionRenewal(
                    token: token, successor: token.successor(keys), nonce: nil, device: SessionDevice(), now: fixture.fixture.clock.now,
                    idleSince: nil, isCertain: true)
            }
            let statements = store.refreshTokens.renewal(of: renewals)
            let renewal = try #require(statements.last)
            let plan = try await fixture.fixture.database.withConnection { connection in
                let begin = [SQLStatement("BEGIN")] + statements.dropLast()
                let asked = SQLStatement("EXPLAIN (COSTS off) " + renewal.text, renewal.parameters)
                return try await connection.pipeline(begin + [asked, SQLStatement("ROLLBACK")]).dropLast().last
            }
            let lines = (plan?.rows ?? []).compactMap { $0.first?.text }
            #expect(lines.contains { $0.contains("Index Scan using sessions_pkey") }, "\(lines)")
            #expect(!lines.contains { $0.contains("Seq Scan on sessions") || $0.contains("Seq Scan on users") }, "\(lines)")
        }
    }

    private func grants(_ count: Int, _ fixture: AuthorityFixture) async throws -> [SessionGrant] {
        var grants = [try await fixture.person()]
        while grants.count < count { grants.append(try await fixture.signIn()) }
        return grants
    }
}
