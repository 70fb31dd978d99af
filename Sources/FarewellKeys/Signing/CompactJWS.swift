// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Signed text: a compact JSON Web Signature (RFC 7515) by Ed25519 (RFC 8037), and only that.
///
/// The algorithm is fixed here and the key comes from the reader's own list; the text chooses neither.
package enum CompactJWS {
    /// No receipt is this long; anything longer is refused unread.
    static let limit = 8 << 20

    private struct Header: Codable {
        let alg: String
        let kid: String
        let typ: String
    }

    static func signed(_ payload: Data, type: String, by key: SigningKey) throws -> String {
        let header = Header(alg: "EdDSA", kid: key.publicKey.id, typ: type)
        let input = Base64URL.text(try CanonicalJSON.data(header)) + "." + Base64URL.text(payload)
        return input + "." + Base64URL.text(try key.signature(for: Data(input.utf8)))
    }

    /// The payload and the key that signed it, once the signature is found good.
    package static func opened(
        _ text: String, type: String, by keys: PublicKeyList
    ) throws -> (payload: Data, key: SigningPublicKey) {
        guard text.utf8.count <= limit else { throw malformed("It is too long.") }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Substring.init)
        guard parts.count == 3, let head = Base64URL.bytes(parts[0]), let signature = Base64URL.bytes(parts[2]),
            let payload = Base64URL.bytes(parts[1])
        else { throw malformed("It needs three parts of base64url.") }
        let header = try header(Data(head), type: type)
        guard let key = keys[header.kid] else {
            throw FarewellError(
                "signature.unknown-key", .yoursToFix, "Its signing key is not in the list of keys.",
                remedy: "Use the key list that the issuer publishes.")
        }
        guard signature.count == 64, key.verifies(signature, for: Data("\(parts[0]).\(parts[1])".utf8)) else {
            throw FarewellError(
                "signature.wrong", .yoursToFix, "The signature does not match: the text was changed or is not genuine.")
        }
        return (Data(payload), key)
    }

    private static func header(_ data: Data, type: String) throws -> Header {
        guard data.count <= 1024, let header = try? CanonicalJSON.value(Header.self, from: data) else {
            throw malformed("Its header is not from Farewell.")
        }
        guard header.alg == "EdDSA" else { throw malformed("Only EdDSA is accepted.") }
        guard header.typ == type else { throw malformed("It is signed text of another kind.") }
        // Exactly the bytes we write: no further member (`crit`, `jwk`, `jku`), none twice.
        guard try CanonicalJSON.data(header) == data else {
            throw malformed("Its header has members that Farewell does not use.")
        }
        return header
    }

    private static func malformed(_ why: String) -> FarewellError {
        FarewellError(
            "signature.malformed", .yoursToFix, "This is not signed text of Farewell. \(why)",
            remedy: "Name a file that Farewell signed, in full and unchanged.")
    }
}
