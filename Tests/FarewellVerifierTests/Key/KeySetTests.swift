// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Testing

@testable import FarewellVerifier

@Suite("A parsed set of keys")
struct KeySetTests {
    private func set(_ jwks: [String], _ algorithms: Set<SignatureAlgorithm> = [.es256, .edDSA, .rs256]) throws -> KeySet {
        try KeySet(ForgedKey.set(jwks), for: algorithms)
    }

    @Test("each key is for the one algorithm that its type and issuer allow")
    func pinned() throws {
        let keys: [ForgedKey] = [.es256("a"), .edDSA("b"), try .rsa("c"), .es384("d")]
        let set = try set(keys.map { $0.jwk() })
        #expect(set["a"]?.algorithm == .es256 && set["b"]?.algorithm == .edDSA && set["c"]?.algorithm == .rs256)
        #expect(set["d"] == nil && set.count == 3)
        for key in keys.prefix(3) {
            let bytes = Array("content".utf8)
            #expect(set[key.id ?? ""]?.verifies(try key.sign(bytes), of: bytes) == true)
            #expect(set[key.id ?? ""]?.verifies(try key.sign(bytes), of: bytes + [0]) == false)
            #expect(set[key.id ?? ""]?.verifies([], of: bytes) == false)
        }
    }

    @Test("Item 3: a key without an algorithm gets its issuer's, where only one is possible")
    func nameless() throws {
        func jwk(_ key: ForgedKey) -> String { key.jwk { $0["alg"] = nil } }
        let set = try set([jwk(.es256("a")), jwk(.edDSA("b")), jwk(try .rsa("c"))])
        #expect(set["a"]?.algorithm == .es256 && set["b"]?.algorithm == .edDSA && set["c"]?.algorithm == .rs256)
        let ambiguous = try self.set([jwk(try .rsa("c"))], [.rs256, .ps256])
        #expect(ambiguous["c"] == nil)
        #expect(try self.set([try ForgedKey.rsa("c").jwk()], [.rs256, .ps256])["c"]?.algorithm == .rs256)
    }

    @Test("Item 3: a token with a false algorithm for an unnamed key is refused, and the correct token after it is accepted")
    func poisoning() async throws {
        let trial = try #require(Trial.all().first { $0.testDescription == "Supabase, moving from HS256 to ES256" })
        let rsa = try ForgedKey.rsa("r")
        let jwks = [trial.key, rsa].map { key in key.jwk { $0["alg"] = nil } }
        let issuer = try trial.trust(.fixed(ForgedKey.set(jwks), for: [.es256, .rs256]))
        let verifier = try TokenVerifier(trusting: [issuer], fetching: NoNetwork(), environment: ManualTime().environment)
        for lie in ["RS256", "HS256", "ES384", "PS256", "none"] {
            let header = try Hostile.json(trial.header.merging(["alg": .string(lie)]) { $1 })
            for key in [trial.key, rsa] {
                await #expect(throws: TokenRefusal.algorithm) {
                    try await verifier.verify(trial.token(header, Trial.text(trial.claims), by: key))
                }
            }
        }
        _ = try await verifier.verify(trial.token())
        let honest = try Hostile.json(["alg": "RS256", "kid": "r"])
        _ = try await verifier.verify(trial.token(honest, Trial.text(trial.claims), by: rsa))
    }

    @Test(
        "keys for other purposes than signatures are skipped",
        arguments: [
            #""use":"enc""#, #""key_ops":["sign"]"#, #""key_ops":[]"#, #""d":"AA""#, #""k":"AA""#, #""alg":"ES384""#, #""alg":1"#,
            #""kty":"oct""#, #""kty":"RSA""#, #""crv":"P-384""#, #""crv":"P-256K""#, #""x":"""#, #""x":"AA""#, #""y":1"#, #""kid":1"#,
            #""kid":"""#, #""kid":"\u212a""#, #""kid":null"#, #""alg":"HS256""#, #""alg":"none""#, #""x":"$$$$""#,
        ])
    func passedOver(member: String) throws {
        let name = String(member.split(separator: "\"")[0])
        let good = ForgedKey.es256("a").jwk { $0[name] = nil }
        let changed = "{\(member)" + (good == "{}" ? "}" : "," + good.dropFirst())
        let set = try set([changed, ForgedKey.es256("b").jwk()], Set(SignatureAlgorithm.allCases))
        #expect(set.count == 1 && set["b"] != nil)
    }

    @Test("a point off the curve and a modulus of the wrong size are refused as keys")
    func unsound() throws {
        let off = ForgedKey.es256("a").jwk { $0["y"] = $0["x"] }
        let small = try ForgedKey.rsa("b").jwk { $0["n"] = String(($0["n"] ?? "").prefix(170)) + "AQ" }
        let huge = try ForgedKey.rsa("c").jwk { $0["n"] = "_" + String(repeating: "w", count: 2000) }
        let wide = try ForgedKey.rsa("d").jwk { $0["e"] = Base64URL.text([UInt8](repeating: 255, count: 200)) }
        let even = try ForgedKey.rsa("e").jwk { $0["e"] = "Ag" }
        #expect(try set([off, small, huge, wide, even]).count == 0)
    }

    @Test("an identifier that two keys share names neither")
    func ambiguous() throws {
        let set = try set([ForgedKey.es256("a").jwk(), ForgedKey.edDSA("a").jwk(), ForgedKey.es256("b").jwk()])
        #expect(set["a"] == nil && set["b"] != nil)
    }

    @Test(
        "Item 12: a set that is invalid, too large or has too many keys is refused as a whole",
        arguments: [
            "", "null", "[]", "{}", #"{"keys":{}}"#, "<html>", #"{"keys":[],"keys":[]}"#, #"{"keys":["#,
            String(repeating: "[", count: 10_000),
        ])
    func noSet(json: String) {
        #expect(throws: KeySet.Fault.notASet) { try KeySet(Array(json.utf8), for: [.es256]) }
    }

    @Test("Item 12: a set is limited in bytes and in keys")
    func bounds() throws {
        #expect(throws: KeySet.Fault.tooLarge) { try KeySet([UInt8](repeating: 32, count: KeySet.largest + 1), for: [.es256]) }
        #expect(throws: KeySet.Fault.tooManyKeys) { try KeySet(ForgedKey.set(.init(repeating: "{}", count: 65)), for: [.es256]) }
        #expect(try KeySet(ForgedKey.set([]), for: [.es256]).count == 0)
    }
}
