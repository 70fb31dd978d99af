// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellKeys
import Foundation
import TestFixtures
import Testing

@Suite("The list of public keys")
struct PublicKeyListTests {
    /// RFC 8037, A.1 and A.2.
    static let seed = "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
    static let x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"

    static func signingKey() throws -> SigningKey { SigningKey(seed: try #require(Base64URL.bytes(seed))) }

    @Test("the key of RFC 8037 has the public half and the thumbprint of RFC 8037")
    func vector() throws {
        let key = try Self.signingKey().publicKey
        #expect(Base64URL.text(key.rawRepresentation) == Self.x)
        #expect(key.id == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    @Test("the signature of RFC 8037 verifies")
    func signature() throws {
        let key = try Self.signingKey().publicKey
        let input = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
        let text = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        let signature = try #require(Base64URL.bytes(text))
        #expect(key.verifies(signature, for: Data(input.utf8)))
        #expect(!key.verifies(signature, for: Data((input + "x").utf8)))
    }

    @Test("a list reads back as it was written; a single key is a list of one")
    func roundTrip() throws {
        let list = PublicKeyList([
            try Self.signingKey().publicKey, SigningKey(seed: [UInt8](repeating: 1, count: 32)).publicKey,
        ])
        #expect(try PublicKeyList(json: list.json()) == list)
        let single = Data(#"{"kty":"OKP","crv":"Ed25519","x":"\#(Self.x)"}"#.utf8)
        #expect(try PublicKeyList(json: single).keys == [list.keys[0]])
        let mixed = Data(
            #"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"},\#(String(decoding: single, as: UTF8.self))]}"#.utf8)
        #expect(try PublicKeyList(json: mixed).keys == [list.keys[0]])
    }

    @Test(
        "a key that is short, for another purpose, or under a wrong name is refused",
        arguments: [
            #""x":"AAAA""#, #""x":"\#(x)=""#, #""x":"\#(x)","alg":"HS256""#, #""x":"\#(x)","use":"enc""#,
            #""x":"\#(x)","kid":"mine""#, #""y":"1""#,
        ])
    func wrongKey(members: String) {
        #expect(
            code { _ = try PublicKeyList(json: Data(#"{"kty":"OKP","crv":"Ed25519",\#(members)}"#.utf8)) }
                == "keys.malformed")
    }

    @Test(
        "text that is not a list, an empty list and a huge one are refused",
        arguments: [
            "", "{}", "[]", #"{"keys":[]}"#, #"{"keys":1}"#, #"{"kty":"RSA"}"#, String(repeating: " ", count: 1 << 17),
            #"{"keys":["# + (0..<65).map { _ in #"{"kty":"OKP","crv":"Ed25519","x":"\#(x)"}"# }.joined(separator: ",")
                + "]}",
        ])
    func malformed(text: String) {
        #expect(code { _ = try PublicKeyList(json: Data(text.utf8)) } == "keys.malformed")
    }

    @Test("a private key in a list of public keys is reported")
    func privateKey() {
        let json = #"{"kty":"OKP","crv":"Ed25519","x":"\#(Self.x)","d":"\#(Self.seed)"}"#
        #expect(code { _ = try PublicKeyList(json: Data(json.utf8)) } == "keys.private")
    }

    @Test("base64url has one spelling for each value", arguments: [0, 1, 2, 3, 31, 32, 33, 64])
    func base64(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 251) }
        let text = Base64URL.text(bytes)
        #expect(Base64URL.bytes(text) == bytes)
        #expect(
            Base64URL.bytes(text + "=") == nil && Base64URL.bytes(text + "\n") == nil
                && Base64URL.bytes(" " + text) == nil)
        let padded = Data(bytes).base64EncodedString()
        if padded != text { #expect(Base64URL.bytes(padded) == nil) }
    }

    @Test("spare bits other than zero are refused")
    func spareBits() {
        #expect(Base64URL.bytes("AA") == [0] && Base64URL.bytes("AB") == nil && Base64URL.bytes("A") == nil)
        #expect(Base64URL.bytes("AAA") == [0, 0] && Base64URL.bytes("AAB") == nil)
    }
}
