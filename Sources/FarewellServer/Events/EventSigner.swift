// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import FarewellKeys
import FarewellSessions
import FarewellVerifier
import Foundation

/// Signs security event tokens (RFC 8417) with a key of its own, kept in the state directory; receivers find its
/// public half where our other keys are published.
struct EventSigner: Sendable {
    let issuer: String
    private let key: P256.Signing.PrivateKey
    let keyID: String

    private static let fileName = "events.key"

    static func prepared(_ settings: ServeSettings) throws -> EventSigner {
        let directory = try StateDirectory.prepared(at: settings.state)
        let pem = try directory.text(fileName, limit: 4_096) { P256.Signing.PrivateKey().pemRepresentation }
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else {
            throw FarewellError(
                "state.corrupt", .yoursToFix, "\(fileName) in the state directory contains no key.",
                remedy: "Restore it from its back-up, or remove it to create a new key.")
        }
        return EventSigner(key, issuer: settings.completed().authority.issuer)
    }

    init(_ key: P256.Signing.PrivateKey, issuer: String) {
        self.key = key
        self.issuer = issuer
        keyID = Base64URL.text(Array(SHA256.hash(data: key.publicKey.x963Representation).prefix(12)))
    }

    /// The public key as a JSON Web Key (RFC 7517).
    var publicKey: [String: String] {
        let point = Array(key.publicKey.x963Representation.dropFirst())
        return [
            "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": keyID,
            "x": Base64URL.text(point.prefix(32)), "y": Base64URL.text(point.suffix(32)),
        ]
    }

    /// A token of this type with these claims.
    func token(type: String, _ claims: [String: JSONValue]) throws -> String {
        try key.token(type: type, keyID: keyID, claims)
    }
}
