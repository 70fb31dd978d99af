// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Which of a person's sessions a sign-out ends.
public enum SignOutScope: String, Sendable, Hashable, Codable, CaseIterable {
    /// This session.
    case local
    /// Every session of the person.
    case global
    /// All but this one.
    case others

    /// Whether signing out from `current` with this scope ends `session`, both of one person. Whoever signs out
    /// without a session of their own ends all of them, whatever they asked for.
    public func ends(_ session: UUID, signingOutFrom current: UUID?) -> Bool {
        guard let current else { return true }
        return switch self {
        case .local: session == current
        case .global: true
        case .others: session != current
        }
    }
}
