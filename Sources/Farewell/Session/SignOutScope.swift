// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The sessions of a user that a sign-out ends.
public enum SignOutScope: String, Sendable, Hashable, Codable, CaseIterable {
    /// This session.
    case local
    /// Every session of the user.
    case global
    /// All but this one.
    case others

    /// Whether signing out from `current` with this scope ends `session`, both of one user. A sign-out without a
    /// session of its own ends all of them, whatever the scope.
    public func ends(_ session: UUID, signingOutFrom current: UUID?) -> Bool {
        guard let current else { return true }
        return switch self {
        case .local: session == current
        case .global: true
        case .others: session != current
        }
    }
}
