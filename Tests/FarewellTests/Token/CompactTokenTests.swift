// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Farewell

@Suite("A compact token and its parts")
struct CompactTokenTests {
    private static func token(_ header: String, _ payload: String = "{}", _ signature: String = "AA") -> String {
        "\(Base64URL.text(header.utf8)).\(Base64URL.text(payload.utf8)).\(signature)"
    }

    @Test("the parts equal the written ones")
    func parts() throws {
        let text = Self.token(#"{"alg":"ES256","kid":"k 1","typ":"application/AT+JWT","jku":"https://x"}"#, #"{"sub":"a"}"#)
        let token = try CompactToken(text)
        #expect(token.algorithm == "ES256" && token.keyID == "k 1" && token.type == "at+jwt")
        #expect(token.unprovenClaims == ["sub": .string("a")])
        #expect(String(decoding: token.signedBytes, as: UTF8.self) + ".AA" == text)
        #expect(token.signature == [0])
        #expect(try CompactToken(Self.token(#"{"alg":"none"}"#, "{}", "")).type == "jwt")
    }

    @Test(
        "Item 15: a text with more than one reading is refused",
        arguments: [
            "", ".", "..", "a.b", "a.b.c", "a.b.c.d", token("{}"), token(#"{"alg":1}"#), token(#"{"alg":""}"#),
            token(#"{"alg":"ES256","alg":"none"}"#), token(#"{"alg":"ES256","crit":[]}"#),
            token(#"{"alg":"ES256","crit":["b64"],"b64":false}"#), token(#"{"alg":"ES256","kid":1}"#),
            token(#"{"alg":"ES256","kid":""}"#), token(#"{"alg":"ES256","kid":null}"#), token(#"{"alg":"ES256","kid":"\n"}"#),
            token(#"{"alg":"ES256","kid":"\u212a"}"#), token(#"{"alg":"ES256","typ":["JWT"]}"#), token(#"["alg"]"#),
            token(#"{"alg":"ES256"}"#, "[]"), token(#"{"alg":"ES256"}"#, ""), token(#"{"alg":"ES256"}"#, "{}", "A"),
            token(#"{"alg":"ES256"}"#, "{}", "AA=="), token(#"{"alg":"ES256"}"#) + ".AA", " " + token(#"{"alg":"ES256"}"#),
            token(#"{"alg":"ES256"}"#) + "\n",
        ])
    func malformed(text: String) {
        #expect(throws: CompactToken.Malformed()) { try CompactToken(text) }
    }

    @Test("Item 15: the whole, the header and the signature are limited in size")
    func sizes() throws {
        let limits = CompactToken.Limits(token: 400, header: 100, signature: 64)
        func padded(_ count: Int) -> String { #"{"alg":"ES256","x":""# + String(repeating: "x", count: count) + "\"}" }
        #expect(throws: Never.self) { try CompactToken(Self.token(padded(78)), limits: limits) }
        #expect(throws: CompactToken.Malformed()) { try CompactToken(Self.token(padded(80)), limits: limits) }
        let signature = Base64URL.text([UInt8](repeating: 1, count: 66))
        #expect(throws: CompactToken.Malformed()) { try CompactToken(Self.token(padded(1), "{}", signature), limits: limits) }
        let payload = "{\"a\":\"" + String(repeating: "x", count: 400) + "\"}"
        #expect(throws: CompactToken.Malformed()) { try CompactToken(Self.token(padded(1), payload), limits: limits) }
        let longKeyID = #"{"alg":"ES256","kid":""# + String(repeating: "k", count: 257) + "\"}"
        #expect(throws: CompactToken.Malformed()) { try CompactToken(Self.token(longKeyID)) }
    }
}
