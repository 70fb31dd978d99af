// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Farewell
import Foundation

@testable import FarewellVerifier

/// A key of an issuer that does not exist: it can sign anything.
struct ForgedKey: Sendable {
    let id: String?
    let algorithm: SignatureAlgorithm
    /// As it is published; empty for a secret.
    let members: [String: String]
    /// Forms of the public key, each of which some program once used as a secret.
    let writings: [String]
    let sign: @Sendable ([UInt8]) throws -> [UInt8]

    func jwk(_ change: (inout [String: String]) -> Void = { _ in }) -> String {
        var members = members
        members["kid"] = id
        change(&members)
        return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
    }

    static func set(_ jwks: [String]) -> [UInt8] { Array("{\"keys\":[\(jwks.joined(separator: ","))]}".utf8) }

    static func es256(_ id: String) -> ForgedKey {
        let key = P256.Signing.PrivateKey()
        let point = Array(key.publicKey.rawRepresentation)
        return ForgedKey(
            id: id, algorithm: .es256,
            members: [
                "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "x": Base64URL.text(point[..<32]),
                "y": Base64URL.text(point[32...]),
            ], writings: writings(key.publicKey.pemRepresentation, key.publicKey.derRepresentation)
        ) { Array(try key.signature(for: $0).rawRepresentation) }
    }

    static func es384(_ id: String) -> ForgedKey {
        let key = P384.Signing.PrivateKey()
        let point = Array(key.publicKey.rawRepresentation)
        return ForgedKey(
            id: id, algorithm: .es384,
            members: [
                "kty": "EC", "crv": "P-384", "alg": "ES384", "x": Base64URL.text(point[..<48]), "y": Base64URL.text(point[48...]),
            ], writings: writings(key.publicKey.pemRepresentation, key.publicKey.derRepresentation)
        ) { Array(try key.signature(for: $0).rawRepresentation) }
    }

    static func edDSA(_ id: String) -> ForgedKey {
        let key = Curve25519.Signing.PrivateKey()
        return ForgedKey(
            id: id, algorithm: .edDSA,
            members: ["kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "x": Base64URL.text(key.publicKey.rawRepresentation)],
            writings: [String(decoding: key.publicKey.rawRepresentation, as: UTF8.self)]
        ) { Array(try key.signature(for: $0)) }
    }

    /// One key for all tests: making one takes its time.
    private static let rsaKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    static func rsa(_ id: String, _ algorithm: SignatureAlgorithm = .rs256) throws -> ForgedKey {
        let key = try rsaKey.get()
        let parts = try key.publicKey.getKeyPrimitives()
        let padding: _RSA.Signing.Padding = algorithm == .ps256 ? .PSS : .insecurePKCS1v1_5
        return ForgedKey(
            id: id, algorithm: algorithm,
            members: [
                "kty": "RSA", "alg": algorithm.rawValue, "n": Base64URL.text(parts.modulus), "e": Base64URL.text(parts.publicExponent),
            ],
            writings: writings(key.publicKey.pemRepresentation, key.publicKey.derRepresentation)
                + [key.publicKey.pkcs1PEMRepresentation]
        ) { Array(try key.signature(for: SHA256.hash(data: $0), padding: padding).rawRepresentation) }
    }

    static func secret(_ secret: String, id: String? = nil) -> ForgedKey {
        ForgedKey(id: id, algorithm: .hs256, members: [:], writings: []) { hmac($0, Array(secret.utf8)) }
    }

    static func hmac(_ bytes: [UInt8], _ secret: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: secret)))
    }

    private static func writings(_ pem: String, _ der: Data) -> [String] {
        let oneLine = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        return [pem, pem + "\n", " " + pem, pem.replacing("\n", with: "\r\n"), oneLine, String(decoding: der, as: UTF8.self)]
    }
}
