// SPDX-License-Identifier: Apache-2.0
public import Farewell
public import Foundation

/// A token whose signature, issuer, audience, purpose and times are all as they must be, and which is not revoked.
/// Only a ``TokenVerifier`` makes one.
public struct VerifiedToken: Sendable, Hashable {
    public let person: IssuedSubject
    /// The session it belongs to, where the issuer says so.
    public let sessionID: String?
    /// When it was issued; of a token that does not say, the earliest instant at which it can have been.
    public let issuedAt: Date
    public let expiresAt: Date
    /// Everything it claims (RFC 7519, section 4).
    public let claims: [String: JSONValue]

    /// The nonce of the request to the identity provider, bound into an identity token (OpenID Connect Core, section
    /// 2).
    ///
    /// The requester compares it with its own; Apple's tokens hold the SHA-256 of the application's nonce in
    /// hexadecimal digits.
    public var nonce: String? { claims["nonce"]?.string }

    /// The time of the user's last proof of identity: `auth_time`.
    public var authenticatedAt: Date? {
        claims["auth_time"]?.integer.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }

    /// The address and whether the issuer has checked it. Apple writes the latter as text.
    public var email: (address: String, isVerified: Bool)? {
        guard let address = claims["email"]?.string else { return nil }
        return (address, claims["email_verified"] == true || claims["email_verified"] == "true")
    }
}
