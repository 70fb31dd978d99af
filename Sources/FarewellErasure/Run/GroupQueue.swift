// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The groups of one call that are still to be erased, and the outcomes of the others. Concurrent connections share it.
struct GroupQueue: Sendable {
    private struct State: Sendable {
        var waiting: ArraySlice<[SQLValue]>
        var outcomes: [ErasureOutcome] = []
        var isInterrupted = false
    }

    private let state: Guarded<State>

    init(_ groups: [[SQLValue]]) { state = Guarded(State(waiting: groups[...])) }

    /// The next group; `nil` when there is none left, or the call was interrupted.
    func next() -> [SQLValue]? {
        state.withLock { $0.isInterrupted ? nil : $0.waiting.popFirst() }
    }

    /// Keeps the outcomes of a group, in the order in which groups end.
    func note(_ outcomes: [ErasureOutcome]) {
        state.withLock { $0.outcomes += outcomes }
    }

    /// Lets no further group begin.
    func interrupt() {
        state.withLock { $0.isInterrupted = true }
    }

    /// The outcomes of all groups that have begun.
    ///
    /// - Throws: `CancellationError` when the interruption came before there was any.
    func finish() throws -> [ErasureOutcome] {
        let (outcomes, isInterrupted) = state.withLock { ($0.outcomes, $0.isInterrupted) }
        if isInterrupted, outcomes.isEmpty { throw CancellationError() }
        return outcomes
    }
}
