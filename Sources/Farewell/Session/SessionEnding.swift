// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The reason why a session was ended.
public enum SessionEnding: String, Sendable, Hashable, Codable, CaseIterable {
    case signedOut = "signed-out"
    case signedOutElsewhere = "signed-out-elsewhere"
    case endedFromList = "ended-from-list"
    case passwordChanged = "password-changed"
    /// Another party than the rightful client presented a spent refresh token.
    case tokenReused = "token-reused"
    case banned = "user-banned"
    case deleted = "user-deleted"
    case byAdministrator = "by-administrator"

    /// The reason in a sentence for the device's user.
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
