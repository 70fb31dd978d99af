// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellKeys
import Foundation

/// A key that signs and verifies access tokens, by one algorithm alone.
enum AccessTokenKey: Sendable {
    case es256(P256.Signing.PrivateKey)
    case edDSA(Curve25519.Signing.PrivateKey)
    case hs256(SymmetricKey)

    /// The name of the algorithm in a token's header (RFC 7518, 3.1; RFC 8037).
    var algorithm: String {
        switch self {
        case .es256: "ES256"
        case .edDSA: "EdDSA"
        case .hs256: "HS256"
        }
    }

    func signature(for data: Data) throws -> [UInt8] {
        switch self {
        case .es256(let key): Array(try key.signature(for: data).rawRepresentation)
        case .edDSA(let key): Array(try key.signature(for: data))
        case .hs256(let key): Array(HMAC<SHA256>.authenticationCode(for: data, using: key))
        }
    }

    func verifies(_ signature: [UInt8], for data: Data) -> Bool {
        switch self {
        case .es256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.publicKey.isValidSignature(signature, for: data)
        case .edDSA(let key):
            return signature.count == 64 && key.publicKey.isValidSignature(signature, for: data)
        case .hs256(let key):
            return HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: data, using: key)
        }
    }

    /// The members of the public key that RFC 7638 names; `nil` for a secret, which has no public half.
    var publicMembers: [String: String]? {
        switch self {
        case .es256(let key):
            let point = key.publicKey.rawRepresentation
            return [
                "crv": "P-256", "kty": "EC", "x": Base64URL.text(point.prefix(32)),
                "y": Base64URL.text(point.suffix(32)),
            ]
        case .edDSA(let key):
            return ["crv": "Ed25519", "kty": "OKP", "x": Base64URL.text(key.publicKey.rawRepresentation)]
        case .hs256: return nil
        }
    }
}

extension AccessTokenKey {
    /// A new key from 32 random bytes, for an algorithm whose keys the store keeps.
    static func made(_ algorithm: String, entropy: Entropy) throws -> AccessTokenKey {
        // About one in 2^32 random values is no P-256 key.
        for _ in 0..<4 {
            if let key = try? AccessTokenKey(algorithm, privateBytes: entropy.bytes(32)) { return key }
        }
        throw RowReader.unreadable
    }

    init(_ algorithm: String, privateBytes: [UInt8]) throws {
        switch algorithm {
        case "ES256": self = .es256(try P256.Signing.PrivateKey(rawRepresentation: privateBytes))
        case "EdDSA": self = .edDSA(try Curve25519.Signing.PrivateKey(rawRepresentation: privateBytes))
        default: throw RowReader.unreadable
        }
    }

    /// The bytes that the store seals; empty for a shared secret, which is never stored.
    var privateBytes: [UInt8] {
        switch self {
        case .es256(let key): Array(key.rawRepresentation)
        case .edDSA(let key): Array(key.rawRepresentation)
        case .hs256: []
        }
    }

    /// A shared secret; nil for a pair of keys.
    var secretBytes: [UInt8]? {
        guard case .hs256(let key) = self else { return nil }
        return key.withUnsafeBytes { Array($0) }
    }

    /// The key's name: its thumbprint (RFC 7638). Empty for a shared secret.
    var thumbprint: String {
        guard let members = publicMembers, let text = try? CanonicalJSON.data(members) else { return "" }
        return Base64URL.text(SHA256.hash(data: text))
    }
}
