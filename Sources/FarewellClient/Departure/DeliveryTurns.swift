// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Lets a bounded number of messages be on their way to the server at a time; the others wait in their order.
final class DeliveryTurns: Sendable {
    /// One message without an answer leaves room for the others, and many messages do not burden the server at once.
    static let most = 8

    private struct State: Sendable {
        var free = DeliveryTurns.most
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    /// Waits for a turn, which the caller ends.
    func take() async {
        await withCheckedContinuation { one in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(one)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { one.resume() }
        }
    }

    /// Ends a turn: the next caller has it.
    func end() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
