// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// One entry of the revocation feed: tokens that are still young and nevertheless no longer good.
public struct Revocation: Sendable, Hashable {
    /// Grows from entry to entry and is never given twice.
    public let cursor: Int64
    /// The session whose tokens are refused; `nil` when it is all of the subject's.
    public let sessionID: UUID?
    public let subject: UUID
    /// The issuer of the tokens meant.
    public let issuer: String
    public let revokedAt: Date
    /// Only tokens issued before this are meant; `nil` means all, whenever issued.
    public let before: Date?
    public let reason: SessionEnding

    public init(
        cursor: Int64, sessionID: UUID?, subject: UUID, issuer: String, revokedAt: Date, before: Date? = nil,
        reason: SessionEnding
    ) {
        self.cursor = cursor
        self.sessionID = sessionID
        self.subject = subject
        self.issuer = issuer
        self.revokedAt = revokedAt
        self.before = before
        self.reason = reason
    }
}

/// Why somebody ended a session.
public enum SessionEnding: String, Sendable, Hashable, Codable, CaseIterable {
    case signedOut = "signed-out"
    case signedOutElsewhere = "signed-out-elsewhere"
    case endedFromList = "ended-from-list"
    case passwordChanged = "password-changed"
    /// A refresh token was shown a second time by somebody who could not have it rightly.
    case tokenReused = "token-reused"
    case banned = "user-banned"
    case deleted = "user-deleted"
    case byAdministrator = "by-administrator"

    /// The reason in a sentence for the person whose device it was.
    public var sentence: String {
        switch self {
        case .signedOut: "This device was signed out."
        case .signedOutElsewhere: "The session was signed out from another device."
        case .endedFromList: "The session was ended from the list of sessions."
        case .passwordChanged: "The password was changed on another device."
        case .tokenReused: "A copy of this session's token was used elsewhere, so the session was ended."
        case .banned: "The account is barred."
        case .deleted: "The account was closed to be deleted."
        case .byAdministrator: "An administrator ended the session."
        }
    }
}
