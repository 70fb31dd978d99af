// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// Wakes those who wait for revocations within this process.
final class RevocationSignal: Sendable {
    private struct State: Sendable {
        var next = 0
        /// The tasks that maintain the feed; every revocation of this process wakes them.
        var keepers: [Int: AsyncStream<Void>.Continuation] = [:]
        /// The followers of the feed; new entries wake them.
        var followers: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Guarded(State())

    /// Something was revoked, here or by another server.
    func knock() {
        for keeper in state.withLock({ Array($0.keepers.values) }) { keeper.yield() }
    }

    /// There is something new to read.
    func wake() {
        for follower in state.withLock({ Array($0.followers.values) }) { follower.yield() }
    }

    var knocks: AsyncStream<Void> {
        stream { $0.keepers[$1] = $2 }
    }

    var wakes: AsyncStream<Void> {
        stream { $0.followers[$1] = $2 }
    }

    /// How many follow now.
    var followers: Int { state.withLock { $0.followers.count } }

    private func stream(
        _ set: @escaping @Sendable (inout State, Int, AsyncStream<Void>.Continuation?) -> Void
    ) -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.next += 1
                set(&state, state.next, continuation)
                return state.next
            }
            continuation.onTermination = { _ in self.state.withLock { set(&$0, number, nil) } }
        }
    }
}
