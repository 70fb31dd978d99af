// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import Foundation

extension P256.Signing.PrivateKey {
    /// A token with these claims (RFC 7519), signed with ES256.
    ///
    /// - Parameters:
    ///   - type: The header's `typ`.
    ///   - keyID: The header's `kid`, by which the receiver finds the public key.
    package func token(type: String, keyID: String, _ claims: [String: JSONValue]) throws -> String {
        let header: [String: JSONValue] = ["alg": .string("ES256"), "kid": .string(keyID), "typ": .string(type)]
        let parts = try [header, claims].map { Base64URL.text(Array(try CanonicalJSON.data($0))) }
        let input = parts.joined(separator: ".")
        return input + "." + Base64URL.text(Array(try signature(for: Data(input.utf8)).rawRepresentation))
    }
}
