// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The result of a sign-in or a refresh for a device. Its description shows none of its tokens.
public struct SessionGrant: Sendable, CustomStringConvertible, CustomReflectable {
    /// A JSON Web Token (RFC 7519), valid until `expiresAt` unless the session ends before.
    public let accessToken: String
    public let expiresAt: Date
    /// How long the access token lasts, in seconds.
    public let expiresIn: Int
    /// Valid for one refresh.
    public let refreshToken: String
    /// Ends this session and has no other use: keep it for a sign-out while offline.
    public let signOutTicket: String
    public let user: User
    public let sessionID: UUID
    /// The number of the refresh token in its session, from 0.
    public let refreshCounter: Int64
    /// Why an earlier refresh token was issued again; empty if the token is new.
    public let repetitions: [Repetition]

    /// Whether the same caller had received this refresh token before.
    public var isRepeated: Bool { !repetitions.isEmpty }

    /// Why a refresh token is issued again, in the words of Supabase Auth.
    public enum Repetition: String, Sendable, Hashable, CaseIterable {
        /// Several calls at about the same time.
        case concurrent = "concurrent-refresh"
        /// The client sent the predecessor of the newest token: it may have failed to store the newest.
        case failedToSave = "fail-to-save"
    }

    public init(
        accessToken: String, expiresAt: Date, expiresIn: Int, refreshToken: String, signOutTicket: String, user: User,
        sessionID: UUID, refreshCounter: Int64, repetitions: [Repetition]
    ) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.expiresIn = expiresIn
        self.refreshToken = refreshToken
        self.signOutTicket = signOutTicket
        self.user = user
        self.sessionID = sessionID
        self.refreshCounter = refreshCounter
        self.repetitions = repetitions
    }

    public var description: String { "SessionGrant(***)" }
    public var customMirror: Mirror { Mirror(self, children: ["sessionID": sessionID]) }
}
