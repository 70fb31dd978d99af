// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// What operators and the background duties of a server use.
extension SessionAuthority {
    /// Delivers what is due now.
    package func deliverMail(by sender: any MailSending) async throws {
        try await parts.mailDelivery.deliverMail(by: sender)
    }

    /// The public keys as a JSON Web Key Set (RFC 7517, 5), newest first. It contains the key that signs next and the
    /// keys whose tokens may still be valid, and never a shared secret.
    public func keySet() async throws -> Data {
        try await parts.signingKeys.keySet()
    }

    /// Publishes a new signing key, which signs once all verifiers may know it (`keyPublication`); the former key stays
    /// valid until its last token has expired.
    ///
    /// - Returns: The new key's identifier (`kid`).
    @discardableResult
    public func rotateSigningKey() async throws -> String {
        try await parts.signingKeys.rotate()
    }

    /// Removes a signing key at once: every server refuses its tokens from the next request on. If it was the signing
    /// key, the next key signs at once, or a new one; a former key never signs again.
    ///
    /// - Throws: `authority.unknown-key`.
    public func removeSigningKey(_ id: String) async throws {
        try await parts.signingKeys.remove(id)
    }

    /// The stored signing keys, newest first, and the present state of each.
    package func signingKeys() async throws -> [SigningKeyRecord] {
        try await parts.signingKeys.records()
    }

    /// One stored signing key.
    ///
    /// - Throws: `authority.unknown-key`.
    package func signingKey(_ id: String) async throws -> SigningKeyRecord {
        try await parts.signingKeys.record(id)
    }
}
