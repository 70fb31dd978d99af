// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Tokens that are no longer valid, though they have not expired: those of a session, or of a user.
public struct RevokedTokens: Sendable, Hashable {
    /// The revoked tokens.
    public enum Scope: Sendable, Hashable {
        /// Every token of that session.
        case session(String)
        /// Tokens of that user issued at `before` or earlier; all of them if that is `nil`.
        case subject(String, before: Date?)
    }

    public let issuer: String
    public let scope: Scope
    public let revokedAt: Date

    public init(issuer: String, scope: Scope, revokedAt: Date) {
        self.issuer = issuer
        self.scope = scope
        self.revokedAt = revokedAt
    }
}
