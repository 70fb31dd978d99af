// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// The events of a device's session. Each subscriber has its own queue: a slow one delays no other and misses nothing
/// that matters; of several waiting renewals only the last stays.
public struct SessionEvents: AsyncSequence, Sendable {
    let hub: EventHub

    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: hub.subscribe()) }

    /// Ends when the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let mailbox: EventMailbox

        public mutating func next() async -> SessionEvent? { await mailbox.next() }
    }
}

/// Hands events out to all who subscribed.
final class EventHub: Sendable {
    private struct State: Sendable {
        var standing: SessionStanding
        var mailboxes: [WeakMailbox] = []
    }

    private struct WeakMailbox: Sendable {
        weak let mailbox: EventMailbox?
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

/// The waiting events of one subscriber.
final class EventMailbox: Sendable {
    private struct State: Sendable {
        var waiting: [SessionEvent]
        var reader: CheckedContinuation<SessionEvent?, Never>?
        var isClosed = false
    }

    private let state: Guarded<State>

    init(first: SessionEvent) { state = Guarded(State(waiting: [first])) }

    func put(_ event: SessionEvent) {
        let reader = state.withLock { state -> CheckedContinuation<SessionEvent?, Never>? in
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            if case .tokenRefreshed = event, case .tokenRefreshed = state.waiting.last { state.waiting.removeLast() }
            state.waiting.append(event)
            return nil
        }
        reader?.resume(returning: event)
    }

    func next() async -> SessionEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer = state.withLock { state -> SessionEvent?? in
                    if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                    if state.isClosed { return .some(nil) }
                    state.reader = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                state.isClosed = true
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }
    }
}
