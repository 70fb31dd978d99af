// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The session of this device: its user and its tokens.
public struct DeviceSession: Sendable, Equatable, Identifiable, CustomStringConvertible, CustomReflectable {
    /// The provider's name of the session; if it has none, one made here at sign-in.
    public let id: String
    public let user: DeviceUser
    public var accessToken: Token
    public var refreshToken: Token
    /// Ends this session and has no other use; `nil` if the provider issues none.
    public var signOutTicket: Token?
    /// The end of the access token, by the server's clock. Stored in seconds since 1970 with this precision, so that a
    /// reader holds the same value as the writer.
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
