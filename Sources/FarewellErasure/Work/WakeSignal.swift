// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Wakes those who wait within this process.
public final class WakeSignal: Sendable {
    private struct State: Sendable {
        var next = 0
        var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Guarded(State())

    public init() {}

    /// Wakes all present waiters.
    public func wake() {
        for continuation in state.withLock({ Array($0.waiting.values) }) { continuation.yield() }
    }

    /// Wakes at every signal from now on; several in a row may become one.
    public var wakes: AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.next += 1
                state.waiting[state.next] = continuation
                return state.next
            }
            continuation.onTermination = { _ in self.state.withLock { $0.waiting[number] = nil } }
        }
    }
}
