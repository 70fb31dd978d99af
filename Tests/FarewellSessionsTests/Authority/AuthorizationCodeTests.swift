// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Authorization codes of links")
struct AuthorizationCodeTests {
    private static let careful: @Sendable (inout AuthoritySettings) -> Void = { $0.emailConfirmation = .required }
    private static let welcome = "https://app.example.org/welcome"

    private static func verifier(_ name: String) -> String { "verifier-of-\(name)-" + String(repeating: "x", count: 43) }

    private static func wish(_ name: String) -> MailReturn {
        MailReturn(to: welcome, challenge: CodeChallenge(ofVerifier: verifier(name)))
    }

    private static func code(_ outcome: LinkOutcome) throws -> String {
        guard case .code(let code) = outcome else { throw FarewellError("test.no-code", .ours, "The link gave a session.") }
        return code
    }

    /// The mail of a recovery that an app requested with a challenge.
    private func mail(_ fixture: AuthorityFixture, to name: String = "anna") async throws -> Mail {
        try await fixture.authority.sendCode(.recovery, to: "\(name)@example.org", returning: Self.wish(name))
        return try #require(try await fixture.delivered().last { $0.purpose == .recovery && $0.address == "\(name)@example.org" })
    }

    /// The code that the link of such a mail gives.
    private func opened(_ fixture: AuthorityFixture, by name: String = "anna") async throws -> String {
        let token = try await mail(fixture, to: name).token
        return try Self.code(try await fixture.authority.follow(.recovery, token: token))
    }

    private func exchanged(
        _ code: String, _ authority: SessionAuthority, _ verifier: String = Self.verifier("anna")
    ) async -> String? {
        await refusal { _ = try await authority.signIn(authorizationCode: code, verifier: verifier) }
    }

    @Test(
        "the link of a mail with a challenge gives a code, which its verifier alone exchanges, once, for a session",
        arguments: SQLDialect.allCases)
    func exchange(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            let authority = fixture.authority
            let request = SignUpRequest(
                email: "anna@example.org", password: AuthorityFixture.password, mailReturn: Self.wish("anna"))
            let user = try await authority.signUp(request).user
            let mail = try #require(try await fixture.delivered().first)
            #expect(mail.redirect == Self.welcome)
            let code = try Self.code(try await authority.follow(.signUp, token: mail.token))
            #expect(code.utf8.count >= 43)
            #expect(try await fixture.count("sessions") == 0, "the link alone signs in no browser")
            #expect(await refusal { _ = try await authority.follow(.signUp, token: mail.token) } == "otp_expired", "used up")
            // The stored values show neither code nor challenge.
            let stored = try await fixture.run(
                "SELECT code_hash, challenge_hash FROM \(fixture.table("authorization_codes"))"
            ).rows.flatMap { $0 }
            #expect(stored.count == 2 && stored.allSatisfy { $0.bytes?.count == 32 })
            let huge = String(repeating: "x", count: 60_000)
            for wrong in [Self.verifier("berta"), "", huge, CodeChallenge(ofVerifier: Self.verifier("anna")).text] {
                #expect(await exchanged(code, authority, wrong) == "bad_code_verifier")
            }
            for unknown in ["", huge, mail.token, mail.code, code + "A", String(code.dropLast())] {
                #expect(await exchanged(unknown, authority) == "flow_state_not_found")
            }
            let grant = try await authority.signIn(authorizationCode: code, verifier: Self.verifier("anna"))
            #expect(grant.user.id == user.id && grant.user.emailConfirmedAt != nil)
            #expect(try await fixture.caller(grant).session?.methods.map(\.method) == ["email/signup"])
            #expect(await exchanged(code, authority) == "flow_state_not_found", "one use")
            #expect(try await fixture.count("authorization_codes") == 0)
        }
    }

    @Test(
        "the digits and the token of a mail with a challenge still sign in without a verifier; without a challenge the link does",
        arguments: SQLDialect.allCases)
    func withoutVerifier(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            for name in ["anna", "berta", "carla"] { try await fixture.person(name) }
            let first = try await mail(fixture)
            _ = try await fixture.authority.signIn(.recovery, by: .code(first.code, email: first.address))
            let second = try await mail(fixture, to: "berta")
            _ = try await fixture.authority.signIn(.recovery, by: .token(second.token))
            // An address counts only beside a challenge: a session goes nowhere else.
            try await fixture.authority.sendCode(.recovery, to: "carla@example.org", returning: MailReturn(to: Self.welcome))
            let third = try #require(try await fixture.delivered().last)
            #expect(third.redirect == nil)
            guard case .session = try await fixture.authority.follow(.recovery, token: third.token) else {
                Issue.record("a code for an app that has no verifier"); return
            }
            #expect(try await fixture.count("authorization_codes") == 0)
        }
    }

    @Test(
        "a code is valid for five minutes and is cleared five minutes later; another user's verifier opens nothing",
        arguments: SQLDialect.allCases)
    func life(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            for name in ["anna", "berta"] { try await fixture.person(name) }
            let (anna, berta) = (try await opened(fixture), try await opened(fixture, by: "berta"))
            fixture.clock.now += 299
            #expect(await exchanged(berta, fixture.authority, Self.verifier("anna")) == "bad_code_verifier")
            #expect(await exchanged(berta, fixture.authority, Self.verifier("berta")) == nil)
            fixture.clock.now += 1
            #expect(await exchanged(anna, fixture.authority) == "flow_state_expired")
            fixture.clock.now += 299
            try await fixture.authority.prune()
            #expect(await exchanged(anna, fixture.authority) == "flow_state_expired", "an app learns why")
            fixture.clock.now += 2
            try await fixture.authority.prune()
            #expect(await exchanged(anna, fixture.authority) == "flow_state_not_found")
            #expect(try await fixture.count("authorization_codes") == 0)
        }
    }

    /// The acts that end the sign-ins that have begun.
    enum Ending: CaseIterable, Sendable {
        case signOutEverywhere, signOutElsewhere, event, newPassword, newAddress, ban, password, softDeletion, hardDeletion, erasure
        case erasureAmongOthers

        func happen(to grant: SessionGrant, _ name: String, _ fixture: AuthorityFixture) async throws {
            let (authority, user) = (fixture.authority, grant.user.id)
            let caller = try await fixture.caller(grant)
            switch self {
            case .signOutEverywhere: try await authority.signOut(caller, scope: .global)
            case .signOutElsewhere: try await authority.signOut(caller, scope: .others)
            case .event:
                try await authority.endSessions(of: user, begunUntil: fixture.clock.now, reason: .signedOutElsewhere)
            case .newPassword: _ = try await authority.update(caller, UserChange(password: "another password"))
            case .newAddress: _ = try await authority.update(caller, UserChange(email: "new-\(name)@example.org"))
            case .ban: _ = try await authority.updateUser(user, AdministratorTests.change { $0.banDuration = "24h" })
            case .password: _ = try await authority.updateUser(user, AdministratorTests.change { $0.password = "an operator's" })
            case .softDeletion: try await authority.deleteUser(user, .soft)
            case .hardDeletion: try await authority.deleteUser(user, .hard)
            case .erasure: try await authority.close([user.text])
            case .erasureAmongOthers: try await authority.close([UUID().text, user.text])
            }
        }
    }

    @Test(
        "SC-4 SO-5 a code from before a sign-out of all devices, a change, a ban, a deletion or an erasure opens no session",
        arguments: SQLDialect.allCases)
    func ended(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            for (number, ending) in Ending.allCases.enumerated() {
                let name = "person\(number)"
                let grant = try await fixture.person(name)
                let code = try await opened(fixture, by: name)
                try await ending.happen(to: grant, name, fixture)
                #expect(try await fixture.count("authorization_codes") == 0, "\(ending)")
                #expect(await exchanged(code, fixture.authority, Self.verifier(name)) == "flow_state_not_found", "\(ending)")
            }
            let grant = try await fixture.person()
            let code = try await opened(fixture)
            try await fixture.authority.signOut(try await fixture.caller(grant), scope: .local)
            #expect(await exchanged(code, fixture.authority) == nil, "another device signs out for itself")
        }
    }

    @Test("a banned user gets neither a code nor its session", arguments: SQLDialect.allCases)
    func banned(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let user = try await fixture.person().user.id
            let token = try await mail(fixture).token
            _ = try await fixture.authority.updateUser(user, AdministratorTests.change { $0.banDuration = "24h" })
            #expect(await refusal { _ = try await fixture.authority.follow(.recovery, token: token) } == "user_banned")
            #expect(try await fixture.count("authorization_codes") == 0)
            // Banned by another program, which ends no sign-in.
            _ = try await fixture.authority.updateUser(user, AdministratorTests.change { $0.banDuration = "none" })
            let code = try Self.code(try await fixture.authority.follow(.recovery, token: token))
            let users = fixture.table("users")
            _ = try await fixture.run("UPDATE \(users) SET banned_until = $1", .timestamp(fixture.clock.now + 60))
            #expect(await exchanged(code, fixture.authority) == "user_banned")
        }
    }

    @Test(
        "simultaneous exchanges on two servers give one session, and none beside a sign-out of all devices",
        arguments: SQLDialect.allCases)
    func simultaneous(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let other = try await fixture.again()
            try await fixture.person("berta")
            let code = try await opened(fixture, by: "berta")
            let outcomes = await withTaskGroup(of: String?.self) { group in
                for number in 0..<16 {
                    let authority = number.isMultiple(of: 2) ? fixture.authority : other
                    group.addTask { await exchanged(code, authority, Self.verifier("berta")) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == nil } == 1 && outcomes.count { $0 == "flow_state_not_found" } == 15)
            #expect(try await fixture.count("sessions") == 2)
            for round in 0..<4 {
                let name = "anna\(round)"
                let caller = try await fixture.caller(try await fixture.person(name))
                let code = try await opened(fixture, by: name)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = await exchanged(code, other, Self.verifier(name)) }
                    group.addTask { try await fixture.authority.signOut(caller, scope: .global) }
                    try await group.waitForAll()
                }
                #expect(try await fixture.count("sessions") == 2, "only those of before")
                #expect(try await fixture.count("authorization_codes") == 0)
            }
        }
    }

    @Test(
        "a new address is confirmed by a link with a challenge, also where several users want it",
        arguments: SQLDialect.allCases)
    func newAddress(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let (anna, berta) = (try await fixture.person(), try await fixture.person("berta"))
            let authority = try await fixture.again(Self.careful)
            for grant in [anna, berta] {
                let caller = try await authority.authenticate(grant.accessToken)
                _ = try await authority.update(
                    caller, UserChange(email: "new@example.org", mailReturn: Self.wish("anna")))
            }
            fixture.clock.now += 601
            try await authority.sendCode(.emailChange, to: "new@example.org", returning: Self.wish("anna"))
            try await authority.deliverMail(by: fixture.partners)
            // Two of the changes would have expired by now; the repetition reaches both users.
            let mails = fixture.partners.sent.filter { $0.purpose == .emailChange }
            #expect(Set(mails.map(\.user.id)) == [anna.user.id, berta.user.id])
            #expect(mails.allSatisfy { $0.redirect == Self.welcome })
            let mail = try #require(mails.first { $0.user.id == anna.user.id })
            let code = try Self.code(try await authority.follow(.emailChange, token: mail.token))
            let grant = try await authority.signIn(authorizationCode: code, verifier: Self.verifier("anna"))
            #expect(grant.user.id == anna.user.id && grant.user.email == "new@example.org" && grant.user.newEmail == nil)
            let late = try #require(mails.first { $0.user.id == berta.user.id })
            #expect(await refusal { _ = try await authority.follow(.emailChange, token: late.token) } == "email_exists")
            #expect(try await fixture.count("authorization_codes") == 0)
        }
    }
}
