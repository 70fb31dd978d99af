// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

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
