// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys

/// The awaited requests of this process that are on their way to acceptance: their callers are being identified, or
/// their subjects looked up. They will arrive in a moment, and share the transactions of a request that waits for them.
/// After a group of requests as many more are expected at once.
package final class ArrivingRequests: Sendable {
    private struct State: Sendable {
        var last = 0
        var present: Set<Int> = []
        /// How many requests the last group had.
        var group = 1
    }

    private let state = Guarded(State())
    private let begins = WakeSignal()
    private let ends = WakeSignal()

    init() {}

    /// The number of requests on their way.
    package var count: Int { state.withLock { $0.present.count } }

    /// A request is on its way.
    ///
    /// - Returns: Its number, for `end`.
    package func begin() -> Int {
        let number = state.withLock { state in
            state.last += 1
            state.present.insert(state.last)
            return state.last
        }
        begins.wake()
        return number
    }

    /// A request has arrived, or will not. Further calls change nothing.
    package func end(_ request: Int) {
        let isEnd = state.withLock { $0.present.remove(request) != nil }
        if isEnd { ends.wake() }
    }

    /// Waits for the requests that are on their way now, and not for those that follow. If the wait is in vain, they
    /// count no longer: a slow request delays one group.
    ///
    /// - Parameter room: How many of them the group can take; it waits for no more.
    func whenArrived(_ patience: Deadline, room: Int) async {
        let wakes = ends.wakes
        let awaited = state.withLock { $0.present }
        let rest = max(0, awaited.count - room)
        guard awaited.count > rest else { return }
        let end: Void? = try? await patience.run { () async -> Void in
            guard self.count(of: awaited) > rest else { return }
            for await _ in wakes where self.count(of: awaited) <= rest { return }
        }
        if end == nil, !Task.isCancelled { state.withLock { $0.present.subtract(awaited) } }
    }

    /// Waits until as many requests have come as the last group had, this one included: its callers are answered
    /// together, and their next requests come together.
    ///
    /// - Parameter request: The first of the group; `nil` if it is not known here.
    func whenGathered(_ patience: Deadline, after request: Int?) async {
        let wakes = begins.wakes
        let (group, last) = state.withLock { ($0.group, $0.last) }
        let awaited = (request ?? last) + group - 1
        guard last < awaited else { return }
        _ = try? await patience.run { () async -> Void in
            guard self.last < awaited else { return }
            for await _ in wakes where self.last >= awaited { return }
        }
    }

    /// A group of so many requests begins.
    func note(group count: Int) { state.withLock { $0.group = max(count, 1) } }

    private var last: Int { state.withLock { $0.last } }

    private func count(of requests: Set<Int>) -> Int { state.withLock { $0.present.intersection(requests).count } }
}
