// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// Something that an issuer tells of a person or a session, proved by its signature. Only a ``TokenVerifier`` makes
/// one.
public struct SecurityEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The person signed out at the issuer (OpenID Connect Back-Channel Logout 1.0).
        case logout
        /// One session, or all of the person's, ended (CAEP 1.0; RISC's sessions-revoked).
        case sessionRevoked = "session-revoked"
        /// The account is gone (RISC 1.0, account-purged; Apple's account-delete).
        case accountPurged = "account-purged"
        /// The account is barred for now (RISC 1.0).
        case accountDisabled = "account-disabled"
        /// The person no longer lets this application use their account (Apple's consent-revoked).
        case consentRevoked = "consent-revoked"
        /// Anything else: nothing has to end.
        case other
    }

    public let kind: Kind
    public let issuer: String
    /// Its own word for the event: `jti`.
    public let id: String
    /// Whom it is about; `nil` where only a session is named.
    public let person: IssuedSubject?
    /// Which session it is about; `nil` for all of the person's.
    public let sessionID: String?
    public let issuedAt: Date
    /// Whether it was told before: doing the same again is harmless, and may be left out.
    public internal(set) var isRepeated = false

    /// The tokens that are no longer good because of it; `nil` where none are.
    public var revocation: RevokedTokens? {
        guard kind != .other else { return nil }
        if let sessionID { return RevokedTokens(issuer: issuer, scope: .session(sessionID), revokedAt: issuedAt) }
        guard let person else { return nil }
        // Who is barred or signs out may come back with newer tokens; who is gone does not.
        let before = kind == .accountPurged ? nil : issuedAt
        return RevokedTokens(
            issuer: issuer, scope: .subject(person.subject, before: before), revokedAt: issuedAt)
    }
}
