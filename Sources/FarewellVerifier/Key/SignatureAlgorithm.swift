// SPDX-License-Identifier: Apache-2.0

/// The algorithms a token may be signed by (RFC 7518, section 3.1; RFC 8037). There is no `none`.
///
/// The key alone decides which one counts: each key is for exactly one.
public enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// ECDSA on P-384 with SHA-384.
    case es384 = "ES384"
    /// Ed25519.
    case edDSA = "EdDSA"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// RSASSA-PSS with SHA-256.
    case ps256 = "PS256"
    /// HMAC with SHA-256. Every verifier of such a token can also make one.
    case hs256 = "HS256"

    /// The algorithm of a name in a token or on a key. Ed25519 is also named after its curve (RFC 9864).
    init?(named name: String) {
        self.init(rawValue: name == "Ed25519" ? "EdDSA" : name)
    }
}
