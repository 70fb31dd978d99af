// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The key or secret that signs access tokens.
public enum TokenSigning: Sendable {
    /// ECDSA on P-256 (RFC 7518, 3.4), with a key of the store's own.
    case es256
    /// Ed25519 (RFC 8037), with a key of the store's own.
    case edDSA
    /// HMAC (RFC 7518, 3.2) under a secret that every verifier needs too.
    case hs256(SharedSecret)
}
