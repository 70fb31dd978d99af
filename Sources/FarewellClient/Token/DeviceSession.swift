// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The session this device holds: who is signed in here, and by which tokens.
public struct DeviceSession: Sendable, Equatable, Identifiable, CustomStringConvertible, CustomReflectable {
    /// What the provider calls the session; where it has no name for it, one made here at sign-in.
    public let id: String
    public let user: DeviceUser
    public var accessToken: Token
    public var refreshToken: Token
    /// Ends this session and can do nothing else; `nil` where the provider issues none.
    public var signOutTicket: Token?
    /// When the access token ends, by the server's clock. As fine as seconds since 1970 are, in which it is stored: who
    /// reads a session holds the same one as who wrote it.
    public var expiresAt: Date { didSet { expiresAt = Self.storable(expiresAt) } }
    /// How long an access token lasts, in seconds.
    public var lifetime: TimeInterval

    public init(
        id: String, user: DeviceUser, accessToken: Token, refreshToken: Token, signOutTicket: Token? = nil,
        expiresAt: Date, lifetime: TimeInterval
    ) {
        self.id = id
        self.user = user
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.signOutTicket = signOutTicket
        self.expiresAt = Self.storable(expiresAt)
        self.lifetime = lifetime
    }

    /// `Date` counts from 2001, where a `Double` is finer.
    private static func storable(_ date: Date) -> Date { Date(timeIntervalSince1970: date.timeIntervalSince1970) }

    public var description: String { "DeviceSession(***)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
