// SPDX-License-Identifier: Apache-2.0

import Farewell
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Whether a connection still has its peer.
final class CallerPresence: Sendable {
    private struct State: Sendable {
        var isGone = false
        var last = 0
        var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Guarded(State())

    /// The peer has gone.
    func end() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            state.isGone = true
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.finish() }
    }

    /// Holds nothing, and ends when the peer has gone.
    var absence: AsyncStream<Void> {
        AsyncStream { continuation in
            let number: Int? = state.withLock { state in
                guard !state.isGone else { return nil }
                state.last += 1
                state.waiting[state.last] = continuation
                return state.last
            }
            guard let number else { return continuation.finish() }
            continuation.onTermination = { _ in self.state.withLock { $0.waiting[number] = nil } }
        }
    }
}
