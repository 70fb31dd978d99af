// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A user as the session authority knows them. Encodes as the user object of the Supabase Auth contract (1.3).
public struct User: Sendable, Hashable, Identifiable {
    public var id: UUID
    public var audience: String
    public var role: String
    public var email: String?
    public var emailConfirmedAt: Date?
    public var phone: String?
    public var phoneConfirmedAt: Date?
    /// The address that waits for confirmation.
    public var newEmail: String?
    public var emailChangeSentAt: Date?
    public var invitedAt: Date?
    public var confirmationSentAt: Date?
    public var recoverySentAt: Date?
    public var reauthenticationSentAt: Date?
    public var lastSignInAt: Date?
    /// Data that the operator keeps about the user. The user cannot change it.
    public var appMetadata: [String: JSONValue]
    /// The user's own data, which they can change.
    public var userMetadata: [String: JSONValue]
    public var identities: [UserIdentity]
    public var createdAt: Date
    public var updatedAt: Date
    public var bannedUntil: Date?
    public var deletedAt: Date?
    public var isAnonymous: Bool

    public init(
        id: UUID, audience: String = "authenticated", role: String = "authenticated", email: String? = nil,
        appMetadata: [String: JSONValue] = [:], userMetadata: [String: JSONValue] = [:],
        identities: [UserIdentity] = [], createdAt: Date, updatedAt: Date, isAnonymous: Bool = false
    ) {
        self.id = id
        self.audience = audience
        self.role = role
        self.email = email
        self.appMetadata = appMetadata
        self.userMetadata = userMetadata
        self.identities = identities
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.isAnonymous = isAnonymous
    }

    /// The first time at which one of their addresses was confirmed.
    public var confirmedAt: Date? { [emailConfirmedAt, phoneConfirmedAt].compactMap(\.self).min() }

    /// Whether the user is barred at a moment.
    public func isBanned(at now: Date) -> Bool { bannedUntil.map { $0 > now } ?? false }
}
