// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Unconfirmed addresses")
struct UnconfirmedAddressTests {
    private static let careful: @Sendable (inout AuthoritySettings) -> Void = { $0.emailConfirmation = .required }
    private static let strangers = "a stranger's password"

    private func signUp(_ fixture: AuthorityFixture, _ password: String, _ metadata: [String: JSONValue] = [:]) async throws {
        _ = try await fixture.authority.signUp(
            SignUpRequest(email: "anna@example.org", password: password, metadata: metadata))
    }

    private func signIn(_ fixture: AuthorityFixture, _ password: String) async -> String? {
        await refusal { _ = try await fixture.authority.signIn(email: "anna@example.org", password: password) }
    }

    @Test(
        "nothing of a stranger's earlier sign-up with the user's address counts: neither its password nor its data",
        arguments: SQLDialect.allCases, [true, false])
    func before(dialect: SQLDialect, isStrangerLast: Bool) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            try await signUp(fixture, Self.strangers, ["name": "a stranger"])
            _ = try await fixture.delivered()
            fixture.clock.now += 14 * 86_400
            try await signUp(fixture, AuthorityFixture.password, ["name": "Anna"])
            if isStrangerLast { try await signUp(fixture, Self.strangers, ["name": "a stranger"]) }
            let mail = try #require(try await fixture.delivered().last)
            let grant = try await fixture.authority.signIn(.signUp, by: .code(mail.code, email: mail.address))
            #expect(grant.user.userMetadata.isEmpty)
            for password in [Self.strangers, AuthorityFixture.password] {
                #expect(await signIn(fixture, password) == "invalid_credentials")
            }
            // Anna is in by her code, and sets one.
            _ = try await fixture.authority.update(try await fixture.caller(grant), UserChange(password: AuthorityFixture.password))
            #expect(await signIn(fixture, AuthorityFixture.password) == nil)
            #expect(await signIn(fixture, Self.strangers) == "invalid_credentials")
        }
    }

    @Test("a user who signs up twice with the same password keeps it", arguments: SQLDialect.allCases)
    func twice(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            for _ in 0..<2 { try await signUp(fixture, AuthorityFixture.password, ["name": "Anna"]) }
            let mail = try #require(try await fixture.delivered().last)
            let grant = try await fixture.authority.signIn(.signUp, by: .code(mail.code, email: mail.address))
            #expect(grant.user.userMetadata == ["name": "Anna"])
            #expect(await signIn(fixture, AuthorityFixture.password) == nil)
        }
    }

    @Test(
        "SC-3 an account in use with an unconfirmed new address loses nothing by a stranger's sign-up with that address",
        arguments: SQLDialect.allCases)
    func inUse(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            try await signUp(fixture, AuthorityFixture.password, ["name": "Anna"])
            let mail = try #require(try await fixture.delivered().last)
            let grant = try await fixture.authority.signIn(.signUp, by: .code(mail.code, email: mail.address))
            var change = AdministratorChange()
            change.email = "anna@example.com"
            _ = try await fixture.authority.updateUser(grant.user.id, change)
            _ = try await fixture.authority.signUp(
                SignUpRequest(email: "anna@example.com", password: Self.strangers, metadata: ["name": "a stranger"]))
            #expect(try await fixture.caller(grant).user.userMetadata == ["name": "Anna"])
            change = AdministratorChange()
            change.confirmsEmail = true
            _ = try await fixture.authority.updateUser(grant.user.id, change)
            _ = try await fixture.authority.signIn(email: "anna@example.com", password: AuthorityFixture.password)
        }
    }

    @Test(
        "SC-4 a role that every user has cannot administer users", arguments: ["authenticated", "anon", ""])
    func everybodysRole(role: String) async {
        await #expect(throws: FarewellError.self) {
            try await AuthorityFixture.with(.sqlite, { $0.administratorRoles = [role, "service_role"] }) { _ in }
        }
    }

    @Test("a stranger's sign-up with its address takes nothing from a confirmed account", arguments: SQLDialect.allCases)
    func confirmed(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            try await signUp(fixture, AuthorityFixture.password, ["name": "Anna"])
            let mail = try #require(try await fixture.delivered().last)
            _ = try await fixture.authority.signIn(.signUp, by: .code(mail.code, email: mail.address))
            try await signUp(fixture, Self.strangers, ["name": "a stranger"])
            // The answer to a new account; the stranger learns nothing.
            #expect(await signIn(fixture, Self.strangers) == "email_not_confirmed")
            let grant = try await fixture.signIn()
            #expect(grant.user.userMetadata == ["name": "Anna"])
        }
    }

    @Test(
        "SC-3 recovery of an unconfirmed account hands it over without its former password and data",
        arguments: SQLDialect.allCases)
    func recovered(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            try await signUp(fixture, Self.strangers, ["role": "admin"])
            _ = try await fixture.delivered()
            try await fixture.authority.sendCode(.recovery, to: "anna@example.org")
            let mail = try #require(try await fixture.delivered().last)
            let grant = try await fixture.authority.signIn(.recovery, by: .code(mail.code, email: mail.address))
            #expect(grant.user.emailConfirmedAt != nil && grant.user.userMetadata.isEmpty)
            #expect(try await fixture.caller(grant).user.userMetadata.isEmpty)
            #expect(await signIn(fixture, Self.strangers) == "invalid_credentials")
            // The owner's data counts from now on, also when they forget the password.
            _ = try await fixture.authority.update(
                try await fixture.caller(grant), UserChange(password: AuthorityFixture.password, metadata: ["name": "Anna"]))
            fixture.clock.now += 3_600
            try await fixture.authority.sendCode(.recovery, to: "anna@example.org")
            let second = try #require(try await fixture.delivered().last)
            let again = try await fixture.authority.signIn(.recovery, by: .code(second.code, email: second.address))
            #expect(again.user.userMetadata == ["name": "Anna"])
        }
    }

    @Test(
        "SC-3 the first mail of a new account is sent, whatever strangers requested before; further ones are limited",
        arguments: SQLDialect.allCases)
    func first(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            for number in 1...3 {
                for purpose in [MailPurpose.signUp, .recovery] {
                    let source = CallerSource(network: "198.51.100.\(number)")
                    try await fixture.authority.sendCode(purpose, to: "anna@example.org", source: source)
                }
            }
            #expect(try await fixture.delivered().isEmpty, "there is no recipient")
            try await signUp(fixture, AuthorityFixture.password)
            let mails = try await fixture.delivered()
            #expect(mails.count == 1)
            for _ in 1...3 { try await signUp(fixture, AuthorityFixture.password) }
            #expect(try await fixture.delivered().isEmpty)
            let mail = try #require(mails.first)
            let grant = try await fixture.authority.signIn(.signUp, by: .code(mail.code, email: mail.address))
            #expect(grant.user.emailConfirmedAt != nil)
        }
    }

    @Test("a sign-up takes the same work for any holder of the address, and for any password", arguments: SQLDialect.allCases)
    func work(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            var work: Set<[String: Int]> = []
            for password in [Self.strangers, Self.strangers, AuthorityFixture.password, AuthorityFixture.password] {
                _ = fixture.work.taken()
                try await signUp(fixture, password)
                work.insert(fixture.work.taken())
            }
            #expect(work == [["scrypt": 2]])
        }
    }

    @Test(
        "whatever the number of sign-ups, an address gets one mail a minute and three in nine minutes",
        arguments: SQLDialect.allCases)
    func mails(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            var sent = 0
            for round in 0..<15 {
                try await signUp(fixture, round.isMultiple(of: 2) ? Self.strangers : AuthorityFixture.password)
                sent += try await fixture.delivered().count
                fixture.clock.now += 61
            }
            #expect(sent == 6)
            fixture.clock.now += 3_600
            for password in [Self.strangers, AuthorityFixture.password] { try await signUp(fixture, password) }
            #expect(try await fixture.delivered().count == 1)
            #expect(await refusal { try await fixture.authority.sendCode(.signUp, to: "anna@example.org") } == "over_email_send_rate_limit")
        }
    }

    @Test("SC-3 simultaneous sign-ups with one new address bring no more mails than successive ones", arguments: SQLDialect.allCases)
    func mailsAtOnce(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, Self.careful) { fixture in
            for round in 0..<6 {
                let request = SignUpRequest(email: "anna\(round)@example.org", password: AuthorityFixture.password)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 1...8 {
                        let source = CallerSource(network: "198.51.100.\(number)")
                        group.addTask { _ = try await fixture.authority.signUp(request, source: source) }
                    }
                    try await group.waitForAll()
                }
                // Three of unknown sources in nine minutes, and the first of a new account.
                let count = try await fixture.delivered().count
                #expect((1...4).contains(count), "\(count)")
            }
        }
    }
}
