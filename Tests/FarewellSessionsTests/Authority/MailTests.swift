// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Codes by mail")
struct MailTests {
    private static let careful: @Sendable (inout AuthoritySettings) -> Void = { $0.emailConfirmation = .required }

    private func signUp(_ fixture: AuthorityFixture, _ name: String = "anna") async throws -> User {
        try await fixture.authority.signUp(SignUpRequest(email: "\(name)@example.org", password: AuthorityFixture.password)).user
    }

    private func other(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    @Test("a sign-up is confirmed by the code or by the token of its mail, once", arguments: SQLDialect.allCases, [true, false])
    func confirmation(dialect: SQLDialect, byCode: Bool) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            let user = try await signUp(fixture)
            #expect(await refusal { _ = try await fixture.signIn() } == "email_not_confirmed")
            let mail = try #require(try await fixture.delivered().first)
            #expect(mail.purpose == .signUp && mail.address == "anna@example.org" && mail.user.id == user.id)
            #expect(mail.code.count == 6 && mail.token.count >= 43 && "\(mail)" == "Mail(***)")
            let proof: CodeProof = byCode ? .code(mail.code, email: "Anna@example.org") : .token(mail.token)
            for wrong in [MailPurpose.recovery, .emailChange] {
                #expect(await refusal { _ = try await fixture.authority.signIn(wrong, by: proof) } == "otp_expired", "another purpose")
            }
            let grant = try await fixture.authority.signIn(.signUp, by: proof)
            #expect(grant.user.id == user.id && grant.user.emailConfirmedAt == fixture.clock.now)
            #expect(try await fixture.caller(grant).session?.methods.map(\.method) == ["email/signup"])
            #expect(grant.user.identities.first?.data["email_verified"] == true)
            _ = try await fixture.signIn()
            for proof in [CodeProof.code(mail.code, email: mail.address), .token(mail.token)] {
                #expect(await refusal { _ = try await fixture.authority.signIn(.signUp, by: proof) } == "otp_expired", "used up")
            }
            #expect(try await fixture.count("outgoing_mail") == 0)
        }
    }

    @Test("Item 34: a code has ten minutes, five attempts, one use and one user, and is kept as a hash", arguments: SQLDialect.allCases)
    func limits(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let anna = try await fixture.person()
            try await fixture.person("berta")
            func recovered(_ code: String, _ name: String = "anna") async -> String? {
                await refusal { _ = try await fixture.authority.signIn(.recovery, by: .code(code, email: "\(name)@example.org")) }
            }
            func asked() async throws -> Mail {
                fixture.clock.now += 61
                try await fixture.authority.sendCode(.recovery, to: "anna@example.org")
                return try #require(try await fixture.delivered().first)
            }
            let first = try await asked()
            for _ in 0..<5 { #expect(await recovered(other(first.code)) == "otp_expired") }
            #expect(await recovered(first.code) == "otp_expired", "guessed too often")
            let second = try await asked()
            #expect(await recovered(second.code, "berta") == "otp_expired", "another person's")
            fixture.clock.now += 600
            #expect(await recovered(second.code) == "otp_expired", "too old")
            #expect(await refusal { _ = try await fixture.authority.signIn(.recovery, by: .token(second.token)) } == "otp_expired")
            let third = try await asked()
            let kept = try await fixture.run("SELECT code_hash, token_hash FROM \(fixture.table("one_time_codes"))").rows.flatMap { $0 }
            #expect(kept.count >= 2 && kept.allSatisfy { $0.bytes?.count == 32 })
            #expect(await recovered(third.code) == nil)
            #expect(await recovered(third.code) == "otp_expired", "one use")
            // 64 at once: one of them gets in.
            let fourth = try await asked()
            let outcomes = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        await refusal { _ = try await fixture.authority.signIn(.recovery, by: .token(fourth.token)) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == nil } == 1 && outcomes.count { $0 == "otp_expired" } == 63)
            _ = anna
        }
    }

    @Test(
        "a user in recovery may set a password without the forgotten one; after that no earlier code counts",
        arguments: SQLDialect.allCases)
    func recovery(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, { $0.passwordChange = .withCurrentPassword }) { fixture in
            let other = try await fixture.person()
            try await fixture.authority.sendCode(.recovery, to: "anna@example.org")
            let mail = try #require(try await fixture.delivered().first)
            let grant = try await fixture.authority.signIn(.recovery, by: .code(mail.code, email: mail.address))
            fixture.clock.now += 61
            try await fixture.authority.sendCode(.recovery, to: "anna@example.org")
            let later = try #require(try await fixture.delivered().first)
            let caller = try await fixture.caller(grant)
            #expect(caller.session?.methods.map(\.method) == ["recovery"])
            _ = try await fixture.authority.update(caller, UserChange(password: "a new password"))
            #expect(await refusal { _ = try await fixture.caller(other) } == "session_not_found")
            #expect(await refusal { _ = try await fixture.authority.signIn(.recovery, by: .token(later.token)) } == "otp_expired")
            let usual = try await fixture.authority.signIn(email: "anna@example.org", password: "a new password")
            let usually = try await fixture.caller(usual)
            let code = await refusal { _ = try await fixture.authority.update(usually, UserChange(password: "another password")) }
            #expect(code == "current_password_required")
            fixture.clock.now += 3540
            let late = await refusal {
                _ = try await fixture.authority.update(caller, UserChange(password: "another password"))
            }
            #expect(late == "current_password_required", "an hour later it is a session like any other")
        }
    }

    @Test("a new address counts once its own code is entered, and no code for an earlier address works", arguments: SQLDialect.allCases)
    func emailChange(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let grant = try await fixture.person()
            let authority = try await fixture.again(Self.careful)
            let caller = try await authority.authenticate(grant.accessToken)
            _ = try await authority.update(caller, UserChange(email: "first@example.org"))
            try await authority.deliverMail(by: fixture.partners)
            let first = try #require(fixture.partners.sent.last)
            #expect(first.purpose == .emailChange && first.address == "first@example.org")
            let pending = try await authority.update(caller, UserChange(email: "second@example.org"))
            #expect(pending.email == "anna@example.org" && pending.newEmail == "second@example.org")
            #expect(await refusal { _ = try await authority.signIn(.emailChange, by: .token(first.token)) } == "otp_expired")
            try await authority.deliverMail(by: fixture.partners)
            let second = try #require(fixture.partners.sent.last)
            let changed = try await authority.signIn(.emailChange, by: .code(second.code, email: "second@example.org"))
            #expect(changed.user.email == "second@example.org" && changed.user.newEmail == nil && changed.user.id == grant.user.id)
            #expect(await refusal { _ = try await authority.update(caller, UserChange(email: "a@b.invalid")) } == "email_address_invalid")
        }
    }

    @Test("Item 38: the user's former address gets a warning, without a code, even hours later", arguments: SQLDialect.allCases)
    func warning(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let grant = try await fixture.person()
            let caller = try await fixture.caller(grant)
            _ = try await fixture.authority.update(caller, UserChange(email: "new@example.org"))
            try await fixture.authority.warn(ofErasureOf: grant.user.id.uuidString)
            try await fixture.authority.warn(ofErasureOf: UUID().uuidString)
            try await fixture.authority.warn(ofErasureOf: "somebody of another issuer")
            fixture.clock.now += 7_200
            let mails = try await fixture.delivered().sorted { $0.address < $1.address }
            #expect(mails.map(\.address) == ["anna@example.org", "new@example.org"])
            #expect(mails.map(\.purpose) == [.emailChanged, .erasureRequested])
            #expect(mails.allSatisfy { $0.code.isEmpty && $0.token.isEmpty && $0.user.id == grant.user.id })
            #expect(try await fixture.count("one_time_codes") == 0)
            #expect(try await fixture.delivered().isEmpty)
            for purpose in [MailPurpose.emailChanged, .erasureRequested] {
                for proof in [CodeProof.token(""), .code("", email: "new@example.org")] {
                    #expect(await refusal { _ = try await fixture.authority.signIn(purpose, by: proof) } == "validation_failed")
                }
                #expect(await refusal { try await fixture.authority.sendCode(purpose, to: "new@example.org") } == "validation_failed")
            }
        }
    }

    @Test("Item 33: an existing and a missing user get the same answer, statements and limits", arguments: SQLDialect.allCases)
    func enumeration(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            let (first, again) = (try await signUp(fixture), try await signUp(fixture))
            #expect(first.id != again.id && first.role == again.role && first.identities.count == again.identities.count)
            func shape(_ user: User) throws -> Set<String> {
                let value = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(user))
                return Set(value.keys).union(value["identities"]?.array?.first?.object?.keys.map { "identity.\($0)" } ?? [])
            }
            #expect(try shape(first) == shape(again))
            #expect(try await fixture.delivered().count == 1, "one mail, though it was wanted twice")
            for name in ["anna", "nobody"] {
                for purpose in [MailPurpose.recovery, .signUp, .emailChange] {
                    func ask() async -> String? {
                        await refusal { try await fixture.authority.sendCode(purpose, to: "\(name)@example.org") }
                    }
                    #expect(await ask() == nil, "\(name)")
                    for _ in 0..<12 { #expect(await ask() == "over_email_send_rate_limit", "\(name)") }
                    fixture.clock.now += 61
                    for _ in 0..<2 {
                        #expect(await ask() == nil, "\(name)")
                        fixture.clock.now += 61
                    }
                    #expect(await ask() == "over_email_send_rate_limit", "\(name): three in nine minutes")
                    fixture.clock.now += 601
                }
                let written = try await fixture.count("outgoing_mail")
                #expect(written == (name == "anna" ? 9 : 18), "as much is written down")
                let code = await refusal {
                    _ = try await fixture.authority.signIn(.recovery, by: .code("123456", email: "\(name)@example.org"))
                }
                #expect(code == "otp_expired")
            }
            fixture.clock.now += 86_400 - 1_800
            try await fixture.authority.prune()
            let left = try await fixture.count("outgoing_mail")
            #expect(left > 0 && left < 18, "what was wanted more than a day ago is cleared away: \(left)")
        }
    }

    @Test(
        "a rejected mail is tried again with the same code, by any server, until the code has expired",
        arguments: SQLDialect.allCases)
    func patience(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            try await fixture.person()
            try await fixture.authority.sendCode(.recovery, to: "anna@example.org")
            fixture.partners.refuse(2)
            for wait in [15.0, 30] {
                #expect(try await fixture.delivered().isEmpty)
                #expect(try await fixture.delivered().isEmpty, "not at once again")
                fixture.clock.now += wait
            }
            let restarted = try await fixture.again()
            try await restarted.deliverMail(by: fixture.partners)
            let mail = try #require(fixture.partners.sent.first)
            _ = try await restarted.signIn(.recovery, by: .code(mail.code, email: mail.address))
            #expect(try await fixture.count("outgoing_mail") == 0)
            fixture.clock.now += 61
            try await fixture.authority.sendCode(.recovery, to: "anna@example.org")
            fixture.partners.refuse(100)
            for _ in 0..<12 {
                _ = try await fixture.delivered()
                fixture.clock.now += 100
            }
            #expect(fixture.partners.sent.count == 1)
            #expect(try await fixture.count("outgoing_mail") == 0, "given up with its code")
        }
    }

    @Test("a waiting mail is deleted with its user, and holds nothing readable", arguments: SQLDialect.allCases)
    func leaving(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let anna = try await fixture.person()
            try await fixture.authority.sendCode(.recovery, to: "anna@example.org")
            fixture.partners.refuse(1)
            _ = try await fixture.delivered()
            let sealed = try await fixture.run("SELECT sealed FROM \(fixture.table("outgoing_mail"))").scalar?.bytes ?? []
            #expect(!String(decoding: sealed, as: UTF8.self).contains("anna@example.org"))
            try await fixture.authority.deleteUser(anna.user.id)
            #expect(try await fixture.count("outgoing_mail") == 0)
            #expect(try await fixture.count("one_time_codes") == 0)
        }
    }

    @Test("a server without a mail setting says so", arguments: SQLDialect.allCases)
    func noSender(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let grant = try await fixture.person()
            let environment = fixture.authority.context.environment
            let mute = try await SessionAuthority.open(
                fixture.fixture.database, settings: fixture.authority.settings, state: fixture.fixture.state, environment: environment)
            #expect(await refusal { try await mute.sendCode(.recovery, to: "anna@example.org") } == "email_provider_disabled")
            let caller = try await fixture.caller(grant)
            #expect(await refusal { try await mute.reauthenticate(caller) } == "email_provider_disabled")
        }
    }
}
