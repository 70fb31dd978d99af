// SPDX-License-Identifier: Apache-2.0

/// The state of a sign-out. Each state is in the journal before its action is begun.
public enum SignOutState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Decided; nothing done. Next: `queued`.
    case intended
    /// The message for the server is in the outbox. Next: `tokensCleared`, `tokensStuck`.
    case queued
    /// The tokens are deleted from this device. Next: `done`, `unclean`.
    case tokensCleared
    /// The token store could not be cleared; all the rest is. Next: `unclean`, at the next launch `queued`.
    case tokensStuck
    /// Something is left, and stays in the journal: tried again at the next launch, before anything is shown. Next:
    /// `queued`.
    case unclean
    /// Nothing is left. Final.
    case done

    /// The events of a sign-out.
    public enum Event: String, Sendable, Hashable, CaseIterable {
        case queue
        case clearTokens = "clear tokens"
        case failTokens = "fail tokens"
        case wipe
        case findLeftovers = "find leftovers"
        case retry
    }

    /// The state after `event`; `nil` when the event is impossible here.
    public func after(_ event: Event) -> SignOutState? {
        switch (self, event) {
        case (.intended, .queue): .queued
        case (.queued, .clearTokens): .tokensCleared
        case (.queued, .failTokens): .tokensStuck
        case (.tokensCleared, .wipe): .done
        case (.tokensCleared, .findLeftovers), (.tokensStuck, .wipe), (.tokensStuck, .findLeftovers): .unclean
        case (.unclean, .retry), (.tokensStuck, .retry): .queued
        default: nil
        }
    }

    /// The one thing to do in this state.
    public enum Action: Sendable, Hashable {
        case queueRevocation, clearTokens, wipe, wait, forget
    }

    public var action: Action {
        switch self {
        case .intended: .queueRevocation
        case .queued: .clearTokens
        case .tokensCleared, .tokensStuck: .wipe
        case .unclean: .wait
        case .done: .forget
        }
    }
}
