// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Testing

@testable import FarewellVerifier

@Suite("Tokens of a Supabase project: its secret, its published keys, and its own keys")
struct SupabaseTokenTests {
    private static let address = "https://kestrel.supabase.co"
    private static let published = ForgedKey.es256("published")
    /// As hosted projects name their secret: nothing publishes it.
    private static let name = "IBZFPqpuE0oC+hnZ"

    private static func claims(_ more: [String: JSONValue] = [:]) -> [String: JSONValue] {
        let claims: [String: JSONValue] = [
            "iss": .string(address + "/auth/v1"), "aud": "authenticated", "sub": "5f0c8a4e-0000-4000-8000-00000000000a",
            "session_id": "5f0c8a4e-0000-4000-8000-00000000000b", "role": "authenticated",
        ]
        return Trial.times(claims).merging(more) { $1 }
    }

    private static func token(_ key: ForgedKey, kid: String?, _ claims: [String: JSONValue] = claims()) throws -> String {
        var header: [String: JSONValue] = ["alg": .string(key.algorithm.rawValue), "typ": "JWT"]
        header["kid"] = kid.map(JSONValue.string)
        let input = "\(Base64URL.text(try CanonicalJSON.data(header))).\(Base64URL.text(try CanonicalJSON.data(claims)))"
        return "\(input).\(Base64URL.text(try key.sign(Array(input.utf8))))"
    }

    private static func keys() throws -> IssuerKeys { try .fixed(ForgedKey.set([published.jwk()]), for: [.es256, .rs256]) }

    private static func verifier(_ issuer: TrustedIssuer) throws -> TokenVerifier {
        try TokenVerifier(trusting: [issuer], fetching: NoNetwork(), environment: ManualTime().environment)
    }

    @Test("SB-2 the secret counts under any name that a project gives it, alone and beside published keys")
    func named() async throws {
        let alone = try Self.verifier(.supabase(Self.address, keys: .secret(Trial.secret).withSecretUnderAnyName))
        let moving = try Self.verifier(
            .supabase(Self.address, keys: Self.keys().andSecret(Trial.secret).withSecretUnderAnyName))
        for kid in [nil, Self.name, "published"] {
            let token = try Self.token(.secret(Trial.secret), kid: kid)
            #expect(try await alone.verify(token).person.subject.hasPrefix("5f0c8a4e"), "\(kid ?? "none")")
            _ = try await moving.verify(token)
        }
        _ = try await moving.verify(try Self.token(Self.published, kid: "published"))
        let other = try Self.token(.secret(String(repeating: "x", count: 40)), kid: Self.name)
        await #expect(throws: TokenRefusal.signature) { try await moving.verify(other) }
        let chosen = try Self.verifier(.supabase(Self.address, keys: .secret(Trial.secret, keyID: "mine").withSecretUnderAnyName))
        let stranger = try Self.token(.secret(Trial.secret), kid: Self.name)
        await #expect(throws: TokenRefusal.key) { try await chosen.verify(stranger) }
    }

    @Test("SB-2 SC-1 no public key, in any notation, is the secret of an HS256 token, under any name")
    func confusion() async throws {
        let bare = try Self.verifier(.supabase(Self.address, keys: Self.keys()))
        let moving = try Self.verifier(
            .supabase(Self.address, keys: Self.keys().andSecret(Trial.secret).withSecretUnderAnyName))
        for writing in Self.published.writings + [Self.published.jwk(), "published", ""] {
            for kid in [nil, "published", Self.name] {
                let token = try Self.token(.secret(writing), kid: kid)
                await #expect(throws: TokenRefusal.algorithm) { try await bare.verify(token) }
                await #expect(throws: TokenRefusal.signature) { try await moving.verify(token) }
            }
        }
    }

    @Test("SB-2 SC-1 a project's own key is not a user token, whatever its other claims")
    func projectKeys() async throws {
        let verifier = try Self.verifier(.supabase(Self.address, keys: .secret(Trial.secret)))
        for role in ProjectKey.roles.sorted() {
            let key = try Self.token(.secret(Trial.secret), kid: nil, Self.claims(["role": .string(role)]))
            await #expect(throws: TokenRefusal.purpose) { try await verifier.verify(key) }
            #expect(ProjectKey(key)?.isNoUser == true)
        }
        for role in [JSONValue.array(["anon"]), .integer(1), .null] {
            let odd = try Self.token(.secret(Trial.secret), kid: nil, Self.claims(["role": role]))
            await #expect(throws: TokenRefusal.purpose) { try await verifier.verify(odd) }
        }
        let hosted: [String: JSONValue] = ["iss": "supabase", "ref": "kestrel", "role": "anon", "iat": 1, "exp": 4_000_000_000]
        let anon = try Self.token(.secret(Trial.secret), kid: nil, hosted)
        await #expect(throws: TokenRefusal.issuer) { try await verifier.verify(anon) }
        let app = try Self.token(.secret(Trial.secret), kid: nil, Self.claims(["role": "editor"]))
        #expect(try await verifier.verify(app).person.subject.isEmpty == false)
        #expect(ProjectKey(app)?.isNoUser == false)
        for (text, form) in [("sb_publishable_x", ProjectKey.Form.publishable), ("sb_secret_x", .secret)] {
            #expect(ProjectKey(text)?.form == form && ProjectKey(text)?.isNoUser == true && ProjectKey.isOpaque(text))
        }
        for text in ["", "key", "a.b", "a.b.c", "e30.W10.c2ln.x"] { #expect(ProjectKey(text) == nil, "\(text)") }
    }

    @Test(
        "SB-2 a project is identified by its address, with or without a final slash or Auth's path",
        arguments: ["", "/", "//", "/auth/v1", "/auth/v1/"])
    func address(_ end: String) throws {
        let issuer = try TrustedIssuer.supabase(Self.address + end)
        #expect(issuer.name == Self.address + "/auth/v1")
        guard case .published(let keys) = issuer.keys.source else { throw TokenRefusal.key }
        #expect(keys.absoluteString == "https://kestrel.supabase.co/auth/v1/.well-known/jwks.json")
        #expect(try TrustedIssuer.supabase(Self.address + end, issuer: "https://id.example.org").name == "https://id.example.org")
    }

    @Test("SB-5 an issuer's tokens are assumed valid for an hour, or as long as the issuer's setting says")
    func life() async throws {
        let usual = try TrustedIssuer.supabase(Self.address, keys: .secret(Trial.secret))
        #expect(usual.usualLife == .seconds(3_600) && usual.longestLife == .seconds(604_800))
        let said = try usual.withTokens(of: .seconds(600))
        #expect(said.usualLife == .seconds(600) && said.longestLife == .seconds(600))
        let token = try Self.token(.secret(Trial.secret), kid: nil)
        _ = try await Self.verifier(usual).verify(token)
        await #expect(throws: TokenRefusal.time) { try await Self.verifier(said).verify(token) }
        for life in [0, -1, 2_592_001] {
            #expect(throws: FarewellError.self) { try usual.withTokens(of: .seconds(life)) }
        }
        #expect(throws: FarewellError.self) { try TrustedIssuer.supabase(Self.address, keys: .secret("fewer than 32 bytes")) }
    }
}
