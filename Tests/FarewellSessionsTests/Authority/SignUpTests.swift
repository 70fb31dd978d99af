// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Sign-up and sign-in")
struct SignUpTests {
    @Test("a user signs up, gets their own record, and signs in again", arguments: SQLDialect.allCases)
    func journey(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let request = SignUpRequest(
                email: " Anna@Example.org", password: AuthorityFixture.password, metadata: ["name": "Anna"])
            let outcome = try await fixture.authority.signUp(request)
            guard case .session(let grant) = outcome else { Issue.record("no session"); return }
            #expect(grant.user.email == "anna@example.org" && grant.user.userMetadata == ["name": "Anna"])
            #expect(grant.user.appMetadata == ["provider": "email", "providers": .array(["email"])])
            #expect(grant.user.identities.map(\.provider) == ["email"] && grant.user.emailConfirmedAt != nil)
            #expect(grant.user.identities.first?.data["email"] == "anna@example.org")
            #expect(grant.expiresIn == 3600 && grant.expiresAt == fixture.clock.now + 3600)
            fixture.clock.now += 10
            let again = try await fixture.signIn()
            #expect(again.user.id == grant.user.id && again.user.lastSignInAt == fixture.clock.now)
            #expect("\(again)" == "SessionGrant(***)")
            var dumped = ""
            dump(again, to: &dumped)
            #expect(!dumped.contains(again.refreshToken) && !dumped.contains(again.accessToken))
        }
    }

    @Test("an invalid sign-up is refused in the contract's codes", arguments: SQLDialect.allCases)
    func refusals(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, { $0.anonymousSignUp = .refused }) { fixture in
            func code(_ request: SignUpRequest) async -> String? {
                await refusal { _ = try await fixture.authority.signUp(request) }
            }
            try await fixture.person()
            #expect(
                await code(SignUpRequest(email: "ANNA@example.org", password: AuthorityFixture.password)) == "user_already_exists")
            #expect(await code(SignUpRequest(email: "b@example.org")) == "validation_failed")
            #expect(await code(SignUpRequest(email: "b@example.org", phone: "1", password: "x")) == "validation_failed")
            #expect(await code(SignUpRequest(phone: "123", password: AuthorityFixture.password)) == "phone_provider_disabled")
            #expect(await code(SignUpRequest(email: "nobody", password: AuthorityFixture.password)) == "validation_failed")
            #expect(await code(SignUpRequest(email: "b@example.org", password: "short")) == "weak_password")
            #expect(
                await code(SignUpRequest(email: "b@example.org", password: "with\u{0}nothing in it"))
                    == "validation_failed")
            let long = String(repeating: "ü", count: 257)
            #expect(await code(SignUpRequest(email: "b@example.org", password: long)) == "validation_failed")
            #expect(await code(SignUpRequest()) == "anonymous_provider_disabled")
            let much: [String: JSONValue] = ["a": .string(String(repeating: "a", count: 5000))]
            #expect(
                await code(SignUpRequest(email: "b@example.org", password: AuthorityFixture.password, metadata: much))
                    == "validation_failed")
            let closed = try await fixture.again { $0.signUp = .closed }
            let refused = await refusal {
                _ = try await closed.signUp(SignUpRequest(email: "c@example.org", password: AuthorityFixture.password))
            }
            #expect(refused == "signup_disabled")
            #expect(try await fixture.count("users") == 1)
        }
    }

    @Test("a user may sign up without an identity, and add one later", arguments: SQLDialect.allCases)
    func anonymous(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            guard case .session(let grant) = try await fixture.authority.signUp(SignUpRequest()) else { return }
            let caller = try await fixture.caller(grant)
            #expect(caller.user.isAnonymous && caller.claims.isAnonymous == true && caller.user.identities.isEmpty)
            #expect(caller.session?.methods.map(\.method) == ["anonymous"])
            #expect(
                await refusal { _ = try await fixture.authority.update(caller, UserChange(password: "a new password")) }
                    == "validation_failed")
            let known = try await fixture.authority.update(
                caller, UserChange(email: "anna@example.org", password: AuthorityFixture.password))
            #expect(!known.isAnonymous && known.id == caller.user.id && known.identities.map(\.provider) == ["email"])
            _ = try await fixture.signIn()
        }
    }

    @Test(
        "an address that must be confirmed admits no user before, and hides which users have an account",
        arguments: SQLDialect.allCases)
    func confirmation(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, { $0.emailConfirmation = .required }) { fixture in
            let request = SignUpRequest(email: "anna@example.org", password: AuthorityFixture.password)
            guard case .user(let user) = try await fixture.authority.signUp(request) else {
                Issue.record("signed in"); return
            }
            #expect(user.emailConfirmedAt == nil)
            guard case .user(let other) = try await fixture.authority.signUp(request) else {
                Issue.record("signed in"); return
            }
            #expect(other.id != user.id && other.role == user.role && other.identities.count == user.identities.count)
            #expect(try await fixture.count("users") == 1)
            #expect(await refusal { _ = try await fixture.signIn() } == "email_not_confirmed")
            var change = AdministratorChange()
            change.confirmsEmail = true
            _ = try await fixture.authority.updateUser(user.id, change)
            _ = try await fixture.signIn()
        }
    }

    @Test(
        "AD-8 a sign-up after deletion makes a new user with none of the old data",
        arguments: SQLDialect.allCases,
        UserDeletion.allCases)
    func afterDeletion(dialect: SQLDialect, deletion: UserDeletion) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let before = try await fixture.authority.signUp(
                SignUpRequest(email: "anna@example.org", password: AuthorityFixture.password, metadata: ["old": true])
            ).user
            try await fixture.authority.deleteUser(before.id, deletion)
            #expect(await refusal { _ = try await fixture.signIn() } == "invalid_credentials")
            let after = try await fixture.person().user
            #expect(after.id != before.id && after.userMetadata.isEmpty && after.identities.count == 1)
        }
    }

    @Test(
        "a password attempt counts for the account, whether or not the account exists", arguments: SQLDialect.allCases,
        ["anna", "nobody"])
    func attempts(dialect: SQLDialect, name: String) async throws {
        let limit: @Sendable (inout AuthoritySettings) -> Void = {
            $0.attempts = AttemptLimit(attempts: 5, window: .seconds(300))
        }
        try await AuthorityFixture.with(dialect, limit) { fixture in
            try await fixture.person()
            // Another server counts the same attempts.
            let other = try await fixture.again(limit)
            let email = "\(name)@example.org"
            for attempt in 0..<5 {
                let authority = attempt.isMultiple(of: 2) ? fixture.authority : other
                #expect(
                    await refusal { _ = try await authority.signIn(email: email, password: "wrong") }
                        == "invalid_credentials")
            }
            _ = fixture.work.taken()
            let right = await refusal { _ = try await other.signIn(email: email, password: AuthorityFixture.password) }
            #expect(right == "over_request_rate_limit" && fixture.work.taken().isEmpty, "nothing is hashed for it")
            fixture.clock.now += 301
            let later = await refusal { _ = try await other.signIn(email: email, password: AuthorityFixture.password) }
            #expect(later == (name == "anna" ? nil : "invalid_credentials"))
            try await fixture.authority.prune()
            fixture.clock.now += 86_401
            try await fixture.authority.prune()
            #expect(try await fixture.count("password_attempts") == 0)
        }
    }

    @Test("a sign-in counts only if the checked password is still the current one", arguments: SQLDialect.allCases)
    func changedMeanwhile(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let anna = try await fixture.person()
            let authority = fixture.authority
            let stale = PasswordCheck(stored: "what was there before", replacement: nil)
            let code = await refusal {
                _ = try await fixture.fixture.database.transaction { connection in
                    try await authority.parts.issuer.begin(
                        anna.user.id, method: "password", device: SessionDevice(), checked: stale, on: connection)
                }
            }
            #expect(code == "invalid_credentials")
            #expect(try await fixture.count("sessions") == 1)
        }
    }

    /// One address in both of its forms: composed, and decomposed as some keyboards and file systems have it.
    static let forms = (composed: "jos\u{E9}@example.org", apart: "JOSE\u{301}@example.org")

    private static func change(to address: String) -> AdministratorChange {
        var change = AdministratorChange()
        change.email = address
        return change
    }

    @Test("an address is one account, whatever the Unicode composition of its letters", arguments: SQLDialect.allCases)
    func composed(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, { $0.attempts = AttemptLimit(attempts: 3, window: .seconds(300)) }) { fixture in
            let anna = try await fixture.person().user.id
            let request = SignUpRequest(email: Self.forms.apart, password: AuthorityFixture.password)
            guard case .session(let grant) = try await fixture.authority.signUp(request) else { Issue.record("no session"); return }
            #expect(Array((grant.user.email ?? "").utf8) == Array(Self.forms.composed.utf8))
            let caller = try await fixture.caller(try await fixture.signIn())
            for address in [Self.forms.composed, Self.forms.apart] {
                let known = try await fixture.authority.signIn(email: address, password: AuthorityFixture.password)
                #expect(known.user.id == grant.user.id)
                let again = SignUpRequest(email: address, password: AuthorityFixture.password)
                #expect(await refusal { _ = try await fixture.authority.signUp(again) } == "user_already_exists")
                let draft = Self.change(to: address)
                #expect(await refusal { _ = try await fixture.authority.createUser(draft) } == "email_exists")
                #expect(await refusal { _ = try await fixture.authority.updateUser(anna, draft) } == "email_exists")
                let wanted = UserChange(email: address)
                _ = try await fixture.authority.update(caller, wanted)
                #expect(try await fixture.authority.user(caller.user.id).email == "anna@example.org")
                fixture.clock.now += 601
                #expect(try await fixture.authority.users(filter: address).users.map(\.id) == [grant.user.id])
            }
            var codes: [String?] = []
            for address in [Self.forms.composed, Self.forms.apart, Self.forms.composed, Self.forms.apart] {
                codes.append(await refusal { _ = try await fixture.authority.signIn(email: address, password: "wrong") })
            }
            #expect(codes.last == "over_request_rate_limit", "tries of both forms are one account's")
            #expect(try await fixture.count("users") == 2)
        }
    }

    @Test("a user stored with a decomposed address is found by it, and no other user gets the account", arguments: SQLDialect.allCases)
    func apart(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let (mine, other) = (try await fixture.person().user.id, try await fixture.person("other").user.id)
            let set = "UPDATE \(fixture.table("users")) SET email = $1 WHERE id = $2"
            _ = try await fixture.run(set, .text(Self.forms.apart.lowercased()), .uuid(mine))
            let request = SignUpRequest(email: Self.forms.composed, password: AuthorityFixture.password)
            #expect(await refusal { _ = try await fixture.authority.signUp(request) } == "user_already_exists")
            for address in [Self.forms.composed, Self.forms.apart] {
                let grant = try await fixture.authority.signIn(email: address, password: AuthorityFixture.password)
                #expect(grant.user.id == mine)
            }
            try await fixture.authority.sendCode(.recovery, to: Self.forms.composed)
            let mail = try #require(try await fixture.delivered().first)
            let proof = CodeProof.code(mail.code, email: Self.forms.apart)
            #expect(try await fixture.authority.signIn(.recovery, by: proof).user.id == mine)
            // Two accounts of one address, as they could be made before: it is the composed one's.
            _ = try await fixture.run(set, .text(Self.forms.composed), .uuid(other))
            fixture.clock.now += 61
            let grant = try await fixture.authority.signIn(email: Self.forms.apart, password: AuthorityFixture.password)
            #expect(grant.user.id == other)
            try await fixture.authority.sendCode(.recovery, to: Self.forms.apart)
            #expect(try await fixture.delivered().map(\.user.id) == [other])
        }
    }
}
