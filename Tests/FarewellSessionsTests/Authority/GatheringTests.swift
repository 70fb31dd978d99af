// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("What is asked at the same time", .timeLimit(.minutes(5)))
struct GatheringTests {
    typealias House = AuthorityHouse

    @Test(
        "SE-6 Item 18: renewed together, each session has its own successor; whoever is refused takes nobody along",
        arguments: SQLDialect.allCases)
    func together(dialect: SQLDialect) async throws {
        try await House.with(dialect) { house in
            let sessions = try await grants(40, house)
            let ended = try await house.signIn()
            try await house.authority.signOut(ticket: ended.signOutTicket)
            let renewed = try await withThrowingTaskGroup(of: SessionGrant.self) { group in
                for session in sessions { group.addTask { try await house.authority.refresh(session.refreshToken) } }
                let refused = await refusal { _ = try await house.authority.refresh(ended.refreshToken) }
                #expect(refused == "refresh_token_not_found")
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(renewed.allSatisfy { $0.refreshCounter == 1 && !$0.isRepeated })
            #expect(Set(renewed.map(\.sessionID)) == Set(sessions.map(\.sessionID)))
            #expect(Set(renewed.map(\.refreshToken)).count == 40)
            for grant in renewed.prefix(5) { #expect(try await house.caller(grant).session?.id == grant.sessionID) }
            guard dialect == .postgresql else { return }
            let transactions = try await house.run(
                "SELECT count(DISTINCT xmin::text) FROM \(house.table("sessions")) WHERE refresh_token_counter = 1")
            #expect(try #require(transactions.scalar?.integer) < 40, "none went together")
        }
    }

    @Test(
        "sessions checked at the same time are each told whose they are, and an ended one is refused at once",
        arguments: SQLDialect.allCases)
    func lookedUpTogether(dialect: SQLDialect) async throws {
        try await House.with(dialect) { house in
            let sessions = try await grants(40, house)
            for round in 0..<3 {
                let ended = sessions[round]
                try await house.authority.signOut(ticket: ended.signOutTicket)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (place, session) in sessions.enumerated() {
                        group.addTask {
                            guard place > round else {
                                let refused = await refusal { _ = try await house.caller(session) }
                                #expect(refused == "session_not_found")
                                return
                            }
                            let found = try await house.caller(session).session?.id
                            #expect(found == session.sessionID)
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test("looked up together, each account is found by its key, also by a statement that was planned early")
    func lookUpsPlannedEarly() async throws {
        try await House.with(.postgresql) { house in
            let grants = try await grants(3, house)
            let wanted = grants.map { SessionLookUp(user: $0.user.id, session: $0.sessionID) }
            let nobody = SessionLookUp(user: UUID(), session: nil)
            let store = house.authority.store
            let statements = store.lookUp([nobody] + wanted)
            let found = try await house.house.database.withConnection { try await $0.pipeline(statements) }
            let accounts = try store.found(in: found, among: 4).map { try $0.account() }
            let sessions = accounts.map { $0?.session?.session.id }
            #expect(sessions == [nil] + grants.map(\.sessionID))
            let asked = try #require(statements.last)
            let explained = SQLStatement("EXPLAIN (COSTS off) " + asked.text, asked.parameters)
            let plan = try await house.house.database.withConnection { connection in
                try await connection.pipeline(statements.dropLast() + [explained]).last
            }
            let lines = (plan?.rows ?? []).compactMap { $0.first?.text }
            #expect(lines.contains { $0.contains("Index Scan using sessions_pkey") }, "\(lines)")
            let isRead = lines.contains { $0.contains("Seq Scan on sessions") || $0.contains("Seq Scan on users") }
            #expect(!isRead, "\(lines)")
        }
    }

    @Test("Whoever's row is locked waits alone: the others are renewed meanwhile, and they in the end")
    func lockedRow() async throws {
        try await House.with(.postgresql) { house in
            let sessions = try await grants(20, house)
            let held = sessions[7]
            try await house.house.database.withConnection { connection in
                try await connection.run("BEGIN")
                let row = "SELECT 1 FROM \(house.table("sessions")) WHERE id = $1 FOR UPDATE"
                try await connection.run(SQLStatement(row, [.uuid(held.sessionID)]))
                async let late = house.authority.refresh(held.refreshToken)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for session in sessions where session.sessionID != held.sessionID {
                        group.addTask { _ = try await house.authority.refresh(session.refreshToken) }
                    }
                    try await group.waitForAll()
                }
                try await connection.run("COMMIT")
                #expect(try await late.refreshCounter == 1)
            }
        }
    }

    @Test("Whoever is cancelled while waiting for a locked row has an answer at once, and the token is not lost")
    func cancelled() async throws {
        try await House.with(.postgresql) { house in
            let session = try await house.person()
            try await house.house.database.withConnection { connection in
                try await connection.run("BEGIN")
                let row = "SELECT 1 FROM \(house.table("sessions")) WHERE id = $1 FOR UPDATE"
                try await connection.run(SQLStatement(row, [.uuid(session.sessionID)]))
                let asking = Task { try await house.authority.refresh(session.refreshToken, nonce: "nonce-no-1") }
                asking.cancel()
                await #expect(throws: (any Error).self) { try await asking.value }
                try await connection.run("COMMIT")
            }
            let renewed = try await house.authority.refresh(session.refreshToken, nonce: "nonce-no-1")
            #expect(renewed.refreshCounter == 1)
        }
    }

    @Test("what is planned while there are few sessions looks each up by its key, for as long as it is kept")
    func plannedEarly() async throws {
        try await House.with(.postgresql) { house in
            let grants = try await grants(3, house)
            let (store, keys) = (house.authority.store, house.authority.keys)
            let renewals = try grants.map { grant in
                let token = try RefreshToken(grant.refreshToken, keys)
                return SessionRenewal(
                    token: token, successor: token.successor(keys), nonce: nil, device: SessionDevice(), now: house.house.clock.now,
                    idleSince: nil, isCertain: true)
            }
            let statements = store.renewal(of: renewals)
            let renewal = try #require(statements.last)
            let plan = try await house.house.database.withConnection { connection in
                let begin = [SQLStatement("BEGIN")] + statements.dropLast()
                let asked = SQLStatement("EXPLAIN (COSTS off) " + renewal.text, renewal.parameters)
                return try await connection.pipeline(begin + [asked, SQLStatement("ROLLBACK")]).dropLast().last
            }
            let lines = (plan?.rows ?? []).compactMap { $0.first?.text }
            #expect(lines.contains { $0.contains("Index Scan using sessions_pkey") }, "\(lines)")
            #expect(!lines.contains { $0.contains("Seq Scan on sessions") || $0.contains("Seq Scan on users") }, "\(lines)")
        }
    }

    private func grants(_ count: Int, _ house: House) async throws -> [SessionGrant] {
        var grants = [try await house.person()]
        while grants.count < count { grants.append(try await house.signIn()) }
        return grants
    }
}
