// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Access tokens as compact JSON Web Signatures (RFC 7515, 7519), written and read by our own keys.
enum AccessToken {
    /// Nothing longer is read.
    static let limit = 16_384

    static func signed(_ claims: AccessTokenClaims, by snapshot: KeySnapshot, now: Date) throws -> String {
        let (header, key) = try snapshot.signer(at: now)
        let input = header + "." + Base64URL.text(try CanonicalJSON.data(claims))
        return input + "." + Base64URL.text(try key.signature(for: Data(input.utf8)))
    }

    /// The claims of a token with a valid signature. `nil` if no key of the snapshot may have signed it; the key
    /// follows from the whole header, never from a member of it.
    ///
    /// - Throws: `auth.bad_jwt` for anything malformed and for a wrong signature.
    static func claims(of token: String, _ snapshot: KeySnapshot) throws -> AccessTokenClaims? {
        guard token.utf8.count <= limit else { throw refused("token is too long") }
        guard let parts = parts(of: token), let signature = Base64URL.bytes(parts.signature),
            let payload = Base64URL.bytes(parts.payload)
        else { throw refused("token is malformed") }
        let input = Data(parts.input.utf8)
        if let key = snapshot.key(ofHeader: String(parts.header)) {
            guard key.verifies(signature, for: input) else { throw refused("signature is invalid") }
            return try read(payload)
        }
        guard !snapshot.secrets.isEmpty, isByName(parts.header, "HS256") else { return nil }
        guard snapshot.secrets.contains(where: { $0.verifies(signature, for: input) }) else {
            throw refused("signature is invalid")
        }
        return try read(payload)
    }

    /// Whether a token that `claims(of:_:)` has read was signed by a key of the store, and not by a shared secret.
    static func isByStoredKey(_ token: String, _ snapshot: KeySnapshot) -> Bool {
        token.divided(at: point).flatMap { snapshot.key(ofHeader: String($0.before)) } != nil
    }

    /// The key that signed a token which `claims(of:_:)` has read; nil if it is not among these keys.
    static func signer(of token: String, _ snapshot: KeySnapshot) -> AccessTokenKey? {
        guard token.utf8.count <= limit, let parts = parts(of: token),
            let signature = Base64URL.bytes(parts.signature)
        else { return nil }
        let input = Data(parts.input.utf8)
        let stored = snapshot.key(ofHeader: String(parts.header))
        return (stored.map { [$0] } ?? snapshot.secrets).first { $0.verifies(signature, for: input) }
    }

    private static let point = UInt8(ascii: ".")

    /// The three parts of a token, and the signed text: the first two with the point between them. `nil` for any other
    /// number of parts.
    private static func parts(
        of token: String
    ) -> (header: Substring, payload: Substring, signature: Substring, input: Substring)? {
        guard let (header, rest) = token.divided(at: point), let (payload, signature) = rest.divided(at: point),
            signature.divided(at: point) == nil
        else { return nil }
        return (header, payload, signature, token[..<payload.endIndex])
    }

    /// Whether the header of a foreign token is unambiguous, names this algorithm and no unknown extension (`crit`),
    /// and is of an access token (RFC 8725, 3.11). One that names a key (`kid`) is for the key set alone, and none of
    /// our secrets is tried.
    private static func isByName(_ header: Substring, _ algorithm: String) -> Bool {
        guard let bytes = Base64URL.bytes(header), bytes.count <= 1024,
            let members = try? StrictJSON.value(Array(bytes)).object, members["alg"]?.string == algorithm,
            members["crit"] == nil, members["kid"] == nil
        else { return false }
        guard let type = members["typ"] else { return true }
        return type.string.map { $0.isWord("jwt") || $0.isWord("at+jwt") } ?? false
    }

    private static func read(_ payload: [UInt8]) throws -> AccessTokenClaims {
        guard let members = try? StrictJSON.value(payload, depth: 64).object,
            let claims = try? AccessTokenClaims(members: members)
        else { throw refused("claims are malformed") }
        return claims
    }

    static func refused(_ why: String) -> FarewellError {
        AuthorityRefusal.badJWT.error("\(AuthorityRefusal.badJWT.message), \(why)")
    }
}
