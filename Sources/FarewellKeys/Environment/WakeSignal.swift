// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Wakes the tasks of this process that wait for it.
public final class WakeSignal: Sendable {
    private struct Waiter: Sendable {
        /// The only thing it waits for, such as one erasure; `nil` for a waiter that every signal wakes.
        let topic: UUID?
        let continuation: AsyncStream<Void>.Continuation
    }

    private struct State: Sendable {
        var next = 0
        var waiting: [Int: Waiter] = [:]
    }

    private let state = Guarded(State())

    public init() {}

    /// Wakes all present waiters.
    public func wake() {
        for waiter in state.withLock({ Array($0.waiting.values) }) { waiter.continuation.yield() }
    }

    /// Wakes the waiters for these things, and those that every signal wakes.
    package func wake(about topics: [UUID]) {
        let topics = Set(topics)
        let woken = state.withLock { state in
            state.waiting.values.filter { $0.topic.map(topics.contains) ?? true }
        }
        for waiter in woken { waiter.continuation.yield() }
    }

    /// Wakes at every signal from now on; several in a row may become one.
    public var wakes: AsyncStream<Void> { wakes(for: nil) }

    /// Wakes at the signals about one thing, and at those about all.
    package func wakes(about topic: UUID) -> AsyncStream<Void> { wakes(for: topic) }

    /// The number of present waiters.
    package var waiters: Int { state.withLock { $0.waiting.count } }

    private func wakes(for topic: UUID?) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.next += 1
                state.waiting[state.next] = Waiter(topic: topic, continuation: continuation)
                return state.next
            }
            continuation.onTermination = { _ in self.state.withLock { $0.waiting[number] = nil } }
        }
    }
}
