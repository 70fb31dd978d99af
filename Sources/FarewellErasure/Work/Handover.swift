// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Hands an erasure whose caller waits for its end to the workers of the same process, past the queue.
///
/// Such an erasure is accepted as claimed, under a first lease. If this process dies, other workers take the erasure
/// over when the lease ends, as they do with any claimed erasure. There are as many places as the workers carry out
/// batches at once; if no place is free, the erasure waits in the queue.
package final class Handover: Sendable {
    private struct State: Sendable {
        var free: Int
        var isOpen = false
    }

    private let state: Guarded<State>
    private let erasures: AsyncStream<HandedErasure>
    private let continuation: AsyncStream<HandedErasure>.Continuation

    init(places: Int) {
        state = Guarded(State(free: places))
        (erasures, continuation) = AsyncStream.makeStream()
    }

    /// A free place, kept until it is closed unused or its erasure is carried out. `nil` if no place is free or no
    /// worker runs.
    func place() -> Place? {
        let isFree = state.withLock { state in
            guard state.isOpen, state.free > 0 else { return false }
            state.free -= 1
            return true
        }
        return isFree ? Place(handover: self) : nil
    }

    /// Carries out each erasure that is given, until `close`.
    func run(_ carryOut: @escaping @Sendable (HandedErasure) async -> Void) async {
        state.withLock { $0.isOpen = true }
        await withDiscardingTaskGroup { tasks in
            for await erasure in erasures {
                tasks.addTask {
                    await carryOut(erasure)
                    erasure.end()
                    self.release()
                }
            }
        }
        close()
    }

    /// Gives no more places. Erasures that were given before are still carried out.
    func close() {
        state.withLock { $0.isOpen = false }
        continuation.finish()
    }

    private func release() { state.withLock { $0.free += 1 } }

    /// One of the places.
    final class Place: Sendable {
        private let handover: Handover
        private let isUsed = Guarded(false)

        fileprivate init(handover: Handover) { self.handover = handover }

        /// - Parameter record: An erasure that was just accepted and belongs to this process.
        func give(_ record: ErasureRecord) -> HandedErasure {
            let erasure = HandedErasure(record)
            isUsed.withLock { $0 = true }
            handover.continuation.yield(erasure)
            return erasure
        }

        /// Gives the place back if it was not used.
        func close() {
            if !isUsed.withLock({ $0 }) { handover.release() }
        }
    }
}
