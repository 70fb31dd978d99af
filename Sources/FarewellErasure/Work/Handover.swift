// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys

/// Hands erasures whose callers wait for their ends to the workers of the same process, past the queue.
///
/// Such an erasure is accepted as claimed, under a first lease. If this process dies, other workers take the erasure
/// over when the lease ends, as they do with any claimed erasure. There are as many places as the workers carry out
/// batches at once, each for erasures that were accepted together; if no place is free, an erasure waits in the queue.
package final class Handover: Sendable {
    typealias Erasing = @Sendable ([AwaitedErasure]) async -> [AwaitedErasure.Answer?]

    private struct State: Sendable {
        var free: Int
        var isOpen = false
        /// Whether all places have been taken for longer than a caller has waited for one.
        var isSlow = false
    }

    private let state: Guarded<State>
    /// Carries out erasures that are not accepted yet, while workers run.
    private let erasing = Guarded<Erasing?>(nil)
    private let frees = WakeSignal()
    private let groups: AsyncStream<[HandedErasure]>
    private let continuation: AsyncStream<[HandedErasure]>.Continuation

    /// How the workers carry out erasures.
    let options: ErasureOptions

    init(places: Int, options: ErasureOptions = ErasureOptions()) {
        self.options = options
        state = Guarded(State(free: places))
        (groups, continuation) = AsyncStream.makeStream()
    }

    /// A free place, kept until it is closed unused or its erasures are carried out. `nil` if no place is free or no
    /// worker runs.
    func place() -> Place? {
        let isFree = state.withLock { state in
            guard state.isOpen, state.free > 0 else { return false }
            state.free -= 1
            return true
        }
        return isFree ? Place(handover: self) : nil
    }

    /// Waits for a free place. Returns at once if one is free or no worker runs, and also if an earlier caller has
    /// waited in vain and no place has become free since: then a large account may hold it.
    func whenFree(_ patience: Deadline) async {
        guard isFull, !state.withLock({ $0.isSlow }) else { return }
        let wakes = frees.wakes
        let end: Void? = try? await patience.run { () async -> Void in
            guard self.isFull else { return }
            for await _ in wakes where !self.isFull { return }
        }
        if end == nil, !Task.isCancelled { state.withLock { $0.isSlow = $0.free <= 0 } }
    }

    private var isFull: Bool { state.withLock { $0.isOpen && $0.free <= 0 } }

    /// Whether erasures may be accepted and carried out in one transaction.
    var takesUnaccepted: Bool { erasing.withLock { $0 != nil } }

    /// Accepts and carries out erasures in one transaction, in a free place.
    ///
    /// - Returns: An answer for each that is done; `nil` for the others, of which nothing was changed.
    func erase(_ awaited: [AwaitedErasure]) async -> [AwaitedErasure.Answer?] {
        guard let erasing = erasing.withLock({ $0 }), let place = place() else { return awaited.map { _ in nil } }
        defer { place.close() }
        return await erasing(awaited)
    }

    /// Carries out the erasures that are given, until `close`.
    ///
    /// - Parameter erasing: Accepts and carries out those that are not accepted yet; `nil` if they must be accepted
    ///   before.
    func run(
        _ carryOut: @escaping @Sendable ([HandedErasure]) async -> Void, erasing: Erasing? = nil
    ) async {
        self.erasing.withLock { $0 = erasing }
        state.withLock { $0.isOpen = true }
        await withDiscardingTaskGroup { tasks in
            for await erasures in groups {
                tasks.addTask {
                    await carryOut(erasures)
                    for erasure in erasures { erasure.end() }
                    self.release()
                }
            }
        }
        close()
    }

    /// Gives no more places. Erasures that were given before are still carried out.
    func close() {
        erasing.withLock { $0 = nil }
        state.withLock { $0.isOpen = false }
        continuation.finish()
        frees.wake()
    }

    private func release() {
        state.withLock { state in
            state.free += 1
            state.isSlow = false
        }
        frees.wake()
    }

    /// One of the places.
    final class Place: Sendable {
        private let handover: Handover
        private let isUsed = Guarded(false)

        fileprivate init(handover: Handover) { self.handover = handover }

        /// - Parameter accepted: Erasures that were just accepted together and belong to this process.
        /// - Returns: Whether a worker carries them out: not if the workers have stopped since the place was given.
        func give(_ accepted: [HandedErasure]) -> Bool {
            guard case .enqueued = handover.continuation.yield(accepted) else { return false }
            isUsed.withLock { $0 = true }
            return true
        }

        /// Gives the place back if it was not used.
        func close() {
            if !isUsed.withLock({ $0 }) { handover.release() }
        }
    }
}
