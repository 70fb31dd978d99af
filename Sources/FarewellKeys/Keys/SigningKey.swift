// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation

/// A private key for signatures by Ed25519 (RFC 8032). Its description is redacted.
package struct SigningKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let key: Curve25519.Signing.PrivateKey
    package let publicKey: SigningPublicKey

    /// `seed` is 32 random bytes; of any other length, its SHA-256 takes their place.
    package init(seed: [UInt8]) {
        let bytes = seed.count == 32 ? Data(seed) : Data(SHA256.hash(data: seed))
        // Every 32 bytes are an Ed25519 seed, so the second way is never taken; it only avoids a forced `try`.
        key = (try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes)) ?? Curve25519.Signing.PrivateKey()
        publicKey = SigningPublicKey(key: key.publicKey)
    }

    var seed: [UInt8] { Array(key.rawRepresentation) }

    func signature(for data: Data) throws -> Data { try key.signature(for: data) }

    package var description: String { "SigningKey(***)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
