// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// An issuer's event about a user or a session, proved by its signature. Only a ``TokenVerifier`` makes one.
public struct SecurityEvent: Sendable, Hashable {
    /// The kind of event.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The user signed out at the issuer (OpenID Connect Back-Channel Logout 1.0).
        case logout
        /// One session, or all of the user's, ended (CAEP 1.0; RISC's sessions-revoked).
        case sessionRevoked = "session-revoked"
        /// The account was deleted (RISC 1.0, account-purged; Apple's account-delete).
        case accountPurged = "account-purged"
        /// The account is barred for now (RISC 1.0).
        case accountDisabled = "account-disabled"
        /// The user no longer lets this application use their account (Apple's consent-revoked).
        case consentRevoked = "consent-revoked"
        /// Any other event: no session must end.
        case other
    }

    public let kind: Kind
    public let issuer: String
    /// The issuer's identifier of the event: `jti`.
    public let id: String
    /// The user whom it concerns; `nil` if it names only a session.
    public let person: IssuedSubject?
    /// The session that it concerns; `nil` for all of the user's.
    public let sessionID: String?
    public let issuedAt: Date
    /// When it happened; ``issuedAt`` where the issuer does not say so.
    public let occurredAt: Date
    /// Whether it arrived before: repeating the reaction is harmless, and may be left out.
    public internal(set) var isRepeated = false

    init(
        kind: Kind, issuer: String, id: String, person: IssuedSubject?, sessionID: String?, issuedAt: Date,
        occurredAt: Date? = nil
    ) {
        self.kind = kind
        self.issuer = issuer
        self.id = id
        self.person = person
        self.sessionID = sessionID
        self.issuedAt = issuedAt
        self.occurredAt = occurredAt ?? issuedAt
    }

    /// The tokens that are no longer valid because of it; `nil` if none are.
    public var revocation: RevokedTokens? {
        guard kind != .other else { return nil }
        if let sessionID { return RevokedTokens(issuer: issuer, scope: .session(sessionID), revokedAt: issuedAt) }
        guard let person else { return nil }
        // A barred or signed-out user may return with newer tokens, also before a late event arrives; a deleted one
        // does not.
        let before = kind == .accountPurged ? nil : occurredAt
        return RevokedTokens(
            issuer: issuer, scope: .subject(person.subject, before: before), revokedAt: issuedAt)
    }
}
