// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The keys that a verifier trusts, and no others: a JSON Web Key Set (RFC 7517) of Ed25519 keys (RFC 8037).
public struct PublicKeyList: Sendable, Hashable {
    public let keys: [SigningPublicKey]

    public init(_ keys: [SigningPublicKey]) { self.keys = keys }

    /// The key of that name; nil for an unknown name.
    public subscript(id: String) -> SigningPublicKey? { keys.first { $0.id == id } }

    /// The set as JSON, to publish beside the receipts.
    public func json() throws -> Data {
        try CanonicalJSON.data(KeySet(keys: keys.map(WebKey.init)))
    }

    /// Reads a key set or a single key. At most 64 keys and 64 KiB; keys of other kinds are passed over.
    ///
    /// Throws `keys.malformed`; `keys.private` if the text holds a private key, which must not be published.
    public init(json: Data) throws {
        let malformed = FarewellError(
            "keys.malformed", .yoursToFix, "This is not a list of public keys (JSON Web Key Set with Ed25519 keys).",
            remedy: "Use the list that the issuer publishes: farewell receipt keys, or farewell export --public-key.")
        guard json.count <= 1 << 16 else { throw malformed }
        let single = try? CanonicalJSON.value(WebKey.self, from: json)
        let several = try? CanonicalJSON.value(KeySet.self, from: json).keys
        guard let found = several ?? single.map({ [$0] }), found.count <= 64 else { throw malformed }
        guard found.allSatisfy({ $0.d == nil }) else {
            throw FarewellError(
                "keys.private", .yoursToFix, "The list contains a private key.",
                remedy: "Publish only public keys, and replace that key.")
        }
        let keys = found.filter { $0.kty == "OKP" && $0.crv == "Ed25519" }.map(\.publicKey)
        guard !keys.isEmpty, keys.allSatisfy({ $0 != nil }) else { throw malformed }
        self.init(keys.compactMap(\.self))
    }
}

private struct KeySet: Codable { let keys: [WebKey] }

private struct WebKey: Codable {
    let kty: String
    let crv: String?
    let x: String?
    let kid: String?
    let alg: String?
    let use: String?
    let d: String?

    init(_ key: SigningPublicKey) {
        kty = "OKP"
        crv = "Ed25519"
        x = Base64URL.text(key.rawRepresentation)
        kid = key.id
        alg = "EdDSA"
        use = "sig"
        d = nil
    }

    /// `nil` when malformed, for another use, or under a name that is not its own thumbprint.
    var publicKey: SigningPublicKey? {
        guard let x, let bytes = Base64URL.bytes(x), let key = SigningPublicKey(rawRepresentation: bytes) else {
            return nil
        }
        guard alg == nil || alg == "EdDSA", use == nil || use == "sig", kid == nil || kid == key.id else { return nil }
        return key
    }
}
