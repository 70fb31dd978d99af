// SPDX-License-Identifier: Apache-2.0
public import Farewell

/// The result of a sign-up.
public enum SignUpOutcome: Sendable {
    /// Signed in at once.
    case session(SessionGrant)
    /// The address must be confirmed first. For an address that is taken, a made-up user that looks the same.
    case user(User)

    public var user: User {
        switch self {
        case .session(let grant): grant.user
        case .user(let user): user
        }
    }
}
