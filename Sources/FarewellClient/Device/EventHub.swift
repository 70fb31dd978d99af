// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Hands events out to all who subscribed.
final class EventHub: Sendable {
    private struct State: Sendable {
        var standing: SessionStanding
        var mailboxes: [WeakMailbox] = []
    }

    private struct WeakMailbox: Sendable {
        weak var mailbox: EventMailbox?
    }

    private let state: Guarded<State>

    init(_ standing: SessionStanding) { state = Guarded(State(standing: standing)) }

    func subscribe() -> EventMailbox {
        state.withLock { state in
            let mailbox = EventMailbox(first: .initial(state.standing))
            state.mailboxes.removeAll { $0.mailbox == nil }
            state.mailboxes.append(WeakMailbox(mailbox: mailbox))
            return mailbox
        }
    }

    /// Publishes an event, and the new state for later subscribers.
    func say(_ event: SessionEvent?, standing: SessionStanding) {
        let mailboxes = state.withLock { state in
            state.standing = standing
            return state.mailboxes
        }
        guard let event else { return }
        for entry in mailboxes { entry.mailbox?.put(event) }
    }
}
