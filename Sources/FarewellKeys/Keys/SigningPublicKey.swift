// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import Foundation

/// The public half of a signing key (Ed25519).
public struct SigningPublicKey: Sendable, Hashable {
    /// The key's name: its thumbprint (RFC 7638 over the members of RFC 8037), 43 characters of base64url.
    public let id: String
    /// The 32 bytes of the key.
    public let rawRepresentation: [UInt8]

    /// `nil` unless it is 32 bytes.
    public init?(rawRepresentation: [UInt8]) {
        guard rawRepresentation.count == 32 else { return nil }
        self.init(bytes: rawRepresentation)
    }

    init(key: Curve25519.Signing.PublicKey) { self.init(bytes: Array(key.rawRepresentation)) }

    private init(bytes: [UInt8]) {
        rawRepresentation = bytes
        let members = #"{"crv":"Ed25519","kty":"OKP","x":"\#(Base64URL.text(bytes))"}"#
        id = Base64URL.text(Array(SHA256.hash(data: Data(members.utf8))))
    }

    func verifies(_ signature: [UInt8], for data: Data) -> Bool {
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: rawRepresentation) else { return false }
        return key.isValidSignature(signature, for: data)
    }
}
