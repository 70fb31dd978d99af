// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import Farewell
import Foundation

/// A key and the one algorithm it is for.
struct VerificationKey: Sendable {
    private enum Material {
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey, _RSA.Signing.Padding)
        case secret(SymmetricKey)
    }

    /// An HMAC key is at least as long as its hash (RFC 7518, section 3.2).
    static let shortestSecret = 32

    let algorithm: SignatureAlgorithm
    private let material: Material

    /// `nil` for a secret that is too short.
    init?(secret: some Collection<UInt8>) {
        guard secret.count >= Self.shortestSecret else { return nil }
        algorithm = .hs256
        material = .secret(SymmetricKey(data: Array(secret)))
    }

    func verifies(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        switch material {
        case .p256(let key):
            (try? P256.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.isValidSignature($0, for: bytes) } ?? false
        case .p384(let key):
            (try? P384.Signing.ECDSASignature(rawRepresentation: signature))
                .map { key.isValidSignature($0, for: bytes) } ?? false
        case .ed25519(let key):
            key.isValidSignature(signature, for: bytes)
        case .rsa(let key, let padding):
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: bytes),
                padding: padding)
        case .secret(let key):
            HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: bytes, using: key)
        }
    }
}

// MARK: - From a published key

extension VerificationKey {
    /// A public key as its issuer publishes it (RFC 7517), if it is for signatures by exactly one of `algorithms`.
    ///
    /// The key's own `alg` and its type choose the algorithm; a token does not. `nil` for keys that are for another
    /// use, too small, too large, easily factored (``WeakModulus``) or no keys at all, for secrets, and for private
    /// keys, which count as disclosed.
    init?(published jwk: [String: JSONValue], for algorithms: Set<SignatureAlgorithm>) {
        let secretMembers = ["d", "k", "p", "q", "dp", "dq", "qi", "oth"]
        guard secretMembers.allSatisfy({ jwk[$0] == nil }),
            jwk["use"] == nil || jwk["use"] == "sig",
            jwk["key_ops"] == nil || jwk["key_ops"]?.array?.contains("verify") == true
        else { return nil }
        let fitting = algorithms.filter {
            jwk["alg"] == nil || jwk["alg"]?.string.flatMap(SignatureAlgorithm.init(named:)) == $0
        }
        .compactMap { algorithm in Self.material(jwk, for: algorithm).map { (algorithm, $0) } }
        guard fitting.count == 1, let (algorithm, material) = fitting.first else { return nil }
        self.algorithm = algorithm
        self.material = material
    }

    private static func material(_ jwk: [String: JSONValue], for algorithm: SignatureAlgorithm) -> Material? {
        func bytes(_ member: String) -> [UInt8]? { jwk[member]?.string.flatMap { Base64URL.bytes($0) } }
        func point(_ curve: JSONValue, _ length: Int) -> [UInt8]? {
            guard jwk["kty"] == "EC", jwk["crv"] == curve, let x = bytes("x"), let y = bytes("y"), x.count == length,
                y.count == length
            else { return nil }
            return [4] + x + y
        }
        switch algorithm {
        case .es256:
            return point("P-256", 32).flatMap { try? P256.Signing.PublicKey(x963Representation: $0) }.map { .p256($0) }
        case .es384:
            return point("P-384", 48).flatMap { try? P384.Signing.PublicKey(x963Representation: $0) }.map { .p384($0) }
        case .edDSA:
            guard jwk["kty"] == "OKP", jwk["crv"] == "Ed25519", let x = bytes("x"), !WeakPoint.isOne(x) else {
                return nil
            }
            return (try? Curve25519.Signing.PublicKey(rawRepresentation: x)).map { .ed25519($0) }
        case .rs256, .ps256:
            guard jwk["kty"] == "RSA", let n = bytes("n"), let e = bytes("e"), e.count <= 4,
                (256...1024).contains(n.count), !WeakModulus.isOne(n),
                let key = try? _RSA.Signing.PublicKey(n: n, e: e),
                (2048...8192).contains(key.keySizeInBits)
            else { return nil }
            return .rsa(key, algorithm == .ps256 ? .PSS : .insecurePKCS1v1_5)
        case .hs256:
            return nil
        }
    }
}
