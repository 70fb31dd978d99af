// SPDX-License-Identifier: Apache-2.0
@testable import FarewellSessions
import Foundation
import TestFixtures
import Testing

@Suite("Challenges of apps")
struct CodeChallengeTests {
    /// The example of RFC 7636, appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let s256 = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    private static let plenty = String(repeating: "a", count: 43)
    private static let refusals: [(String?, String?)] = [
        (String(plenty.dropLast()), "s256"), (String(repeating: "a", count: 129), "s256"),
        (String(repeating: "a", count: 1 << 20), "plain"), (plenty + "ö", "s256"), (plenty + "=", "s256"),
        (plenty + "\u{0}", "plain"), (plenty + " ", "s256"), (plenty + "/", "s256"), (s256, "s512"), (s256, " s256"),
        (s256, nil), (s256, ""), (nil, "s256"), ("", "plain"),
    ]

    @Test("a verifier meets its challenge by either method, and neither is stored as a verifier")
    func methods() throws {
        let expected = CodeChallenge(ofVerifier: Self.verifier)
        #expect(expected.text == Self.s256)
        for method in ["s256", "S256"] { #expect(try CodeChallenge(Self.s256, method: method) == expected) }
        for method in ["plain", "PLAIN"] { #expect(try CodeChallenge(Self.verifier, method: method) == expected) }
        let longest = String(repeating: "aZ09-._~", count: 16)
        #expect(try CodeChallenge(longest, method: "plain") == CodeChallenge(ofVerifier: longest))
        #expect(CodeChallenge(ofVerifier: Self.verifier + "a") != expected)
    }

    @Test("a request without challenge and method, or with empty ones, has none")
    func none() throws {
        for (challenge, method) in [(nil, nil), ("", nil), (nil, ""), ("", "")] as [(String?, String?)] {
            #expect(try CodeChallenge(challenge, method: method) == nil)
        }
    }

    @Test("a challenge that is too short, too long or of other characters, one without a method, and an unknown method are refused")
    func refused() async {
        for (challenge, method) in Self.refusals {
            let code = await refusal { _ = try CodeChallenge(challenge, method: method) }
            #expect(code == "validation_failed", "\(challenge?.suffix(20) ?? "-") \(method ?? "-")")
        }
    }
}
