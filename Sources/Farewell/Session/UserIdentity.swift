// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// One way in which a user can prove who they are.
public struct UserIdentity: Sendable, Hashable, Identifiable {
    public var id: UUID
    public var userID: UUID
    /// `email`, `apple`, `google`, …
    public var provider: String
    /// The provider's name for the user: together with the issuer, and never the e-mail address, it identifies the
    /// user.
    public var providerID: String
    public var data: [String: JSONValue]
    public var lastSignInAt: Date?
    public var createdAt: Date
    public var updatedAt: Date

    public init(
        id: UUID, userID: UUID, provider: String, providerID: String, data: [String: JSONValue] = [:],
        lastSignInAt: Date? = nil, createdAt: Date, updatedAt: Date
    ) {
        self.id = id
        self.userID = userID
        self.provider = provider
        self.providerID = providerID
        self.data = data
        self.lastSignInAt = lastSignInAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}
