// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Sign-ups with the address of an account")
struct DeclinedSignUpTests {
    /// The accounts that may hold an address, beside `free`, which none holds.
    enum Holder: String, CaseIterable {
        case free, password, provider, imported, barred, invited
    }

    private static let stranger = "a stranger's password"

    private func make(_ holder: Holder, _ fixture: AuthorityFixture) async throws {
        var draft = AdministratorChange()
        draft.email = "\(holder.rawValue)@example.org"
        draft.confirmsEmail = holder != .invited
        switch holder {
        case .free: return
        case .provider: break
        case .imported: draft.passwordHash = "$2a$" + PasswordTests.bcrypt
        default: draft.password = AuthorityFixture.password
        }
        let user = try await fixture.authority.createUser(draft)
        guard holder == .barred else { return }
        var bar = AdministratorChange()
        bar.banDuration = "24h"
        _ = try await fixture.authority.updateUser(user.id, bar)
    }

    /// The answers of a stranger's sign-ups and sign-ins, and the functions that each of them ran.
    private func answers(_ holder: Holder, _ fixture: AuthorityFixture) async throws -> [String] {
        let address = "\(holder.rawValue)@example.org"
        var seen: [String] = []
        func note(_ answer: String?) {
            seen.append("\(answer ?? "well") \(fixture.work.taken().sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
        }
        func signUp(_ password: String) async {
            let request = SignUpRequest(email: address, password: password)
            note(await refusal { _ = try await fixture.authority.signUp(request) })
        }
        func signIn(_ password: String) async {
            note(await refusal { _ = try await fixture.authority.signIn(email: address, password: password) })
        }
        _ = fixture.work.taken()
        await signIn(Self.stranger)
        await signUp(Self.stranger)
        for password in [Self.stranger, "another password", "", "decoy"] { await signIn(password) }
        await signUp(Self.stranger)
        await signIn(Self.stranger)
        await signUp("another password")
        for password in [Self.stranger, "another password"] { await signIn(password) }
        await signUp("another password")
        await signIn("another password")
        return seen
    }

    @Test(
        "SC-3 SRV-05 a sign-up and then sign-ins get the same answers after the same work, whether or not the address has an account",
        arguments: SQLDialect.allCases)
    func alike(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(
            dialect,
            {
                $0.emailConfirmation = .required
                $0.attempts = AttemptLimit(attempts: 100, window: .seconds(300))
            }
        ) { fixture in
            for holder in Holder.allCases { try await make(holder, fixture) }
            var seen: [Holder: [String]] = [:]
            for holder in Holder.allCases { seen[holder] = try await answers(holder, fixture) }
            let new = try #require(seen[.free])
            #expect(new.map { $0.prefix { $0 != " " } }.contains("email_not_confirmed"))
            for holder in Holder.allCases { #expect(seen[holder] == new, "\(holder)") }
            // The accounts are as they were.
            let own = try await fixture.authority.signIn(email: "password@example.org", password: AuthorityFixture.password)
            #expect(own.user.email == "password@example.org")
            _ = try await fixture.authority.signIn(email: "imported@example.org", password: "U*U")
            #expect(
                await refusal {
                    _ = try await fixture.authority.signIn(email: "barred@example.org", password: AuthorityFixture.password)
                } == "user_banned")
        }
    }

    @Test("SC-3 the password of a declined sign-up is forgotten after a day, and with the account", arguments: SQLDialect.allCases)
    func forgotten(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, { $0.emailConfirmation = .required }) { fixture in
            let holders: [Holder] = [.password, .provider, .imported]
            for holder in holders {
                try await make(holder, fixture)
                let request = SignUpRequest(email: "\(holder.rawValue)@example.org", password: Self.stranger)
                _ = try await fixture.authority.signUp(request)
            }
            #expect(try await fixture.count("declined_sign_ups") == 3)
            let users = try await fixture.authority.users().users
            for (user, deletion) in zip(users.filter { $0.email != "password@example.org" }, [UserDeletion.hard, .soft]) {
                try await fixture.authority.deleteUser(user.id, deletion)
            }
            #expect(try await fixture.count("declined_sign_ups") == 1)
            func answer() async -> String? {
                await refusal { _ = try await fixture.authority.signIn(email: "password@example.org", password: Self.stranger) }
            }
            fixture.clock.now += 86_390
            try await fixture.authority.prune()
            #expect(await answer() == "email_not_confirmed")
            fixture.clock.now += 20
            #expect(await answer() == "invalid_credentials")
            try await fixture.authority.prune()
            #expect(try await fixture.count("declined_sign_ups") == 0)
        }
    }

    @Test("SC-3 where addresses count at once, no sign-up is kept beside an account", arguments: SQLDialect.allCases)
    func automatic(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            try await make(.password, fixture)
            let request = SignUpRequest(email: "password@example.org", password: Self.stranger)
            #expect(await refusal { _ = try await fixture.authority.signUp(request) } == "user_already_exists")
            #expect(try await fixture.count("declined_sign_ups") == 0)
        }
    }
}
