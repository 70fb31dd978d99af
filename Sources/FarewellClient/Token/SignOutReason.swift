// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The reason why no user is signed in any more. Open: a backend may have reasons of its own.
public struct SignOutReason: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The user signed out on this device.
    public static let byYou = SignOutReason(rawValue: "by-you")
    /// Signed out on another device, from the list of sessions, or by a change of password.
    public static let elsewhere = SignOutReason(rawValue: "elsewhere")
    /// The session expired.
    public static let expired = SignOutReason(rawValue: "expired")
    /// Another party used a copy of a token.
    public static let stolenToken = SignOutReason(rawValue: "stolen-token")
    /// Sign in with Apple was withdrawn.
    public static let appleCredentialRevoked = SignOutReason(rawValue: "apple-credential-revoked")
    /// The account no longer exists.
    public static let accountDeleted = SignOutReason(rawValue: "account-deleted")
    /// The backend no longer accepts the session and does not say why.
    public static let refused = SignOutReason(rawValue: "refused")

    /// The reason a session authority gave.
    public init(_ ending: SessionEnding) {
        switch ending {
        case .signedOut: self = .byYou
        case .signedOutElsewhere, .endedFromList, .passwordChanged, .byAdministrator: self = .elsewhere
        case .tokenReused: self = .stolenToken
        case .banned: self = .refused
        case .deleted: self = .accountDeleted
        }
    }
}
