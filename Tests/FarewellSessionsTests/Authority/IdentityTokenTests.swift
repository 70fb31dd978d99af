// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
@testable import FarewellKeys
import FarewellSQL
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Sign in with Apple and Google")
struct IdentityTokenTests {
    @Test("a first sign-in creates a user, later ones find that user, even with a changed address", arguments: SQLDialect.allCases)
    func journey(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let first = try await fixture.authority.signIn(AuthorityFixture.identityToken("apple", ["name": "Anna"]))
            #expect(first.user.email == "anna@example.org" && first.user.emailConfirmedAt != nil)
            #expect(first.user.appMetadata["provider"] == "apple" && first.user.userMetadata["full_name"] == "Anna")
            #expect(first.user.identities.map(\.providerID) == ["001.abc"])
            let caller = try await fixture.caller(first)
            #expect(caller.session?.methods.map(\.provider) == ["apple"] && caller.session?.methods.map(\.method) == ["oauth"])
            let again = try await fixture.authority.signIn(AuthorityFixture.identityToken("apple", ["email": "other@example.org"]))
            #expect(again.user.id == first.user.id && again.sessionID != first.sessionID)
            #expect(await refusal { _ = try await fixture.signIn() } == "invalid_credentials", "there is no password")
        }
    }

    @Test("Item 11: the same address from two providers and from a sign-up makes three users", arguments: SQLDialect.allCases)
    func subjects(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let password = try await fixture.person().user
            let apple = try await fixture.authority.signIn(AuthorityFixture.identityToken("apple")).user
            let google = try await fixture.authority.signIn(AuthorityFixture.identityToken("google")).user
            #expect(Set([password.id, apple.id, google.id]).count == 3)
            #expect(apple.email == nil && google.email == nil, "the address stays with whom it is")
            let spelled = try await fixture.authority.signIn(AuthorityFixture.identityToken("google", ["iss": "accounts.google.com"])).user
            #expect(spelled.id == google.id, "Google writes its name in two ways")
            let unverified = try await fixture.authority.signIn(
                AuthorityFixture.identityToken("apple", ["sub": "002", "email": "new@example.org", "verified": nil])
            ).user
            #expect(unverified.email == nil)
        }
    }

    @Test("SC-2 issuers, audiences and subjects of identity tokens are compared as bytes, also for a proof of identity")
    func exact() async throws {
        try await AuthorityFixture.with(.sqlite, { $0.identityProviders = [.google(clientIDs: ["KLIENT"])] }) { fixture in
            func token(_ subject: String, for audience: String = "KLIENT") -> IdentityTokenRequest {
                AuthorityFixture.identityToken("google", ["sub": subject, "aud": audience])
            }
            let alike = await refusal { _ = try await fixture.authority.signIn(token("1", for: "\u{212A}LIENT")) }
            #expect(alike == "oauth.invalid_request")
            let caller = try await fixture.caller(try await fixture.authority.signIn(token("caf\u{E9}")))
            for (subject, isOwn) in [("caf\u{E9}", true), ("cafe\u{301}", false)] {
                let proof = Self.issuedNow(token(subject), at: fixture.clock.now)
                #expect(try await fixture.authority.confirm(proof, of: caller, since: fixture.clock.now) == isOwn, "\(subject)")
            }
        }
    }

    /// The same token, as the partner of the tests reads it, issued at a moment.
    private static func issuedNow(_ request: IdentityTokenRequest, at moment: Date) -> IdentityTokenRequest {
        let time = ",\"iat\":\"\(moment.timeIntervalSince1970)\"}"
        return IdentityTokenRequest(provider: request.provider, token: String(request.token.dropLast()) + time)
    }

    @Test("Items 7, 8: issuer, audience and nonce must match the contract (CVE-2026-31813)", arguments: SQLDialect.allCases)
    func refusals(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            func outcome(_ request: IdentityTokenRequest) async -> String? {
                do {
                    _ = try await fixture.authority.signIn(request)
                    return nil
                } catch let error as FarewellError {
                    return "\(error.code.rawValue): \(error.message)"
                } catch { return "\(error)" }
            }
            let bad = "auth.oauth.invalid_request: Bad ID token"
            #expect(await outcome(AuthorityFixture.identityToken("apple", ["iss": "https://evil.example.org"])) == bad)
            #expect(await outcome(AuthorityFixture.identityToken("apple", ["iss": "https://accounts.google.com"])) == bad)
            #expect(await outcome(AuthorityFixture.identityToken("apple", ["sub": ""])) == bad)
            #expect(await outcome(IdentityTokenRequest(provider: "apple", token: "garbage")) == bad)
            let audience = "auth.oauth.invalid_request: Unacceptable audience in id_token"
            let other = AuthorityFixture.identityToken("apple", ["aud": "org.example.other"])
            #expect(await outcome(other) == audience + ": [org.example.other]")
            #expect(await outcome(AuthorityFixture.identityToken("apple", ["aud": nil])) == audience + ": []")
            let held = IdentityTokenRequest(provider: "apple", token: "for others")
            #expect(await outcome(held) == audience + ": [one two]", "where the verifier holds it against the settings itself")
            let hashed = SHA256.hash(data: Data("my nonce".utf8)).hexadecimal
            let either = "auth.oauth.invalid_request: Passed nonce and nonce in id_token should either both exist or not."
            #expect(await outcome(AuthorityFixture.identityToken("apple", ["nonce": hashed], nonce: "my nonce")) == nil)
            #expect(await outcome(AuthorityFixture.identityToken("apple", ["nonce": hashed])) == either)
            #expect(await outcome(AuthorityFixture.identityToken("apple", nonce: "my nonce")) == either)
            let mismatch = "auth.oauth.invalid_nonce: Nonces mismatch"
            #expect(await outcome(AuthorityFixture.identityToken("apple", ["nonce": hashed], nonce: "another")) == mismatch)
            #expect(await outcome(AuthorityFixture.identityToken("apple", ["nonce": "my nonce"], nonce: "my nonce")) == mismatch)
            #expect(await outcome(AuthorityFixture.identityToken("apple", ["nonce": hashed.uppercased()], nonce: "my nonce")) == mismatch)
            let disabled = "auth.provider_disabled: The provider is not enabled"
            #expect(await outcome(AuthorityFixture.identityToken("facebook")) == disabled)
            let unreachable = await refusal {
                _ = try await fixture.authority.signIn(IdentityTokenRequest(provider: "apple", token: "unreachable"))
            }
            #expect(unreachable == "test.unreachable", "a provider that does not answer is not a bad token")
            let users = try await fixture.count("users")
            #expect(users == 1)
        }
    }

    @Test("Apple's refresh token is kept sealed, and deleted with the user", arguments: SQLDialect.allCases)
    func code(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let user = try await fixture.authority.signIn(AuthorityFixture.identityToken("apple", code: "one")).user
            let kept = try await fixture.authority.providerCredential(of: user.id, provider: "apple")
            #expect(kept?.refreshToken == "apple-refresh-one" && kept?.clientID == "org.example.app")
            _ = try await fixture.authority.signIn(AuthorityFixture.identityToken("apple", code: "refused"))
            #expect(try await fixture.authority.providerCredential(of: user.id, provider: "apple")?.refreshToken == "apple-refresh-one")
            _ = try await fixture.authority.signIn(AuthorityFixture.identityToken("apple", code: "two"))
            #expect(try await fixture.authority.providerCredential(of: user.id, provider: "apple")?.refreshToken == "apple-refresh-two")
            let sealed = try await fixture.run("SELECT sealed_refresh_token FROM \(fixture.table("provider_credentials"))").scalar?.bytes
            #expect(try #require(sealed).count > 20)
            // Sealed for one user: it does not open for another.
            #expect(throws: FarewellError.self) {
                try fixture.authority.context.keys.open(try #require(sealed), .providerCredential, of: ["apple", UUID().text])
            }
            try await fixture.authority.deleteUser(user.id)
            #expect(try await fixture.count("provider_credentials") == 0)
            #expect(!fixture.fixture.log.lines.contains { $0.contains("apple-refresh") || $0.contains("refused") })
        }
    }

    @Test("AD-8 the same Apple ID after deletion is a new user", arguments: SQLDialect.allCases, UserDeletion.allCases)
    func afterDeletion(dialect: SQLDialect, deletion: UserDeletion) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let before = try await fixture.authority.signIn(AuthorityFixture.identityToken()).user
            try await fixture.authority.deleteUser(before.id, deletion)
            let after = try await fixture.authority.signIn(AuthorityFixture.identityToken()).user
            #expect(after.id != before.id && after.email == "anna@example.org" && after.identities.count == 1)
        }
    }

    @Test("Item 18: eight simultaneous first sign-ins make one user", arguments: SQLDialect.allCases)
    func together(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let people = try await withThrowingTaskGroup(of: UUID.self) { group in
                for _ in 0..<8 { group.addTask { try await fixture.authority.signIn(AuthorityFixture.identityToken()).user.id } }
                return try await group.reduce(into: Set<UUID>()) { $0.insert($1) }
            }
            #expect(people.count == 1)
            #expect(try await fixture.count("users") == 1)
            #expect(try await fixture.count("sessions") == 8)
        }
    }

    @Test("barred users cannot sign in, and no new user is created while sign-up is closed", arguments: SQLDialect.allCases)
    func barred(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let user = try await fixture.authority.signIn(AuthorityFixture.identityToken()).user
            var ban = AdministratorChange()
            ban.banDuration = "1h"
            _ = try await fixture.authority.updateUser(user.id, ban)
            #expect(await refusal { _ = try await fixture.authority.signIn(AuthorityFixture.identityToken()) } == "user_banned")
            fixture.clock.now += 3601
            let closed = try await fixture.again { $0.signUp = .closed }
            #expect(try await closed.signIn(AuthorityFixture.identityToken()).user.id == user.id)
            let unknown = AuthorityFixture.identityToken("apple", ["sub": "new"])
            #expect(await refusal { _ = try await closed.signIn(unknown) } == "signup_disabled")
        }
    }
}
