// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("A new address")
struct AddressChangeTests {
    private func refused(_ fixture: AuthorityFixture, _ caller: Caller, _ change: UserChange) async -> String? {
        await refusal { _ = try await fixture.authority.update(caller, change) }
    }

    @Test("Item 29: where a new password requires the present one, so does a new address", arguments: SQLDialect.allCases)
    func withCurrentPassword(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, { $0.passwordChange = .withCurrentPassword }) { fixture in
            let caller = try await fixture.caller(try await fixture.person())
            var change = UserChange(email: "new@example.org")
            #expect(await refused(fixture, caller, change) == "current_password_required")
            change.currentPassword = "wrong"
            #expect(await refused(fixture, caller, change) == "current_password_invalid")
            // An unchanged address, and text that is no address, need none.
            #expect(await refused(fixture, caller, UserChange(email: "anna@example.org", metadata: ["a": 1])) == nil)
            change.currentPassword = AuthorityFixture.password
            #expect(try await fixture.authority.update(caller, change).email == "new@example.org")
        }
    }

    @Test(
        "Item 29: where a new password requires a code, so does a new address; one code is enough for both",
        arguments: SQLDialect.allCases)
    func withCode(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, { $0.passwordChange = .withCode(after: .seconds(60)) }) { fixture in
            let grant = try await fixture.person()
            let caller = try await fixture.caller(grant)
            fixture.clock.now += 61
            var change = UserChange(email: "new@example.org", password: "a new password")
            #expect(await refused(fixture, caller, UserChange(email: "new@example.org")) == "reauthentication_needed")
            #expect(await refused(fixture, caller, change) == "reauthentication_needed")
            try await fixture.authority.reauthenticate(caller)
            change.nonce = try #require(try await fixture.delivered().last).code
            #expect(try await fixture.authority.update(caller, change).email == "new@example.org")
            _ = try await fixture.authority.signIn(email: "new@example.org", password: "a new password")
            change.email = "newer@example.org"
            #expect(await refused(fixture, caller, change) == "reauthentication_not_valid", "used up")
        }
    }

    @Test(
        "SC-3 an account causes mails to ten new addresses in an hour, from all its sessions together",
        arguments: SQLDialect.allCases)
    func many(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let grants = [try await fixture.person(), try await fixture.signIn()]
            let other = try await fixture.caller(try await fixture.person("berta"))
            var callers: [Caller] = []
            for grant in grants { callers.append(try await fixture.caller(grant)) }
            func answer(_ number: Int, _ caller: Caller) async -> String? {
                await refused(fixture, caller, UserChange(email: "new\(number)@example.org"))
            }
            for number in 1...10 { #expect(await answer(number, callers[number % 2]) == nil) }
            for caller in callers { #expect(await answer(11, caller) == "over_email_send_rate_limit") }
            #expect(await answer(11, other) == nil, "another account has its own")
            fixture.clock.now += 3_601
            let later = try await fixture.caller(try await fixture.authority.refresh(grants[0].refreshToken))
            #expect(await answer(12, later) == nil)
        }
    }

    @Test("where a session is enough, a user without a password sets one with the session", arguments: SQLDialect.allCases)
    func withSession(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, { $0.passwordChange = .withCurrentPassword }) { fixture in
            guard case .session(let nobody) = try await fixture.authority.signUp(SignUpRequest()) else { return }
            let user = try await fixture.authority.update(try await fixture.caller(nobody), UserChange(email: "b@example.org"))
            #expect(user.email == "b@example.org")
        }
        try await AuthorityFixture.with(dialect) { fixture in
            let caller = try await fixture.caller(try await fixture.person())
            #expect(try await fixture.authority.update(caller, UserChange(email: "new@example.org")).email == "new@example.org")
        }
    }

    @Test(
        "a wanted address gets one mail a minute and ten an hour, whichever users request it",
        arguments: SQLDialect.allCases, EmailConfirmation.allCases)
    func mails(dialect: SQLDialect, confirmation: EmailConfirmation) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let callers = [try await fixture.person("a"), try await fixture.person("b")]
            let authority = try await fixture.again { $0.emailConfirmation = confirmation }
            let homes = ["a@example.org", "b@example.org"]
            var (told, refused) = (0, 0)
            for round in 0..<30 {
                let caller = try await authority.authenticate(callers[round % 2].accessToken)
                // To the stranger's address and back: the first writes to them where it is to be confirmed, the second
                // where it is not.
                for address in ["stranger@example.org", homes[round % 2]] {
                    let code = await refusal { _ = try await authority.update(caller, UserChange(email: address)) }
                    refused += code == "over_email_send_rate_limit" ? 1 : 0
                }
                try await authority.deliverMail(by: fixture.partners)
                fixture.clock.now += 20
            }
            told = fixture.partners.sent.count { $0.address == "stranger@example.org" }
            #expect((1...10).contains(told) && refused > 0, "\(told) in ten minutes")
        }
    }
}
