// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("The administration of users")
struct AdministratorTests {
    static func change(_ edit: (inout AdministratorChange) -> Void) -> AdministratorChange {
        var change = AdministratorChange()
        edit(&change)
        return change
    }

    @Test("users are made, listed in pages, found and changed", arguments: SQLDialect.allCases)
    func journey(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let authority = fixture.authority
            for number in 0..<7 {
                fixture.clock.now += 1
                _ = try await authority.createUser(
                    Self.change {
                        ($0.email, $0.password) = ("p\(number)@example.org", AuthorityFixture.password)
                        $0.appMetadata = ["plan": "free"]
                    })
            }
            let page = try await authority.users(page: 2, perPage: 3)
            #expect(page.users.map(\.email) == ["p3@example.org", "p2@example.org", "p1@example.org"])
            #expect(page.total == 7 && page.lastPage == 3 && page.users.allSatisfy { $0.identities.count == 1 })
            #expect(try await authority.users(page: 9, perPage: 3).users.isEmpty)
            #expect(try await authority.users(filter: "P4@").users.map(\.email) == ["p4@example.org"])
            let oldest = try await authority.users(perPage: 2, filter: "example", order: .oldestFirst)
            #expect(oldest.users.map(\.email) == ["p0@example.org", "p1@example.org"] && oldest.total == 7)
            for wild in ["%", "p_@", "!"] { #expect(try await authority.users(filter: wild).total == 0) }
            let user = try #require(page.users.first)
            let changed = try await authority.updateUser(
                user.id,
                Self.change {
                    ($0.email, $0.confirmsEmail, $0.role, $0.phone) = ("New@example.org", true, "editor", "+49 170 1")
                    ($0.userMetadata, $0.appMetadata) = (["full_name": "Anna New"], ["plan": .null])
                })
            #expect(changed.email == "new@example.org" && changed.emailConfirmedAt != nil && changed.role == "editor")
            #expect(changed.phone == "491701" && changed.userMetadata == ["full_name": "Anna New"] && changed.appMetadata["plan"] == nil)
            #expect(changed.identities.map { $0.data["email"] } == ["new@example.org"])
            #expect(try await authority.user(user.id) == changed)
            #expect(try await authority.users(filter: "anna n").users.map(\.id) == [user.id])
        }
    }

    @Test("a user that cannot be made or changed gives an error with the contract's code", arguments: SQLDialect.allCases)
    func refusals(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let anna = try await fixture.person().user
            let phone = try await fixture.authority.createUser(Self.change { $0.phone = "123" })
            #expect(phone.email == nil && phone.phone == "123" && phone.identities.isEmpty)
            func create(_ edit: (inout AdministratorChange) -> Void) async -> String? {
                await refusal { _ = try await fixture.authority.createUser(Self.change(edit)) }
            }
            #expect(await create { _ in } == "validation_failed")
            #expect(await create { $0.email = "anna@example.org" } == "email_exists")
            #expect(await create { $0.phone = "1-2-3" } == "phone_exists")
            for nothing in ["x", "+", "---", "( )", "\u{BD}", "\u{661}\u{662}", "12\u{BD}", "1\u{301}"] {
                #expect(await create { $0.phone = nothing } == "validation_failed", "\(nothing)")
            }
            #expect(await create { $0.email = "nothing" } == "validation_failed")
            #expect(await create { ($0.email, $0.password) = ("b@example.org", "short") } == "weak_password")
            #expect(await create { ($0.email, $0.passwordHash) = ("b@example.org", "$1$md5$x") } == "validation_failed")
            #expect(await create { ($0.email, $0.banDuration) = ("b@example.org", "soon") } == "validation_failed")
            #expect(await create { ($0.email, $0.id) = ("b@example.org", anna.id) } == "user_already_exists")
            func update(_ id: UUID, _ edit: (inout AdministratorChange) -> Void) async -> String? {
                await refusal { _ = try await fixture.authority.updateUser(id, Self.change(edit)) }
            }
            #expect(await update(UUID()) { $0.role = "x" } == "user_not_found")
            #expect(await update(phone.id) { $0.email = "anna@example.org" } == "email_exists")
            #expect(await update(phone.id) { $0.phone = "+" } == "validation_failed")
            #expect(try await fixture.authority.user(phone.id).phone == "123")
            #expect(await refusal { _ = try await fixture.authority.user(UUID()) } == "user_not_found")
            #expect(await refusal { try await fixture.authority.deleteUser(UUID()) } == "user_not_found")
        }
    }

    @Test("Item 22: a ban ends every session at once, and is lifted", arguments: SQLDialect.allCases)
    func ban(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let (first, second) = (try await fixture.person(), try await fixture.signIn())
            let banned = try await fixture.authority.updateUser(first.user.id, Self.change { $0.banDuration = "24h" })
            #expect(banned.bannedUntil == fixture.clock.now + 86_400)
            for grant in [first, second] {
                #expect(await refusal { _ = try await fixture.authority.refresh(grant.refreshToken) } == "user_banned")
                #expect(await refusal { _ = try await fixture.caller(grant) } != nil)
            }
            #expect(await refusal { _ = try await fixture.signIn() } == "user_banned")
            let published = try await fixture.authority.revocations()
            #expect(Set(published.compactMap(\.sessionID)) == [first.sessionID, second.sessionID])
            #expect(published.allSatisfy { $0.reason == .banned })
            _ = try await fixture.authority.updateUser(first.user.id, Self.change { $0.banDuration = "none" })
            _ = try await fixture.caller(try await fixture.signIn())
            #expect(await refusal { _ = try await fixture.caller(first) } == "session_not_found", "what ended stays ended")
        }
    }

    @Test("an administrator's new password ends every session", arguments: SQLDialect.allCases)
    func password(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let grant = try await fixture.person()
            _ = try await fixture.authority.updateUser(grant.user.id, Self.change { $0.password = "set by an operator" })
            #expect(await refusal { _ = try await fixture.caller(grant) } == "session_not_found")
            _ = try await fixture.authority.signIn(email: "anna@example.org", password: "set by an operator")
        }
    }

    @Test(
        "Item 22: a deletion ends and publishes everything; a hard one leaves nothing, a soft one nothing readable",
        arguments: SQLDialect.allCases, UserDeletion.allCases)
    func deletion(dialect: SQLDialect, deletion: UserDeletion) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let neighbour = try await fixture.person("berta")
            let grant = try await fixture.person()
            _ = try await fixture.authority.update(try await fixture.caller(grant), UserChange(metadata: ["secret": "needle-in-hay"]))
            try await fixture.authority.deleteUser(grant.user.id, deletion)
            if deletion == .soft { try await fixture.authority.deleteUser(grant.user.id, deletion) }
            #expect(await refusal { _ = try await fixture.caller(grant) } == "user_not_found")
            #expect(await refusal { _ = try await fixture.authority.refresh(grant.refreshToken) } == "refresh_token_not_found")
            let published = try await fixture.authority.revocations()
            #expect(published.map(\.sessionID) == [grant.sessionID, nil] && published.map(\.subject) == [grant.user.id, grant.user.id])
            #expect(published.allSatisfy { $0.reason == .deleted })
            let dump = try await fixture.fixture.everything().values.flatMap(\.self).joined(separator: "\n")
            #expect(!dump.contains("anna@") && !dump.contains("needle-in-hay"))
            #expect(try await fixture.count("users") == (deletion == .hard ? 1 : 2))
            _ = try await fixture.caller(neighbour)
            if deletion == .soft {
                let emptied = try await fixture.authority.user(grant.user.id)
                #expect(emptied.deletedAt != nil && emptied.userMetadata.isEmpty && emptied.appMetadata.isEmpty)
                #expect(emptied.identities.allSatisfy { $0.data.isEmpty && $0.providerID != grant.user.id.uuidString.lowercased() })
            }
        }
    }
}
