// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys

/// The awaited requests of this process that are on their way to acceptance: their callers are being identified, or
/// their subjects looked up. They will arrive in a moment, and share the transactions of a request that waits for them.
package final class ArrivingRequests: Sendable {
    private struct State: Sendable {
        var last = 0
        var present: Set<Int> = []
    }

    private let state = Guarded(State())
    private let ends = WakeSignal()

    init() {}

    /// The number of requests on their way.
    package var count: Int { state.withLock { $0.present.count } }

    /// A request is on its way.
    ///
    /// - Returns: Its number, for `end`.
    package func begin() -> Int {
        state.withLock { state in
            state.last += 1
            state.present.insert(state.last)
            return state.last
        }
    }

    /// A request has arrived, or will not. Further calls change nothing.
    package func end(_ request: Int) {
        let isEnd = state.withLock { $0.present.remove(request) != nil }
        if isEnd { ends.wake() }
    }

    /// Waits for the requests that are on their way now, and not for those that follow. If the wait is in vain, they
    /// count no longer: a slow request delays one group.
    func whenArrived(_ patience: Deadline) async {
        let wakes = ends.wakes
        let awaited = state.withLock { $0.present }
        guard !awaited.isEmpty else { return }
        let end: Void? = try? await patience.run { () async -> Void in
            guard self.isAny(of: awaited) else { return }
            for await _ in wakes where !self.isAny(of: awaited) { return }
        }
        if end == nil, !Task.isCancelled { state.withLock { $0.present.subtract(awaited) } }
    }

    private func isAny(of requests: Set<Int>) -> Bool { state.withLock { !$0.present.isDisjoint(with: requests) } }
}
