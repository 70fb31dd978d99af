// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Changing one's account")
struct UserUpdateTests {
    @Test("Item 21: a new password ends the other sessions and keeps this one", arguments: SQLDialect.allCases)
    func password(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let (own, other) = (try await fixture.person(), try await fixture.signIn())
            let caller = try await fixture.caller(own)
            func code(_ change: UserChange) async -> String? { await refusal { _ = try await fixture.authority.update(caller, change) } }
            #expect(await code(UserChange(password: AuthorityFixture.password)) == "same_password")
            #expect(await code(UserChange(password: "short")) == "weak_password")
            #expect(await code(UserChange(phone: "123")) == "phone_provider_disabled")
            _ = try await fixture.caller(other)
            #expect(await code(UserChange(password: "a new password")) == nil)
            _ = try await fixture.caller(own)
            _ = try await fixture.authority.refresh(own.refreshToken)
            #expect(await refusal { _ = try await fixture.caller(other) } == "session_not_found")
            #expect(try await fixture.authority.revocations().map(\.reason) == [.passwordChanged])
            #expect(try await fixture.authority.ending(of: other.sessionID) == .passwordChanged)
            #expect(await refusal { _ = try await fixture.signIn() } == "invalid_credentials")
            _ = try await fixture.authority.signIn(email: "anna@example.org", password: "a new password")
        }
    }

    @Test("a rule may require the present password", arguments: SQLDialect.allCases)
    func currentPassword(dialect: SQLDialect) async throws {
        let rule: @Sendable (inout AuthoritySettings) -> Void = { ($0.passwordChange, $0.attempts.attempts) = (.withCurrentPassword, 3) }
        try await AuthorityFixture.with(dialect, rule) { fixture in
            let caller = try await fixture.caller(try await fixture.person())
            func code(_ current: String?) async -> String? {
                await refusal {
                    _ = try await fixture.authority.update(caller, UserChange(password: "a new password", currentPassword: current))
                }
            }
            #expect(await code(nil) == "current_password_required")
            for _ in 0..<3 { #expect(await code("wrong") == "current_password_invalid") }
            #expect(await code(AuthorityFixture.password) == "over_request_rate_limit", "a stolen session guesses no password")
            fixture.clock.now += 301
            #expect(await code(AuthorityFixture.password) == nil)
        }
    }

    @Test("SC-3 a stolen session cannot find out the password by setting it as the new one", arguments: SQLDialect.allCases)
    func oracle(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let caller = try await fixture.caller(try await fixture.person())
            // A change that is refused afterwards leaves the password as it was, and would be a silent guess.
            let metadata: [String: JSONValue] = ["x": .string(String(repeating: "x", count: 100_000))]
            func code(_ guess: String) async -> String? {
                await refusal {
                    _ = try await fixture.authority.update(caller, UserChange(password: guess, metadata: metadata))
                }
            }
            for number in 0..<fixture.authority.settings.attempts.perSource {
                #expect(await code("a wrong guess \(number)") == "validation_failed")
            }
            #expect(await code("another guess") == "over_request_rate_limit")
            #expect(await code(AuthorityFixture.password) == "over_request_rate_limit", "the right guess looks like a wrong one")
            _ = try await fixture.signIn()
        }
    }

    @Test(
        "SC-2 metadata that cannot fit is refused before a transaction begins, from users and from operators",
        arguments: SQLDialect.allCases)
    func longMetadata(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let signedIn = try await fixture.person()
            let caller = try await fixture.caller(signedIn)
            let long: [[String: JSONValue]] = [
                ["x": .string(String(repeating: "x", count: 4_096))],
                ["x": .array(Array(repeating: .array([.integer(1)]), count: 1_100))],
                Dictionary(uniqueKeysWithValues: (0..<5_000).map { ("\($0)", JSONValue.null) }),
            ]
            for metadata in long {
                let change = UserChange(metadata: metadata)
                #expect(await refusal { _ = try await fixture.authority.update(caller, change) } == "validation_failed")
                var administered = AdministratorChange()
                administered.appMetadata = metadata
                let others = administered
                #expect(
                    await refusal { _ = try await fixture.authority.updateUser(UUID(), others) } == "validation_failed",
                    "before the user is looked for")
            }
            // Members are taken away by null, however long their names are.
            let name = String(repeating: "n", count: 200)
            _ = try await fixture.authority.update(caller, UserChange(metadata: [name: .string("a"), "b": .integer(1)]))
            let gone = Dictionary(uniqueKeysWithValues: (0..<30).map { ("\(name)\($0)", JSONValue.null) })
            let user = try await fixture.authority.update(caller, UserChange(metadata: gone.merging([name: .null]) { $1 }))
            #expect(user.userMetadata[name] == nil && user.userMetadata["b"] == .integer(1))
        }
    }

    @Test("a present password that is given must be right, even where it is not required", arguments: SQLDialect.allCases)
    func toldPassword(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let caller = try await fixture.caller(try await fixture.person())
            let change = { UserChange(password: "a new password", currentPassword: $0) }
            #expect(await refusal { _ = try await fixture.authority.update(caller, change("wrong")) } == "current_password_invalid")
            _ = try await fixture.authority.update(caller, change(AuthorityFixture.password))
        }
    }

    @Test("Item 34: a mailed code has ten minutes, five attempts and one use, for one user", arguments: SQLDialect.allCases)
    func reauthentication(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, { $0.passwordChange = .withCode(after: .seconds(86_400)) }) { fixture in
            let (anna, berta) = (try await fixture.person(), try await fixture.person("berta"))
            var annas = try await fixture.caller(anna)
            func code(_ caller: Caller, _ password: String, _ nonce: String?) async -> String? {
                await refusal { _ = try await fixture.authority.update(caller, UserChange(password: password, nonce: nonce)) }
            }
            #expect(await code(annas, "first password", nil) == nil, "the session is young")
            fixture.clock.now += 86_401
            let fresh = try await fixture.authority.refresh(anna.refreshToken)
            annas = try await fixture.caller(fresh)
            let bertas = try await fixture.caller(try await fixture.authority.refresh(berta.refreshToken))
            #expect(await code(annas, "second password", nil) == "reauthentication_needed")
            #expect(await code(annas, "second password", "123456") == "reauthentication_not_valid", "none was sent")
            try await fixture.authority.reauthenticate(annas)
            #expect(await refusal { try await fixture.authority.reauthenticate(annas) } == "over_email_send_rate_limit")
            let sent = try #require(try await fixture.delivered().last)
            #expect(sent.address == "anna@example.org" && sent.code.count == 6 && sent.code.allSatisfy(\.isNumber))
            #expect(await code(bertas, "second password", sent.code) == "reauthentication_not_valid")
            #expect(await code(annas, "second password", sent.code) == nil)
            #expect(await code(annas, "third password", sent.code) == "reauthentication_not_valid", "used up")
            fixture.clock.now += 61
            try await fixture.authority.reauthenticate(annas)
            let second = try #require(try await fixture.delivered().last?.code)
            for _ in 0..<5 {
                #expect(await code(annas, "third password", second == "000000" ? "1" : "000000") == "reauthentication_not_valid")
            }
            #expect(await code(annas, "third password", second) == "reauthentication_not_valid", "guessed too often")
            fixture.clock.now += 541
            try await fixture.authority.reauthenticate(annas)
            let third = try #require(try await fixture.delivered().last?.code)
            fixture.clock.now += 600
            #expect(await code(annas, "third password", third) == "reauthentication_not_valid", "too old")
            let stored = try await fixture.run("SELECT code_hash FROM \(fixture.table("one_time_codes"))").rows.compactMap {
                $0.first?.bytes
            }
            #expect(stored.count == 2 && stored.allSatisfy { $0.count == 32 } && !stored.contains(Array(third.utf8)))
        }
    }

    @Test(
        "a new address counts at once or after confirmation, and belongs to no other user",
        arguments: SQLDialect.allCases, EmailConfirmation.allCases)
    func email(dialect: SQLDialect, confirmation: EmailConfirmation) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let caller = try await fixture.caller(try await fixture.person())
            try await fixture.person("berta")
            let authority = try await fixture.again { $0.emailConfirmation = confirmation }
            _ = try await authority.update(caller, UserChange(email: "Berta@example.org"))
            #expect(try await authority.user(caller.user.id).email == "anna@example.org", "the address is no other user's")
            #expect(await refusal { _ = try await authority.update(caller, UserChange(email: "nothing")) } == "validation_failed")
            let changed = try await authority.update(caller, UserChange(email: "New@example.org"))
            switch confirmation {
            case .automatic:
                #expect(changed.email == "new@example.org" && changed.newEmail == nil)
                #expect(changed.identities.map { $0.data["email"] } == ["new@example.org"])
            case .required: #expect(changed.email == "anna@example.org" && changed.newEmail == "new@example.org")
            }
        }
    }

    @Test("users' metadata is merged, even from two simultaneous devices", arguments: SQLDialect.allCases)
    func metadata(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let caller = try await fixture.caller(try await fixture.person())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 {
                    group.addTask {
                        _ = try await fixture.authority.update(caller, UserChange(metadata: ["k\(number)": .integer(Int64(number))]))
                    }
                }
                try await group.waitForAll()
            }
            let user = try await fixture.authority.update(caller, UserChange(metadata: ["k0": .null, "k1": "one"]))
            #expect(user.userMetadata.count == 15 && user.userMetadata["k1"] == "one" && user.userMetadata["k15"] == 15)
            let much = UserChange(metadata: ["much": .string(String(repeating: "m", count: 4096))])
            #expect(await refusal { _ = try await fixture.authority.update(caller, much) } == "validation_failed")
            #expect(try await fixture.authority.user(user.id).appMetadata == user.appMetadata)
        }
    }
}
