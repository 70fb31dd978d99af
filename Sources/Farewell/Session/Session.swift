// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// One signed-in device of one user.
public struct Session: Sendable, Hashable, Codable, Identifiable {
    public let id: UUID
    public let userID: UUID
    public let device: SessionDevice
    public let createdAt: Date
    /// The last use, exact to a few minutes.
    public let lastSeenAt: Date
    /// When its access token was last renewed.
    public let refreshedAt: Date
    /// The latest time of its end; `nil` if only its own user ends it.
    public let notAfter: Date?
    /// The authority's assurance of the user's identity: `aal1` after one proof (NIST SP 800-63B).
    public let assurance: String
    /// Newest first.
    public let methods: [AuthenticationMethod]
    /// Whether this is the caller's session.
    public var isCurrent: Bool

    public init(
        id: UUID, userID: UUID, device: SessionDevice, createdAt: Date, lastSeenAt: Date, refreshedAt: Date,
        notAfter: Date? = nil, assurance: String = "aal1", methods: [AuthenticationMethod] = [],
        isCurrent: Bool = false
    ) {
        self.id = id
        self.userID = userID
        self.device = device
        self.createdAt = createdAt
        self.lastSeenAt = lastSeenAt
        self.refreshedAt = refreshedAt
        self.notAfter = notAfter
        self.assurance = assurance
        self.methods = methods
        self.isCurrent = isCurrent
    }
}
