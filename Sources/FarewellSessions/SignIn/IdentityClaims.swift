// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// The claims of a verified identity token about a user.
public struct IdentityClaims: Sendable, Hashable {
    public var issuer: String
    public var subject: String
    public var audience: [String]
    /// The token's claim: hexadecimal SHA-256 of the application's secret.
    public var nonce: String?
    public var email: String?
    public var isEmailVerified: Bool
    public var name: String?
    /// When the provider made the token.
    public var issuedAt: Date?

    public init(
        issuer: String, subject: String, audience: [String], nonce: String? = nil, email: String? = nil,
        isEmailVerified: Bool = false, name: String? = nil, issuedAt: Date? = nil
    ) {
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.nonce = nonce
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.name = name
        self.issuedAt = issuedAt
    }
}
