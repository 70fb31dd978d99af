// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// Checks an identity token of Apple, Google or another provider: signature, expiry, and issuer by the provider's
/// own keys. Issuer, audience and nonce are then held against the settings by the authority.
public protocol IdentityTokenVerifying: Sendable {
    /// What a token says.
    ///
    /// - Throws: Anything, for a token that cannot be trusted; the person is then told "Bad ID token" and no more.
    ///   An error of the family *try again* is passed on, so that an unreachable provider is not taken for a bad token.
    ///   One that holds audience against the settings itself throws `UnacceptableAudience`.
    func verify(_ token: String, provider: IdentityProvider) async throws -> IdentityClaims
}

/// That a token, good in all else that was looked at so far, is meant for other apps than the settings name.
package struct UnacceptableAudience: Error {
    /// Whom the token is meant for, in its own words.
    package let audience: [String]

    package init(_ audience: [String]) { self.audience = audience }

    /// As the contract (1.7) tells it. The words are those of the token that the caller sent.
    var error: FarewellError {
        let names = audience.prefix(8).map { Shown.line($0, limit: 200) }.joined(separator: " ")
        return AuthorityRefusal.badIdentityToken.error("Unacceptable audience in id_token: [\(names)]")
    }
}

/// What a verified identity token says of a person.
public struct IdentityClaims: Sendable, Hashable {
    public var issuer: String
    public var subject: String
    public var audience: [String]
    /// As it stands in the token: hexadecimal SHA-256 of what the application knows.
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

/// Turns the authorization code of a sign-in into the provider's refresh token (RFC 6749, 4.1.3), which is what
/// later revokes the connection at Apple.
public protocol AuthorizationCodeExchanging: Sendable {
    /// The refresh token; `nil` when the provider gives none.
    func refreshToken(for code: String, provider: IdentityProvider, clientID: String) async throws -> String?
}
