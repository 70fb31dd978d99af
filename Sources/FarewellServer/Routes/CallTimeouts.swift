// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Cancels calls that take too long. All have the same limit, so one task waits for the oldest of them, and a call
/// costs no timer of its own.
final class CallTimeouts: Sendable {
    private struct Call: Sendable {
        let due: Duration
        let cancel: @Sendable () -> Void
    }

    private struct State: Sendable {
        var calls: [Int: Call] = [:]
        var last = 0
        var isWatched = false

        /// The due time of the oldest call; without a call the watch ends.
        mutating func nextDue() -> Duration? {
            let due = calls.values.lazy.map(\.due).min()
            isWatched = due != nil
            return due
        }

        mutating func takeDue(at time: Duration) -> [Call] {
            let late = calls.filter { $0.value.due <= time }
            for number in late.keys { calls[number] = nil }
            return Array(late.values)
        }
    }

    private let limit: Duration
    private let world: ServerWorld
    private let state = Guarded(State())

    init(limit: Duration, world: ServerWorld) {
        self.limit = limit
        self.world = world
    }

    /// Passes the deadline to the work, which checks it while it computes.
    ///
    /// - Throws: `auth.request_timeout`; the work has ended by that time. Also for work that ended too late before the
    ///   timer could cancel it.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable (CallDeadline) async throws -> Value
    ) async throws -> Value {
        let deadline = CallDeadline(due: world.elapsed() + limit, elapsed: world.elapsed)
        let task = Self.begin { try await work(deadline) }
        let number = enter(Call(due: deadline.due, cancel: { task.cancel() }))
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        let isInTime = state.withLock { $0.calls.removeValue(forKey: number) != nil }
        guard isInTime, !deadline.isPast else { throw CallDeadline.passed }
        return try result.get()
    }

    /// Begins the work at once if the system can, without waiting for one of Swift's threads.
    private static func begin<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        if #available(macOS 26, *) { Task.immediate { try await work() } } else { Task { try await work() } }
    }

    private func enter(_ call: Call) -> Int {
        let (number, isFirst) = state.withLock { state in
            state.last += 1
            state.calls[state.last] = call
            defer { state.isWatched = true }
            return (state.last, !state.isWatched)
        }
        if isFirst { watch() }
        return number
    }

    private func watch() {
        Task { [state, world] in
            while let due = state.withLock({ $0.nextDue() }) {
                try? await world.sleep(max(.zero, due - world.elapsed()))
                // The wait ended at this time, so the clock need not be read again.
                let late = state.withLock { $0.takeDue(at: max(due, world.elapsed())) }
                for call in late { call.cancel() }
            }
        }
    }
}
