// SPDX-License-Identifier: Apache-2.0

/// The state of an account's deletion on the device that requested it (CF-1). Each state is in the journal before its
/// action is begun.
public enum DeletionState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Decided: key and ticket are kept, the server has not answered. Next: `accepted`, `refused`, `unanswered`.
    case intended
    /// The server may have received it; nothing changes on the device until that is known. Next: `accepted`,
    /// `refused`, `intended`.
    case unanswered
    /// The server has accepted or done the deletion. From here only forwards. Next: `subscriptionsLeft`.
    case accepted
    /// The subscription service was logged out, or could not be. Next: `tokensCleared`, `tokensStuck`.
    case subscriptionsLeft
    /// Tokens and caches in memory are deleted. Next: `done`, `unclean`.
    case tokensCleared
    /// The token store could not be cleared. Next: `unclean`, at the next launch `subscriptionsLeft`.
    case tokensStuck
    /// Something is left on the device: tried again at the next launch, before anything is shown. Next:
    /// `subscriptionsLeft`.
    case unclean
    /// The device is clean. Final.
    case done
    /// The server refused: nothing has changed. Final.
    case refused

    /// The events of a deletion.
    public enum Event: String, Sendable, Hashable, CaseIterable {
        case accept
        case refuse
        case loseAnswer = "lose answer"
        case repeatRequest = "repeat request"
        case leaveSubscriptions = "leave subscriptions"
        case clearTokens = "clear tokens"
        case failTokens = "fail tokens"
        case purge
        case findLeftovers = "find leftovers"
        case retry
    }

    /// The state after `event`; `nil` when the event is impossible here.
    public func after(_ event: Event) -> DeletionState? {
        switch (self, event) {
        case (.intended, .accept), (.unanswered, .accept): .accepted
        case (.intended, .refuse), (.unanswered, .refuse): .refused
        case (.intended, .loseAnswer): .unanswered
        case (.unanswered, .repeatRequest): .intended
        case (.accepted, .leaveSubscriptions): .subscriptionsLeft
        case (.subscriptionsLeft, .clearTokens): .tokensCleared
        case (.subscriptionsLeft, .failTokens): .tokensStuck
        case (.tokensCleared, .purge): .done
        case (.tokensCleared, .findLeftovers), (.tokensStuck, .purge), (.tokensStuck, .findLeftovers): .unclean
        case (.unclean, .retry), (.tokensStuck, .retry): .subscriptionsLeft
        default: nil
        }
    }

    /// The one thing to do in this state.
    public enum Action: Sendable, Hashable {
        case request, resolve, leaveSubscriptions, clearTokens, purge, wait, forget
    }

    public var action: Action {
        switch self {
        case .intended: .request
        case .unanswered: .resolve
        case .accepted: .leaveSubscriptions
        case .subscriptionsLeft: .clearTokens
        case .tokensCleared, .tokensStuck: .purge
        case .unclean: .wait
        case .done, .refused: .forget
        }
    }

    /// Whether the account is known to be deleted, or its deletion accepted.
    public var isAccepted: Bool {
        switch self {
        case .intended, .unanswered, .refused: false
        case .accepted, .subscriptionsLeft, .tokensCleared, .tokensStuck, .unclean, .done: true
        }
    }
}
