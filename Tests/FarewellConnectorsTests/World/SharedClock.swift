// SPDX-License-Identifier: Apache-2.0

import Farewell
import Synchronization

/// A clock for many tasks that goes on when all of them sleep, to when the first of them wants to wake.
final class SharedClock: Sendable {
    private struct State {
        var now = 0.0
        var awake: Int
        var sleepers: [(until: Double, wake: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>

    /// - Parameter tasks: How many share it; each says `leave()` when it ends.
    init(tasks: Int) { state = Mutex(State(awake: tasks)) }

    /// Seconds since its beginning.
    var now: Double { state.withLock { $0.now } }

    var sleep: @Sendable (Duration) async throws -> Void {
        { duration in
            let seconds = duration / .seconds(1)
            guard seconds > 0 else { return }
            await withCheckedContinuation { wake in
                self.rest { $0.sleepers.append((until: $0.now + seconds, wake: wake)) }
            }
        }
    }

    func leave() { rest { _ in } }

    private func rest(_ change: (inout State) -> Void) {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            change(&state)
            state.awake -= 1
            guard state.awake == 0, let first = state.sleepers.indices.min(by: { state.sleepers[$0].until < state.sleepers[$1].until })
            else { return nil }
            let sleeper = state.sleepers.remove(at: first)
            state.now = max(state.now, sleeper.until)
            state.awake += 1
            return sleeper.wake
        }
        next?.resume()
    }
}
