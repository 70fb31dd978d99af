// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Testing

@testable import FarewellVerifier

/// Tokens with the claims that the issuers themselves write, at the edges of what they allow.
@Suite("Valid tokens of other issuers in unusual forms")
struct LawfulTokenTests {
    private static let second = Trial.second

    private static func trial(_ name: String) throws -> Trial {
        try #require(Trial.all().first { $0.testDescription == name })
    }

    @Test(
        "SV-6 a token as long as its issuer may make it is accepted",
        arguments: [
            ("Cognito access, RS256", 86_400), ("Cognito id, RS256", 86_400), ("Apple, RS256", 86_400), ("Google, RS256", 3600),
            ("Firebase, RS256", 3600), ("Supabase, RS256", 604_800), ("OpenID, PS256", 2_592_000), ("Farewell, ES256", 86_400),
        ] as [(String, Int64)])
    func longest(name: String, life: Int64) async throws {
        let trial = try Self.trial(name)
        let claims = trial.claims.merging(["iat": .integer(Self.second), "exp": .integer(Self.second + life)]) { $1 }
        let token = try trial.token(trial.header, claims)
        _ = try await trial.verifier().verify(token)
        let strict = try trial.verifier(settings: VerifierSettings(longestLife: .seconds(3599)))
        await #expect(throws: TokenRefusal.time) { try await strict.verify(token) }
    }

    @Test("SV-6 a Cognito access token in its usual form: no typ, no aud, times and groups")
    func cognito() async throws {
        let trial = try Self.trial("Cognito access, RS256")
        let claims = trial.claims.merging([
            "cognito:groups": .array(["readers", "writers"]), "event_id": "64f513be", "scope": "aws.cognito.signin.user.admin",
            "auth_time": .integer(Self.second - 4000), "jti": "e7a6", "username": "ab12", "version": 2,
        ]) { $1 }
        let token = try trial.token(["alg": "RS256", "kid": "c-1"], claims)
        #expect(try await trial.verifier().verify(token).sessionID == "c0ffee")
        // A pool in which revocation is switched off names no session.
        let unnamed = try trial.token(["alg": "RS256", "kid": "c-1"], claims.filter { $0.key != "origin_jti" })
        #expect(try await trial.verifier().verify(unnamed).sessionID == nil)
    }

    @Test("SV-6 a Firebase token in its usual form: custom claims, tenant, sign-in provider; also of an anonymous user")
    func firebase() async throws {
        let trial = try Self.trial("Firebase, RS256")
        let claims = trial.claims.filter { $0.key != "email" && $0.key != "email_verified" }.merging([
            "user_id": "Jx7", "provider_id": "anonymous", "admin": true,
            "firebase": .object([
                "identities": .object(["google.com": .array(["1"]), "email": .array(["a@example.org"])]),
                "sign_in_provider": "anonymous", "tenant": "t-1",
            ]),
        ]) { $1 }
        #expect(try await trial.verifier().verify(trial.token(trial.header, claims)).person.subject == "Jx7")
    }

    @Test("SV-6 an OpenID Connect issuer may omit iat, but not in RFC 9068 tokens; the earliest possible time counts")
    func silentAboutIssue() async throws {
        let trial = try Self.trial("OpenID, PS256")
        let claims = trial.claims.filter { $0.key != "iat" }
        let token = try await trial.verifier().verify(trial.token(trial.header, claims))
        #expect(token.issuedAt == token.expiresAt.addingTimeInterval(-2_592_000))
        let list = RevocationList(retention: .seconds(1), environment: ManualTime().environment)
        list.note(
            RevokedTokens(
                issuer: token.person.issuer, scope: .subject("u1", before: Trial.now.addingTimeInterval(-86_400)), revokedAt: Trial.now))
        list.heard()
        let careful = try trial.verifier(revocations: list)
        await #expect(throws: TokenRefusal.revoked) { try await careful.verify(trial.token(trial.header, claims)) }
        let newer = Trial(testDescription: "at+jwt", key: trial.key, claims: claims) {
            try .openID("https://id.example.org/K", keys: $0, audiences: ["api://Kestrel"], types: ["at+jwt"])
        }
        let header = trial.header.merging(["typ": "at+jwt"]) { $1 }
        await #expect(throws: TokenRefusal.claims) { try await newer.verifier().verify(newer.token(header, claims)) }
    }

    @Test("revocations are kept as long as any issuer's longest token lives")
    func retention() throws {
        let keys = try IssuerKeys.secret(Trial.secret)
        let farewell = try TrustedIssuer.farewell("https://i", keys: keys)
        let other = try TrustedIssuer.openID("https://o", keys: keys, audiences: ["a"], longestLife: .seconds(100_000))
        #expect(VerifierSettings().retention(of: [farewell]) == .seconds(86_460))
        #expect(VerifierSettings().retention(of: [farewell, other]) == .seconds(100_060))
        #expect(VerifierSettings(longestLife: .seconds(60)).retention(of: [farewell, other]) == .seconds(120))
        #expect(farewell.longestLife == .seconds(86_400) && other.longestLife == .seconds(100_000))
    }
}
