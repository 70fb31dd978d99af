// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Testing

@testable import FarewellVerifier

/// An issuer as a service trusts it, and a token of its that is good in every respect.
struct Trial: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key: ForgedKey
    let claims: [String: JSONValue]
    /// The claim with the token's audience.
    var audience = "aud"
    /// Where the verifier finds the keys; `nil` for what the trial's own key publishes.
    var keys: (@Sendable (ForgedKey) throws -> IssuerKeys)?
    let trust: @Sendable (IssuerKeys) throws -> TrustedIssuer

    /// In seconds, from `iat` to `exp`.
    var longestLife: Int64 {
        testDescription.hasPrefix("Supabase") ? 604_800 : testDescription.hasPrefix("OpenID") ? 2_592_000 : 86_400
    }

    static let now = Date(timeIntervalSince1970: 1_790_000_000)
    static let second: Int64 = 1_790_000_000

    var header: [String: JSONValue] {
        var header: [String: JSONValue] = ["alg": .string(key.algorithm.rawValue), "typ": "JWT"]
        if let id = key.id { header["kid"] = .string(id) }
        return header
    }

    /// The good token.
    func token() throws -> String { try token(header, claims) }

    func token(_ header: [String: JSONValue], _ claims: [String: JSONValue]) throws -> String {
        try token(String(decoding: CanonicalJSON.data(header), as: UTF8.self), Self.text(claims))
    }

    /// A token of any header and payload, well signed by the key of this trial or by another.
    func token(_ header: String, _ payload: String, by key: ForgedKey? = nil) throws -> String {
        let input = "\(Base64URL.text(header.utf8)).\(Base64URL.text(payload.utf8))"
        return "\(input).\(Base64URL.text(try (key ?? self.key).sign(Array(input.utf8))))"
    }

    static func text(_ claims: [String: JSONValue]) throws -> String {
        String(decoding: try CanonicalJSON.data(claims), as: UTF8.self)
    }

    func verifier(
        at now: Date = Trial.now, revocations: RevocationList? = nil, settings: VerifierSettings = VerifierSettings(),
        others: [TrustedIssuer] = [], fetching: any KeySetFetching = NoNetwork()
    ) throws -> TokenVerifier {
        let keys = try keys.map { try $0(key) } ?? .fixed(ForgedKey.set([key.jwk()]), for: [key.algorithm])
        return try TokenVerifier(
            trusting: [trust(keys)] + others, settings: settings, revocations: revocations, fetching: fetching,
            environment: ManualTime(at: now).environment)
    }
}

/// Fails the test that reaches for the network.
struct NoNetwork: KeySetFetching {
    func keySet(at address: URL, limit: Int) async throws -> [UInt8] {
        Issue.record("A token made the verifier ask for \(address).")
        throw CancellationError()
    }
}

// MARK: - All of them

extension Trial {
    static let secret = "a secret of forty characters, no less :-)"

    static func times(_ more: [String: JSONValue]) -> [String: JSONValue] {
        let times: [String: JSONValue] = ["iat": .integer(second - 60), "exp": .integer(second + 600)]
        return times.merging(more) { $1 }
    }

    private static let session = times([
        "iss": "https://auth.example.org/K/auth/v1", "aud": "authenticated", "sub": "5f0c8a4e-0000-4000-8000-00000000000a",
        "session_id": "5f0c8a4e-0000-4000-8000-00000000000b", "role": "authenticated", "email": "a@example.org",
    ])
    private static let project = session.merging(["iss": "https://kestrel.supabase.co/auth/v1"]) { $1 }
    private static let pool = times([
        "iss": "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_KeStReL42", "sub": "cognito-person", "origin_jti": "c0ffee",
    ])
    private static let person = times(["sub": "001234.abcdef.0567", "nonce": "n-1", "email": "a@example.org", "email_verified": "true"])

    static func all() throws -> [Trial] {
        try own() + cognito() + [
            Trial(
                testDescription: "Firebase, RS256", key: .rsa("fire-1"),
                claims: times([
                    "iss": "https://securetoken.google.com/Kestrel", "aud": "Kestrel", "sub": "Jx7", "auth_time": .integer(second - 600),
                    "email": "a@example.org", "email_verified": true,
                ])
            ) { try .firebase(project: "Kestrel", keys: $0) },
            Trial(
                testDescription: "Apple, RS256", key: .rsa("W6WcOKB"),
                claims: person.merging(["iss": "https://appleid.apple.com", "aud": "org.example.Kestrel"]) { $1 }
            ) { try .apple(audiences: ["org.example.Kestrel", "org.example.web"], keys: $0) },
            Trial(
                testDescription: "Google, RS256", key: .rsa("g-1"),
                claims: person.merging([
                    "iss": "https://accounts.google.com", "aud": .array(["1-K.apps.example"]), "azp": "1-K.apps.example",
                    "email_verified": true,
                ]) { $1 }
            ) { try .google(audiences: ["1-K.apps.example"], keys: $0) },
            Trial(
                testDescription: "OpenID, PS256", key: .rsa("o-1", .ps256),
                claims: times(["iss": "https://id.example.org/K", "aud": .array(["api://Kestrel", "other"]), "sub": "u1", "sid": "s1"])
            ) { try .openID("https://id.example.org/K", keys: $0, audiences: ["api://Kestrel"]) },
            Trial(
                testDescription: "OpenID, ES384", key: .es384("o-2"),
                claims: times(["iss": "https://id.example.org/K", "aud": "api://Kestrel", "sub": "u1"])
            ) { try .openID("https://id.example.org/K", keys: $0, audiences: ["api://Kestrel"]) },
        ]
    }

    private static func own() throws -> [Trial] {
        let byName: @Sendable (IssuerKeys) throws -> TrustedIssuer = { try .farewell("https://auth.example.org/K/auth/v1", keys: $0) }
        let bySupabase: @Sendable (IssuerKeys) throws -> TrustedIssuer = { try .supabase("https://kestrel.supabase.co", keys: $0) }
        let secretly: @Sendable (ForgedKey) throws -> IssuerKeys = { try .secret(secret, keyID: $0.id) }
        return [
            Trial(testDescription: "Farewell, ES256", key: .es256("f-1"), claims: session, trust: byName),
            Trial(testDescription: "Farewell, EdDSA", key: .edDSA("f-2"), claims: session, trust: byName),
            Trial(testDescription: "Farewell, HS256", key: .secret(secret, id: "f-3"), claims: session, keys: secretly, trust: byName),
            Trial(testDescription: "Supabase, HS256", key: .secret(secret), claims: project, keys: secretly, trust: bySupabase),
            Trial(testDescription: "Supabase, RS256", key: try .rsa("s-1"), claims: project, trust: bySupabase),
            Trial(
                testDescription: "Supabase, moving from HS256 to ES256", key: .es256("s-2"), claims: project,
                keys: { try .fixed(ForgedKey.set([$0.jwk()]), for: [.es256, .rs256]).andSecret(secret) }, trust: bySupabase),
        ]
    }

    private static func cognito() throws -> [Trial] {
        [
            Trial(
                testDescription: "Cognito access, RS256", key: try .rsa("c-1"),
                claims: pool.merging(["token_use": "access", "client_id": "Kestrel", "scope": "openid"]) { $1 }, audience: "client_id"
            ) { try .cognito(pool: "eu-west-1_KeStReL42", clients: ["Kestrel"], keys: $0) },
            Trial(
                testDescription: "Cognito id, RS256", key: try .rsa("c-2"),
                claims: pool.merging(["token_use": "id", "aud": "Kestrel", "auth_time": .integer(second - 60)]) { $1 }
            ) { try .cognito(pool: "eu-west-1_KeStReL42", clients: ["Kestrel"], uses: [.id], keys: $0) },
        ]
    }
}
