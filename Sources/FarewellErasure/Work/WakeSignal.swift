// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Wakes those who wait within this process.
public final class WakeSignal: Sendable {
    private struct Waiter: Sendable {
        /// The erasure whose end it waits for; `nil` for a waiter that every signal wakes.
        let erasure: UUID?
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

    /// Wakes the waiters for these erasures, and those that every signal wakes.
    func wake(about erasures: [UUID]) {
        let erasures = Set(erasures)
        let woken = state.withLock { state in
            state.waiting.values.filter { $0.erasure.map(erasures.contains) ?? true }
        }
        for waiter in woken { waiter.continuation.yield() }
    }

    /// Wakes at every signal from now on; several in a row may become one.
    public var wakes: AsyncStream<Void> { wakes(for: nil) }

    /// Wakes at the signals about one erasure, and at those about all.
    func wakes(about erasure: UUID) -> AsyncStream<Void> { wakes(for: erasure) }

    private func wakes(for erasure: UUID?) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.next += 1
                state.waiting[state.next] = Waiter(erasure: erasure, continuation: continuation)
                return state.next
            }
            continuation.onTermination = { _ in self.state.withLock { $0.waiting[number] = nil } }
        }
    }
}
