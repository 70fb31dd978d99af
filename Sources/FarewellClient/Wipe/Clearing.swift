// SPDX-License-Identifier: Apache-2.0

/// When a participant is cleared.
public enum Clearing: String, Sendable, Hashable, CaseIterable {
    /// At every departure: sign-out and deletion.
    case onSignOut
    /// Retained for the user's next sign-in; deleted with the account.
    case onDeletion
    /// The device's own, such as its appearance: never.
    case never

    /// Whether it is cleared on an occasion.
    public func happens(on occasion: WipeOccasion) -> Bool {
        switch self {
        case .onSignOut: true
        case .onDeletion: occasion == .deletion
        case .never: false
        }
    }
}
