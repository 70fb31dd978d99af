// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import Foundation

/// The challenge of a client that proves later, by its verifier, that it requested a mail (PKCE, RFC 7636).
public struct CodeChallenge: Sendable, Hashable {
    /// The challenge in the form of the method S256. A plain challenge is the verifier itself; it is hashed here, so
    /// that no verifier is stored.
    let text: String

    /// The lengths of a challenge in bytes (RFC 7636, 4.2).
    static let lengths = 43...128

    /// Reads the members `code_challenge` and `code_challenge_method` of the contract (1.6).
    ///
    /// - Parameters:
    ///   - challenge: 43 to 128 letters, digits and characters of `-._~`.
    ///   - method: `s256` or `plain`, in any letter case.
    /// - Returns: `nil` if neither is given.
    /// - Throws: `validation_failed` if only one is given, or one is not valid.
    public init?(_ challenge: String?, method: String?) throws {
        let given = (challenge: challenge?.nonEmpty, method: method?.nonEmpty)
        if given.challenge == nil, given.method == nil { return nil }
        guard let challenge = given.challenge, let method = given.method else {
            throw AuthorityRefusal.validationFailed.error(
                "code_challenge and code_challenge_method are only valid together")
        }
        guard Self.lengths.contains(challenge.utf8.count) else {
            throw AuthorityRefusal.validationFailed.error(
                "code_challenge has \(Self.lengths.lowerBound) to \(Self.lengths.upperBound) characters")
        }
        guard challenge.utf8.allSatisfy(Self.isUnreserved) else {
            throw AuthorityRefusal.validationFailed.error(
                "code_challenge consists of letters, digits, hyphens, periods, underscores and tildes")
        }
        switch method.lowercased() {
        case "s256": self.init(stored: challenge)
        case "plain": self.init(ofVerifier: challenge)
        default: throw AuthorityRefusal.validationFailed.error("code_challenge_method is s256 or plain")
        }
    }

    /// The challenge that a verifier meets.
    init(ofVerifier verifier: String) {
        text = Base64URL.text(SHA256.hash(data: Data(verifier.utf8)))
    }

    /// A challenge that was read before.
    init(stored text: String) { self.text = text }

    /// A letter or digit of ASCII, or one of `-._~` (RFC 3986, 2.3).
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
