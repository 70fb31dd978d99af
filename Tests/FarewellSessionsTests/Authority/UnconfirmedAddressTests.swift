// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Addresses that nobody has confirmed")
struct UnconfirmedAddressTests {
    typealias House = AuthorityHouse

    private static let careful: @Sendable (inout AuthoritySettings) -> Void = { $0.emailConfirmation = .required }
    private static let strangers = "a stranger's password"

    private func signUp(_ house: House, _ password: String, _ metadata: [String: JSONValue] = [:]) async throws {
        _ = try await house.authority.signUp(
            SignUpRequest(email: "anna@example.org", password: password, metadata: metadata))
    }

    private func signIn(_ house: House, _ password: String) async -> String? {
        await refusal { _ = try await house.authority.signIn(email: "anna@example.org", password: password) }
    }

    @Test(
        "who signed up with somebody else's address before them has nothing of it: neither password nor data count",
        arguments: SQLDialect.allCases, [true, false])
    func before(dialect: SQLDialect, isStrangerLast: Bool) async throws {
        try await House.with(dialect, Self.careful) { house in
            try await signUp(house, Self.strangers, ["name": "a stranger"])
            _ = try await house.delivered()
            house.clock.now += 14 * 86_400
            try await signUp(house, House.password, ["name": "Anna"])
            if isStrangerLast { try await signUp(house, Self.strangers, ["name": "a stranger"]) }
            let mail = try #require(try await house.delivered().last)
            let grant = try await house.authority.signIn(.signUp, by: .code(mail.code, email: mail.address))
            #expect(grant.user.userMetadata.isEmpty)
            for password in [Self.strangers, House.password] { #expect(await signIn(house, password) == "invalid_credentials") }
            // Anna is in by her code, and sets one.
            _ = try await house.authority.update(try await house.caller(grant), UserChange(password: House.password))
            #expect(await signIn(house, House.password) == nil)
            #expect(await signIn(house, Self.strangers) == "invalid_credentials")
        }
    }

    @Test("who signs up twice with the same password has it", arguments: SQLDialect.allCases)
    func twice(dialect: SQLDialect) async throws {
        try await House.with(dialect, Self.careful) { house in
            for _ in 0..<2 { try await signUp(house, House.password, ["name": "Anna"]) }
            let mail = try #require(try await house.delivered().last)
            let grant = try await house.authority.signIn(.signUp, by: .code(mail.code, email: mail.address))
            #expect(grant.user.userMetadata == ["name": "Anna"])
            #expect(await signIn(house, House.password) == nil)
        }
    }

    @Test(
        "SC-3 an account in use whose new address is not confirmed yet loses nothing when a stranger signs up with it",
        arguments: SQLDialect.allCases)
    func inUse(dialect: SQLDialect) async throws {
        try await House.with(dialect, Self.careful) { house in
            try await signUp(house, House.password, ["name": "Anna"])
            let mail = try #require(try await house.delivered().last)
            let grant = try await house.authority.signIn(.signUp, by: .code(mail.code, email: mail.address))
            var change = AdministratorChange()
            change.email = "anna@example.com"
            _ = try await house.authority.updateUser(grant.user.id, change)
            _ = try await house.authority.signUp(
                SignUpRequest(email: "anna@example.com", password: Self.strangers, metadata: ["name": "a stranger"]))
            #expect(try await house.caller(grant).user.userMetadata == ["name": "Anna"])
            change = AdministratorChange()
            change.confirmsEmail = true
            _ = try await house.authority.updateUser(grant.user.id, change)
            _ = try await house.authority.signIn(email: "anna@example.com", password: House.password)
        }
    }

    @Test(
        "SC-4 a role that everybody has cannot administer people", arguments: ["authenticated", "anon", ""])
    func everybodysRole(role: String) async {
        await #expect(throws: FarewellError.self) {
            try await House.with(.sqlite, { $0.administratorRoles = [role, "service_role"] }) { _ in }
        }
    }

    @Test("a confirmed account loses nothing by whoever signs up with its address", arguments: SQLDialect.allCases)
    func confirmed(dialect: SQLDialect) async throws {
        try await House.with(dialect, Self.careful) { house in
            try await signUp(house, House.password, ["name": "Anna"])
            let mail = try #require(try await house.delivered().last)
            _ = try await house.authority.signIn(.signUp, by: .code(mail.code, email: mail.address))
            try await signUp(house, Self.strangers, ["name": "a stranger"])
            #expect(await signIn(house, Self.strangers) == "invalid_credentials")
            let grant = try await house.signIn()
            #expect(grant.user.userMetadata == ["name": "Anna"])
        }
    }

    @Test(
        "SC-3 who recovers an account that nobody confirmed gets it without the password and the data it had",
        arguments: SQLDialect.allCases)
    func recovered(dialect: SQLDialect) async throws {
        try await House.with(dialect, Self.careful) { house in
            try await signUp(house, Self.strangers, ["role": "admin"])
            _ = try await house.delivered()
            try await house.authority.sendCode(.recovery, to: "anna@example.org")
            let mail = try #require(try await house.delivered().last)
            let grant = try await house.authority.signIn(.recovery, by: .code(mail.code, email: mail.address))
            #expect(grant.user.emailConfirmedAt != nil && grant.user.userMetadata.isEmpty)
            #expect(try await house.caller(grant).user.userMetadata.isEmpty)
            #expect(await signIn(house, Self.strangers) == "invalid_credentials")
            // What the owner says counts from now on, also when they forget the password.
            _ = try await house.authority.update(
                try await house.caller(grant), UserChange(password: House.password, metadata: ["name": "Anna"]))
            house.clock.now += 3_600
            try await house.authority.sendCode(.recovery, to: "anna@example.org")
            let second = try #require(try await house.delivered().last)
            let again = try await house.authority.signIn(.recovery, by: .code(second.code, email: second.address))
            #expect(again.user.userMetadata == ["name": "Anna"])
        }
    }

    @Test(
        "SC-3 the first mail of a new account goes out, whatever strangers asked for before; further ones are limited",
        arguments: SQLDialect.allCases)
    func first(dialect: SQLDialect) async throws {
        try await House.with(dialect, Self.careful) { house in
            for number in 1...3 {
                for purpose in [MailPurpose.signUp, .recovery] {
                    let source = CallerSource(network: "198.51.100.\(number)")
                    try await house.authority.sendCode(purpose, to: "anna@example.org", source: source)
                }
            }
            #expect(try await house.delivered().isEmpty, "there is nobody to write to")
            try await signUp(house, House.password)
            let mails = try await house.delivered()
            #expect(mails.count == 1)
            for _ in 1...3 { try await signUp(house, House.password) }
            #expect(try await house.delivered().isEmpty)
            let mail = try #require(mails.first)
            let grant = try await house.authority.signIn(.signUp, by: .code(mail.code, email: mail.address))
            #expect(grant.user.emailConfirmedAt != nil)
        }
    }

    @Test("a sign-up takes the same work whoever holds the address, and by whichever password", arguments: SQLDialect.allCases)
    func work(dialect: SQLDialect) async throws {
        try await House.with(dialect, Self.careful) { house in
            var work: Set<[String: Int]> = []
            for password in [Self.strangers, Self.strangers, House.password, House.password] {
                _ = house.work.taken()
                try await signUp(house, password)
                work.insert(house.work.taken())
            }
            #expect(work == [["scrypt": 2]])
        }
    }

    @Test(
        "however often somebody signs up with an address, one mail a minute and three in nine minutes go to it",
        arguments: SQLDialect.allCases)
    func mails(dialect: SQLDialect) async throws {
        try await House.with(dialect, Self.careful) { house in
            var sent = 0
            for round in 0..<15 {
                try await signUp(house, round.isMultiple(of: 2) ? Self.strangers : House.password)
                sent += try await house.delivered().count
                house.clock.now += 61
            }
            #expect(sent == 6)
            house.clock.now += 3_600
            for password in [Self.strangers, House.password] { try await signUp(house, password) }
            #expect(try await house.delivered().count == 1)
            #expect(await refusal { try await house.authority.sendCode(.signUp, to: "anna@example.org") } == "over_email_send_rate_limit")
        }
    }
}
