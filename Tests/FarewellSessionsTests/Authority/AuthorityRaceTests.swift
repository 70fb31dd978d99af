// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Simultaneous calls")
struct AuthorityRaceTests {
    /// The ways to end a user's sessions during a sign-in.
    enum Ending: String, CaseIterable, Sendable {
        case ban, password, softDeletion, hardDeletion

        func happen(to user: UUID, on authority: SessionAuthority) async throws {
            switch self {
            case .ban:
                _ = try await authority.updateUser(user, AdministratorTests.change { $0.banDuration = "24h" })
            case .password:
                _ = try await authority.updateUser(
                    user, AdministratorTests.change { $0.password = "set by an operator" })
            case .softDeletion: try await authority.deleteUser(user, .soft)
            case .hardDeletion: try await authority.deleteUser(user, .hard)
            }
        }
    }

    @Test(
        "Item 22: a sign-in or refresh while a user's sessions are ended comes before the end or fails",
        arguments: SQLDialect.allCases, Ending.allCases)
    func signingIn(dialect: SQLDialect, ending: Ending) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let other = try await fixture.again()
            for round in 0..<6 {
                let name = "anna\(round)"
                let first = try await fixture.person(name)
                let grants = try await withThrowingTaskGroup(of: SessionGrant?.self) { group in
                    for number in 0..<6 {
                        group.addTask {
                            let authority = number.isMultiple(of: 2) ? fixture.authority : other
                            return try? await authority.signIn(email: "\(name)@example.org", password: AuthorityFixture.password)
                        }
                    }
                    group.addTask { try? await other.refresh(first.refreshToken, nonce: "nonce-no-1") }
                    group.addTask {
                        try await ending.happen(to: first.user.id, on: fixture.authority)
                        return nil
                    }
                    return try await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
                }
                for grant in grants + [first] {
                    #expect(await refusal { _ = try await other.authenticate(grant.accessToken) } != nil)
                    #expect(await refusal { _ = try await fixture.authority.refresh(grant.refreshToken) } != nil)
                }
                #expect(try await fixture.count("sessions") == 0)
                let published = Set(try await other.revocations(limit: 10_000).compactMap(\.sessionID))
                #expect(published.isSuperset(of: (grants + [first]).map(\.sessionID)))
            }
        }
    }

    @Test("SE-6 Item 18: two servers give one successor for one token", arguments: SQLDialect.allCases)
    func servers(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let database = try RevocationTests.other(fixture)
            let other = try await fixture.again(on: database)
            var token = try await fixture.person().refreshToken
            for round in 1...5 {
                let shown = token
                let successors = try await withThrowingTaskGroup(of: SessionGrant.self) { group in
                    for number in 0..<16 {
                        let authority = number.isMultiple(of: 2) ? fixture.authority : other
                        group.addTask { try await authority.refresh(shown, nonce: "nonce-no-\(round)") }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(Set(successors.map(\.refreshToken)).count == 1)
                #expect(successors.allSatisfy { $0.refreshCounter == Int64(round) })
                token = try #require(successors.first).refreshToken
            }
            await database.close()
        }
    }

    @Test("servers whose clocks differ by a minute agree about tokens and sessions", arguments: SQLDialect.allCases)
    func clocks(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let grant = try await fixture.person()
            fixture.clock.now -= 59
            _ = try await fixture.caller(grant)
            let again = try await fixture.authority.refresh(grant.refreshToken, nonce: "nonce-no-1")
            fixture.clock.now += 59
            _ = try await fixture.caller(again)
            #expect(try await fixture.authority.refresh(grant.refreshToken, nonce: "nonce-no-1").isRepeated)
            fixture.clock.now -= 120
            #expect(await refusal { _ = try await fixture.caller(grant) } == "bad_jwt", "two minutes are too many")
        }
    }

    @Test("eight simultaneous sign-ups of one address make one user", arguments: SQLDialect.allCases)
    func signUps(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let codes = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<8 { group.addTask { await refusal { try await fixture.person() } } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes.count { $0 == nil } == 1 && Set(codes.compactMap(\.self)) == ["user_already_exists"])
            let people = try await fixture.count("users")
            #expect(people == 1)
        }
    }
}
