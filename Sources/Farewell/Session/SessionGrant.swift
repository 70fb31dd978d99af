// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// What a device gets when it signs in or refreshes. Shows nothing of its tokens.
public struct SessionGrant: Sendable, CustomStringConvertible, CustomReflectable {
    /// A JSON Web Token (RFC 7519), good until `expiresAt` unless the session ends before.
    public let accessToken: String
    public let expiresAt: Date
    /// How long the access token lasts, in seconds.
    public let expiresIn: Int
    /// Good for one refresh.
    public let refreshToken: String
    /// Ends this session and can do nothing else: to be kept for a sign-out while offline.
    public let signOutTicket: String
    public let user: User
    public let sessionID: UUID
    /// The number of the refresh token in its session, from 0.
    public let refreshCounter: Int64
    /// Whether the refresh token had been handed out before, to the same asker.
    public let isRepeated: Bool

    public init(
        accessToken: String, expiresAt: Date, expiresIn: Int, refreshToken: String, signOutTicket: String, user: User,
        sessionID: UUID, refreshCounter: Int64, isRepeated: Bool
    ) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
        self.signOutTicket = signOutTicket
        self.user = user
        self.sessionID = sessionID
        self.refreshCounter = refreshCounter
        self.isRepeated = isRepeated
    }

    public var description: String { "SessionGrant(***)" }
    public var customMirror: Mirror { Mirror(self, children: ["sessionID": sessionID]) }
}
