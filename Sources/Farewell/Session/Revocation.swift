// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// One entry of the revocation feed: tokens that are still young and nevertheless no longer valid.
public struct Revocation: Sendable, Hashable {
    /// Grows from entry to entry and is never given twice.
    public let cursor: Int64
    /// The session whose tokens are refused; `nil` means all sessions of the subject.
    public let sessionID: UUID?
    public let subject: UUID
    /// The issuer of the refused tokens.
    public let issuer: String
    public let revokedAt: Date
    /// Only tokens issued before this time are refused; `nil` means all.
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
