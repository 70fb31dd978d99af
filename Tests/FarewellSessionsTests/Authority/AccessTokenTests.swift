// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellSQL
@testable import FarewellSessions
import Foundation
import Synchronization
import TestFixtures
import Testing

@Suite("Access tokens")
struct AccessTokenTests {
    static let secret = "an old secret of the whole project"

    /// One way of signing, by name, so that each test runs with all.
    enum Signing: String, CaseIterable, Sendable {
        case es256, edDSA, hs256

        func set(_ settings: inout AuthoritySettings) throws {
            settings.signing =
                switch self {
                case .es256: .es256
                case .edDSA: .edDSA
                case .hs256: .hs256(try SharedSecret(AccessTokenTests.secret))
                }
        }
    }

    @Test("a token has the contents of the contract, with each algorithm", arguments: SQLDialect.allCases, Signing.allCases)
    func claims(dialect: SQLDialect, signing: Signing) async throws {
        try await AuthorityFixture.with(dialect, { try? signing.set(&$0) }) { fixture in
            let grant = try await fixture.person()
            let parts = grant.accessToken.split(separator: ".")
            let header = try JSONDecoder().decode([String: String].self, from: Data(try #require(Base64URL.bytes(parts[0]))))
            #expect(header["alg"] == ["es256": "ES256", "edDSA": "EdDSA", "hs256": "HS256"][signing.rawValue])
            #expect(header["typ"] == "JWT" && (header["kid"] == nil) == (signing == .hs256))
            let claims = try JSONDecoder().decode([String: JSONValue].self, from: Data(try #require(Base64URL.bytes(parts[1]))))
            let now = Int64(fixture.clock.now.timeIntervalSince1970)
            #expect(
                claims == [
                    "iss": "https://auth.example.org/auth/v1", "sub": .string(grant.user.id.uuidString.lowercased()),
                    "aud": "authenticated", "exp": .integer(now + 3600), "iat": .integer(now), "email": "anna@example.org",
                    "phone": "", "app_metadata": .object(["provider": "email", "providers": .array(["email"])]),
                    "user_metadata": .object([:]), "role": "authenticated", "aal": "aal1",
                    "amr": .array([.object(["method": "password", "timestamp": .integer(now)])]),
                    "session_id": .string(grant.sessionID.uuidString.lowercased()), "is_anonymous": false,
                ])
            #expect(try await fixture.caller(grant).user == grant.user)
        }
    }

    @Test("under another audience every user continues, even with an earlier session", arguments: SQLDialect.allCases)
    func audience(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let grant = try await fixture.person()
            let authority = try await fixture.again { $0.audience = "the-app" }
            #expect(await refusal { _ = try await authority.authenticate(grant.accessToken) } == "bad_jwt")
            let renewed = try await authority.refresh(grant.refreshToken)
            let signedIn = try await authority.signIn(email: "anna@example.org", password: AuthorityFixture.password)
            for token in [renewed, signedIn].map(\.accessToken) {
                #expect(try CompactToken(token).unprovenClaims["aud"] == "the-app")
                #expect(try await authority.authenticate(token).user.id == grant.user.id)
            }
        }
    }

    @Test("every token reader can read the largest metadata that an account may store", arguments: [32, 33])
    func nesting(depth: Int) async throws {
        var value: JSONValue = "here"
        for _ in 0..<(depth - 1) { value = depth.isMultiple(of: 2) ? .object(["in": value]) : .array([value]) }
        let metadata = ["in": value]
        try await AuthorityFixture.with(.sqlite) { fixture in
            let caller = try await fixture.caller(try await fixture.person())
            let code = await refusal { _ = try await fixture.authority.update(caller, UserChange(metadata: metadata)) }
            #expect(code == (depth > 32 ? "validation_failed" : nil))
            guard depth <= 32 else { return }
            let token = try await fixture.signIn().accessToken
            #expect(try CompactToken(token).unprovenClaims["user_metadata"] == .object(metadata))
        }
    }

    @Test("the key set holds only public keys, and none for a shared secret", arguments: SQLDialect.allCases, Signing.allCases)
    func keySet(dialect: SQLDialect, signing: Signing) async throws {
        try await AuthorityFixture.with(dialect, { try? signing.set(&$0) }) { fixture in
            let set = try JSONDecoder().decode([String: [[String: String]]].self, from: try await fixture.authority.keySet())
            let members = set["keys"]?.map { Set($0.keys) }
            switch signing {
            case .es256: #expect(members == [["alg", "crv", "kid", "kty", "use", "x", "y"]])
            case .edDSA: #expect(members == [["alg", "crv", "kid", "kty", "use", "x"]])
            case .hs256: #expect(members == [])
            }
        }
    }

    @Test("Items 1, 2, 4, 10, 15: a hostile token is refused", arguments: SQLDialect.allCases, Signing.allCases)
    func hostile(dialect: SQLDialect, signing: Signing) async throws {
        try await AuthorityFixture.with(dialect, { try? signing.set(&$0) }) { fixture in
            let grant = try await fixture.person()
            let parts = grant.accessToken.split(separator: ".").map(String.init)
            var tokens = [
                "", ".", "..", "a.b.c", grant.accessToken + ".", "." + grant.accessToken, grant.accessToken + "=",
                parts[0] + "." + parts[1] + ".", parts[0] + "." + parts[1], grant.accessToken + " ", " " + grant.accessToken,
                parts[0] + "." + parts[1] + "." + parts[2] + "A", String(repeating: "A", count: 1_000_000),
            ]
            let headers = [
                #"{"alg":"none"}"#, #"{"alg":"NoNe","typ":"JWT"}"#, #"{"alg":"HS256","typ":"JWT"}"#, #"{"alg":"ES256"}"#,
                #"{"alg":"HS256","crit":["b64"],"b64":false}"#, #"{"alg":"RS256","kid":"../../dev/null"}"#, "{}", "[]",
                #"{"alg":"ES256","kid":"' OR 1=1 --","typ":"JWT"}"#, #"{"alg":"HS256","alg":"none"}"#,
                #"{"alg":"EdDSA","jwk":{"kty":"OKP","crv":"Ed25519","x":"AA"},"typ":"JWT"}"#, String(repeating: "[", count: 9000),
            ].map { Base64URL.text(Array($0.utf8)) }
            let set = String(decoding: try await fixture.authority.keySet(), as: UTF8.self)
            let publicParts = set.split(separator: "\"").filter { $0.count == 43 }.map(String.init)
            for header in headers {
                tokens += ["", parts[2]].map { "\(header).\(parts[1]).\($0)" }
                // The public key as a secret: as its text, its bytes, and the whole key set.
                for key in publicParts.map({ Array($0.utf8) }) + publicParts.compactMap({ Base64URL.bytes($0) }) + [Array(set.utf8), []] {
                    tokens.append(Self.hs256("\(header).\(parts[1])", key))
                }
            }
            // Signed as only a holder of the shared secret can, under a header that is still none.
            let named = ["../../dev/null", "", "1"].map { #"{"alg":"HS256","kid":"\#($0)","typ":"JWT"}"# }
            let doubled = [
                #"{"alg":"HS256","alg":"none"}"#, #"{"alg":"none","alg":"HS256"}"#, #"{"alg":"HS256","alg":"HS256"}"#,
                #"{"alg":"HS256","typ":"JWT","typ":"logout+jwt"}"#,
            ]
            let odd = [
                #"{"alg":"HS256","kid":null}"#, #"{"alg":"HS256","crit":null}"#, #"{"alg":"HS256","crit":["b64"]}"#,
                #"{"alg":"HS256","typ":null}"#, #"{"alg":"HS256"} {}"#,
            ]
            for header in named + doubled + odd {
                let input = Base64URL.text(Array(header.utf8)) + "." + parts[1]
                tokens.append(Self.hs256(input, Array(Self.secret.utf8)))
            }
            for token in tokens where token != grant.accessToken {
                #expect(await refusal { _ = try await fixture.authority.authenticate(token) } == "bad_jwt", "\(token.prefix(60))")
            }
            var accepted = 0
            for index in grant.accessToken.utf8.indices where grant.accessToken.utf8[index] != UInt8(ascii: ".") {
                var bytes = Array(grant.accessToken.utf8)
                let place = grant.accessToken.utf8.distance(from: grant.accessToken.startIndex, to: index)
                bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let code = await refusal { _ = try await fixture.authority.authenticate(String(decoding: bytes, as: UTF8.self)) }
                if code != "bad_jwt" { accepted += 1 }
            }
            #expect(accepted == 0)
            _ = try await fixture.caller(grant)
        }
    }

    private static func hs256(_ input: String, _ key: [UInt8]) -> String {
        input + "." + Base64URL.text(HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: key)))
    }

    @Test("Items 7, 8, 10: wrong claims are refused, each with its code", arguments: SQLDialect.allCases)
    func misfits(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, { $0.sharedSecrets = [try? SharedSecret(Self.secret)].compactMap(\.self) }) { fixture in
            let grant = try await fixture.person()
            let now = Int64(fixture.clock.now.timeIntervalSince1970)
            let good: [String: JSONValue] = [
                "iss": "https://auth.example.org/auth/v1", "sub": .string(grant.user.id.uuidString), "aud": "authenticated",
                "exp": .integer(now + 1), "iat": .integer(now + 60), "session_id": .string(grant.sessionID.uuidString),
            ]
            func code(_ change: [String: JSONValue?]) async throws -> String? {
                let claims = good.merging(change.mapValues { $0 ?? .null }) { $1 }.filter { change[$0.key] != .some(nil) }
                let token = try Self.token(claims)
                return await refusal { _ = try await fixture.authority.authenticate(token) }
            }
            #expect(try await code([:]) == nil)
            #expect(try await code(["iss": "https://evil.example.org"]) == "bad_jwt")
            #expect(try await code(["iss": "https://auth.example.org/auth/v1/"]) == "bad_jwt")
            #expect(try await code(["iss": nil]) == "bad_jwt")
            #expect(try await code(["aud": "other"]) == "bad_jwt")
            #expect(try await code(["aud": nil]) == "bad_jwt")
            #expect(try await code(["exp": nil]) == "bad_jwt")
            #expect(try await code(["exp": .integer(now)]) == "bad_jwt")
            #expect(try await code(["exp": "1e99"]) == "bad_jwt")
            #expect(try await code(["exp": .number(1e99)]) == "bad_jwt")
            #expect(try await code(["exp": .integer(-1)]) == "bad_jwt")
            #expect(try await code(["iat": .integer(now + 61)]) == "bad_jwt")
            for start: JSONValue in [.integer(now + 61), "1", true] {
                #expect(try await code(["nbf": start]) == "bad_jwt", "\(start)")
            }
            #expect(try await code(["nbf": .integer(now + 60)]) == nil)
            #expect(try await code(["sub": nil]) == "bad_jwt")
            #expect(try await code(["sub": "anna"]) == "bad_jwt.subject")
            #expect(try await code(["session_id": "mine"]) == "bad_jwt")
            #expect(try await code(["sub": .string(UUID().uuidString)]) == "user_not_found")
            #expect(try await code(["session_id": .string(UUID().uuidString)]) == "session_not_found")
            for (type, expected) in [("jwt", nil), ("at+jwt", nil), ("logout+jwt", "bad_jwt"), ("secevent+jwt", "bad_jwt")] {
                let token = try Self.token(good, type: type)
                #expect(await refusal { _ = try await fixture.authority.authenticate(token) } == expected, "\(type)")
            }
        }
    }

    static func token(
        _ claims: [String: JSONValue], secret: String = AccessTokenTests.secret, type: String = "JWT"
    ) throws -> String {
        let header = Base64URL.text(Array(#"{"typ":"\#(type)","alg":"HS256"}"#.utf8))
        let input = header + "." + Base64URL.text(try CanonicalJSON.data(claims))
        return hs256(input, Array(secret.utf8))
    }

    @Test("an operator's key grants administration, and a user's token does not", arguments: SQLDialect.allCases)
    func administrators(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect, { $0.sharedSecrets = [try? SharedSecret(Self.secret)].compactMap(\.self) }) { fixture in
            let grant = try await fixture.person()
            func code(_ token: String) async -> String? { await refusal { _ = try await fixture.authority.administrator(token) } }
            #expect(await code(grant.accessToken) == "not_admin")
            #expect(await code(try Self.token(["role": "service_role"])) == nil)
            #expect(await code(try Self.token(["role": "supabase_admin", "iat": 1])) == nil)
            #expect(await code(try Self.token(["role": "anon"])) == "not_admin")
            #expect(await code(try Self.token([:])) == "not_admin")
            #expect(await code(try Self.token(["role": "service_role", "exp": 1])) == "bad_jwt")
            #expect(await code(try Self.token(["role": "service_role"], secret: Self.secret + "!")) == "bad_jwt")
            let bound: [String: JSONValue] = [
                "role": "service_role", "sub": .string(grant.user.id.uuidString), "session_id": .string(grant.sessionID.uuidString),
            ]
            #expect(await code(try Self.token(bound)) == "not_admin", "the role that the person has now counts as well")
            _ = try await fixture.run("UPDATE \(fixture.table("users")) SET role = 'service_role'")
            #expect(await code(try Self.token(bound)) == nil)
            try await fixture.authority.signOut(ticket: grant.signOutTicket)
            #expect(await code(try Self.token(bound)) == "session_not_found")
        }
    }

    @Test("a session check is one query", arguments: SQLDialect.allCases)
    func oneQuery(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let grant = try await fixture.person()
            let counted = CountedDatabase(fixture.fixture.database)
            let authority = try await fixture.again(on: counted)
            _ = try await authority.authenticate(grant.accessToken)
            let before = counted.count
            _ = try await authority.authenticate(grant.accessToken)
            #expect(counted.count - before == 1)
        }
    }

    @Test("Item 4: a flood of unknown keys causes one look-up a second", arguments: SQLDialect.allCases)
    func flood(dialect: SQLDialect) async throws {
        try await AuthorityFixture.with(dialect) { fixture in
            let grant = try await fixture.person()
            let counted = CountedDatabase(fixture.fixture.database)
            let authority = try await fixture.again(on: counted)
            let rest = grant.accessToken.drop { $0 != "." }
            let before = counted.count
            for number in 0..<100 {
                let header = Base64URL.text(Array(#"{"alg":"ES256","kid":"\#(number)","typ":"JWT"}"#.utf8))
                #expect(await refusal { _ = try await authority.authenticate(header + rest) } == "bad_jwt")
            }
            #expect(counted.count - before == 1)
        }
    }
}

/// Counts how often a connection is requested.
final class CountedDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let asked = Mutex(0)

    init(_ database: any SQLDatabase) { self.database = database }

    var dialect: SQLDialect { database.dialect }
    var count: Int { asked.withLock { $0 } }

    func withConnection<Value: Sendable>(_ body: (any SQLConnection) async throws -> Value) async throws -> Value {
        asked.withLock { $0 += 1 }
        return try await database.withConnection(body)
    }

    func close() async { await database.close() }
}
