// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Codes by mail")
struct MailTests {
    typealias House = AuthorityHouse

    private static let careful: @Sendable (inout AuthoritySettings) -> Void = { $0.emailConfirmation = .required }

    private func signUp(_ house: House, _ name: String = "anna") async throws -> User {
        try await house.authority.signUp(SignUpRequest(email: "\(name)@example.org", password: House.password)).user
    }

    private func other(_ code: String) -> String { code == "000000" ? "000001" : "000000" }

    @Test("a sign-up is confirmed by the code or by the token of its mail, once", arguments: SQLDialect.allCases, [true, false])
    func confirmation(dialect: SQLDialect, byCode: Bool) async throws {
        try await House.with(dialect, Self.careful) { house in
            let user = try await signUp(house)
            #expect(await refusal { _ = try await house.signIn() } == "email_not_confirmed")
            let mail = try #require(try await house.delivered().first)
            #expect(mail.purpose == .signUp && mail.address == "anna@example.org" && mail.user.id == user.id)
            #expect(mail.code.count == 6 && mail.token.count >= 43 && "\(mail)" == "Mail(***)")
            let proof: CodeProof = byCode ? .code(mail.code, email: "Anna@example.org") : .token(mail.token)
            for wrong in [MailPurpose.recovery, .emailChange] {
                #expect(await refusal { _ = try await house.authority.signIn(wrong, by: proof) } == "otp_expired", "another purpose")
            }
            let grant = try await house.authority.signIn(.signUp, by: proof)
            #expect(grant.user.id == user.id && grant.user.emailConfirmedAt == house.clock.now)
            #expect(try await house.caller(grant).session?.methods.map(\.method) == ["email/signup"])
            #expect(grant.user.identities.first?.data["email_verified"] == true)
            _ = try await house.signIn()
            for proof in [CodeProof.code(mail.code, email: mail.address), .token(mail.token)] {
                #expect(await refusal { _ = try await house.authority.signIn(.signUp, by: proof) } == "otp_expired", "used up")
            }
            #expect(try await house.count("outgoing_mail") == 0)
        }
    }

    @Test("Item 34: ten minutes, five attempts, one use, one person; and codes are kept as hashes", arguments: SQLDialect.allCases)
    func limits(dialect: SQLDialect) async throws {
        try await House.with(dialect) { house in
            let anna = try await house.person()
            try await house.person("berta")
            func recovered(_ code: String, _ name: String = "anna") async -> String? {
                await refusal { _ = try await house.authority.signIn(.recovery, by: .code(code, email: "\(name)@example.org")) }
            }
            func asked() async throws -> Mail {
                house.clock.now += 61
                try await house.authority.sendCode(.recovery, to: "anna@example.org")
                return try #require(try await house.delivered().first)
            }
            let first = try await asked()
            for _ in 0..<5 { #expect(await recovered(other(first.code)) == "otp_expired") }
            #expect(await recovered(first.code) == "otp_expired", "guessed too often")
            let second = try await asked()
            #expect(await recovered(second.code, "berta") == "otp_expired", "another person's")
            house.clock.now += 600
            #expect(await recovered(second.code) == "otp_expired", "too old")
            #expect(await refusal { _ = try await house.authority.signIn(.recovery, by: .token(second.token)) } == "otp_expired")
            let third = try await asked()
            let kept = try await house.run("SELECT code_hash, token_hash FROM \(house.table("one_time_codes"))").rows.flatMap { $0 }
            #expect(kept.count >= 2 && kept.allSatisfy { $0.bytes?.count == 32 })
            #expect(await recovered(third.code) == nil)
            #expect(await recovered(third.code) == "otp_expired", "one use")
            // 64 at once: one of them gets in.
            let fourth = try await asked()
            let outcomes = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        await refusal { _ = try await house.authority.signIn(.recovery, by: .token(fourth.token)) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count { $0 == nil } == 1 && outcomes.count { $0 == "otp_expired" } == 63)
            _ = anna
        }
    }

    @Test("who recovers may set a password without the one they forgot; after it no earlier code counts", arguments: SQLDialect.allCases)
    func recovery(dialect: SQLDialect) async throws {
        try await House.with(dialect, { $0.passwordChange = .withCurrentPassword }) { house in
            let other = try await house.person()
            try await house.authority.sendCode(.recovery, to: "anna@example.org")
            let mail = try #require(try await house.delivered().first)
            let grant = try await house.authority.signIn(.recovery, by: .code(mail.code, email: mail.address))
            house.clock.now += 61
            try await house.authority.sendCode(.recovery, to: "anna@example.org")
            let later = try #require(try await house.delivered().first)
            let caller = try await house.caller(grant)
            #expect(caller.session?.methods.map(\.method) == ["recovery"])
            _ = try await house.authority.update(caller, UserChange(password: "a new password"))
            #expect(await refusal { _ = try await house.caller(other) } == "session_not_found")
            #expect(await refusal { _ = try await house.authority.signIn(.recovery, by: .token(later.token)) } == "otp_expired")
            let usual = try await house.authority.signIn(email: "anna@example.org", password: "a new password")
            let usually = try await house.caller(usual)
            let code = await refusal { _ = try await house.authority.update(usually, UserChange(password: "another password")) }
            #expect(code == "current_password_required")
            house.clock.now += 3540
            let late = await refusal {
                _ = try await house.authority.update(caller, UserChange(password: "another password"))
            }
            #expect(late == "current_password_required", "an hour later it is a session like any other")
        }
    }

    @Test("a new address counts once its own code was shown, and no code for an earlier one", arguments: SQLDialect.allCases)
    func emailChange(dialect: SQLDialect) async throws {
        try await House.with(dialect) { house in
            let grant = try await house.person()
            let authority = try await house.again(Self.careful)
            let caller = try await authority.authenticate(grant.accessToken)
            _ = try await authority.update(caller, UserChange(email: "first@example.org"))
            try await authority.deliverMail(by: house.partners)
            let first = try #require(house.partners.sent.last)
            #expect(first.purpose == .emailChange && first.address == "first@example.org")
            let pending = try await authority.update(caller, UserChange(email: "second@example.org"))
            #expect(pending.email == "anna@example.org" && pending.newEmail == "second@example.org")
            #expect(await refusal { _ = try await authority.signIn(.emailChange, by: .token(first.token)) } == "otp_expired")
            try await authority.deliverMail(by: house.partners)
            let second = try #require(house.partners.sent.last)
            let changed = try await authority.signIn(.emailChange, by: .code(second.code, email: "second@example.org"))
            #expect(changed.user.email == "second@example.org" && changed.user.newEmail == nil && changed.user.id == grant.user.id)
            #expect(await refusal { _ = try await authority.update(caller, UserChange(email: "a@b.invalid")) } == "email_address_invalid")
        }
    }

    @Test("Item 38: the address that was somebody's is told, without a code, also hours later", arguments: SQLDialect.allCases)
    func warning(dialect: SQLDialect) async throws {
        try await House.with(dialect) { house in
            let grant = try await house.person()
            let caller = try await house.caller(grant)
            _ = try await house.authority.update(caller, UserChange(email: "new@example.org"))
            try await house.authority.warn(ofErasureOf: grant.user.id.uuidString)
            try await house.authority.warn(ofErasureOf: UUID().uuidString)
            try await house.authority.warn(ofErasureOf: "somebody of another issuer")
            house.clock.now += 7_200
            let mails = try await house.delivered().sorted { $0.address < $1.address }
            #expect(mails.map(\.address) == ["anna@example.org", "new@example.org"])
            #expect(mails.map(\.purpose) == [.emailChanged, .erasureRequested])
            #expect(mails.allSatisfy { $0.code.isEmpty && $0.token.isEmpty && $0.user.id == grant.user.id })
            #expect(try await house.count("one_time_codes") == 0)
            #expect(try await house.delivered().isEmpty)
            for purpose in [MailPurpose.emailChanged, .erasureRequested] {
                for proof in [CodeProof.token(""), .code("", email: "new@example.org")] {
                    #expect(await refusal { _ = try await house.authority.signIn(purpose, by: proof) } == "validation_failed")
                }
                #expect(await refusal { try await house.authority.sendCode(purpose, to: "new@example.org") } == "validation_failed")
            }
        }
    }

    @Test("Item 33: with and without such a person the same answer, the same statements, the same limits", arguments: SQLDialect.allCases)
    func enumeration(dialect: SQLDialect) async throws {
        try await House.with(dialect, Self.careful) { house in
            let (first, again) = (try await signUp(house), try await signUp(house))
            #expect(first.id != again.id && first.role == again.role && first.identities.count == again.identities.count)
            func shape(_ user: User) throws -> Set<String> {
                let value = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(user))
                return Set(value.keys).union(value["identities"]?.array?.first?.object?.keys.map { "identity.\($0)" } ?? [])
            }
            #expect(try shape(first) == shape(again))
            #expect(try await house.delivered().count == 1, "one mail, though it was wanted twice")
            for name in ["anna", "nobody"] {
                for purpose in [MailPurpose.recovery, .signUp, .emailChange] {
                    func ask() async -> String? {
                        await refusal { try await house.authority.sendCode(purpose, to: "\(name)@example.org") }
                    }
                    #expect(await ask() == nil, "\(name)")
                    for _ in 0..<12 { #expect(await ask() == "over_email_send_rate_limit", "\(name)") }
                    house.clock.now += 61
                    for _ in 0..<2 {
                        #expect(await ask() == nil, "\(name)")
                        house.clock.now += 61
                    }
                    #expect(await ask() == "over_email_send_rate_limit", "\(name): three in nine minutes")
                    house.clock.now += 601
                }
                let written = try await house.count("outgoing_mail")
                #expect(written == (name == "anna" ? 9 : 18), "as much is written down")
                let code = await refusal {
                    _ = try await house.authority.signIn(.recovery, by: .code("123456", email: "\(name)@example.org"))
                }
                #expect(code == "otp_expired")
            }
            house.clock.now += 86_400 - 1_800
            try await house.authority.prune()
            let left = try await house.count("outgoing_mail")
            #expect(left > 0 && left < 18, "what was wanted more than a day ago is cleared away: \(left)")
        }
    }

    @Test(
        "a mail that is not taken is tried again with the same code, by any server, until the code has expired",
        arguments: SQLDialect.allCases)
    func patience(dialect: SQLDialect) async throws {
        try await House.with(dialect) { house in
            try await house.person()
            try await house.authority.sendCode(.recovery, to: "anna@example.org")
            house.partners.refuse(2)
            for wait in [15.0, 30] {
                #expect(try await house.delivered().isEmpty)
                #expect(try await house.delivered().isEmpty, "not at once again")
                house.clock.now += wait
            }
            let restarted = try await house.again()
            try await restarted.deliverMail(by: house.partners)
            let mail = try #require(house.partners.sent.first)
            _ = try await restarted.signIn(.recovery, by: .code(mail.code, email: mail.address))
            #expect(try await house.count("outgoing_mail") == 0)
            house.clock.now += 61
            try await house.authority.sendCode(.recovery, to: "anna@example.org")
            house.partners.refuse(100)
            for _ in 0..<12 {
                _ = try await house.delivered()
                house.clock.now += 100
            }
            #expect(house.partners.sent.count == 1)
            #expect(try await house.count("outgoing_mail") == 0, "given up with its code")
        }
    }

    @Test("a mail that waits goes with its person, and holds nothing that can be read", arguments: SQLDialect.allCases)
    func leaving(dialect: SQLDialect) async throws {
        try await House.with(dialect) { house in
            let anna = try await house.person()
            try await house.authority.sendCode(.recovery, to: "anna@example.org")
            house.partners.refuse(1)
            _ = try await house.delivered()
            let sealed = try await house.run("SELECT sealed FROM \(house.table("outgoing_mail"))").scalar?.bytes ?? []
            #expect(!String(decoding: sealed, as: UTF8.self).contains("anna@example.org"))
            try await house.authority.deleteUser(anna.user.id)
            #expect(try await house.count("outgoing_mail") == 0)
            #expect(try await house.count("one_time_codes") == 0)
        }
    }

    @Test("where nothing sends mail, that is said", arguments: SQLDialect.allCases)
    func noSender(dialect: SQLDialect) async throws {
        try await House.with(dialect) { house in
            let grant = try await house.person()
            let environment = house.authority.environment
            let mute = try await SessionAuthority.open(
                house.house.database, settings: house.authority.settings, state: house.house.state, environment: environment)
            #expect(await refusal { try await mute.sendCode(.recovery, to: "anna@example.org") } == "email_provider_disabled")
            let caller = try await house.caller(grant)
            #expect(await refusal { try await mute.reauthenticate(caller) } == "email_provider_disabled")
        }
    }
}
