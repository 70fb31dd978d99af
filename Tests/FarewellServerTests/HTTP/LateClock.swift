// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A clock that stands still until a request has reached a chosen place: there the request's time limit passes.
final class LateClock: Sendable {
    /// The event that ends a late request.
    enum Ending: CaseIterable, Sendable {
        /// The timer, which cancels the request at that place.
        case timer
        /// The request's own look at the clock, because the timer does not run.
        case look
    }

    private struct Sleeper: Sendable {
        let due: Duration
        let wake: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var time = Duration.zero
        var sleepers: [Int: Sleeper] = [:]
        var last = 0
        /// How many places are left until the limit passes; nil is never.
        var left: Int?
        var isLate = false
    }

    private let ending: Ending
    private let state = Guarded(State())

    init(_ ending: Ending) { self.ending = ending }

    var elapsed: Duration { state.withLock { $0.time } }

    /// From now on the limit passes at the n-th place.
    func arm(_ place: Int) { state.withLock { ($0.left, $0.isLate) = (place, false) } }

    /// - Returns: Whether the limit has passed since it was armed.
    func disarm() -> Bool {
        state.withLock { state in
            defer { (state.left, state.isLate) = (nil, false) }
            return state.isLate
        }
    }

    /// Ends all that sleeps.
    func end() { pass(.seconds(1 << 32)) }

    /// The timer of requests.
    func wait(_ length: Duration) async throws {
        try await pause(ending == .timer ? length : .seconds(1 << 31))
    }

    func pause(_ length: Duration) async throws {
        let (number, due) = state.withLock { state in
            state.last += 1
            return (state.last, state.time + length)
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
                let isOver = state.withLock { state in
                    if due > state.time { state.sleepers[number] = Sleeper(due: due, wake: wake) }
                    return due <= state.time
                }
                if isOver { wake.resume() }
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: Int) {
        state.withLock { $0.sleepers.removeValue(forKey: number) }?.wake.resume(throwing: CancellationError())
    }

    /// A place of computing work.
    func reach() {
        let isNow = state.withLock { state in
            state.left? -= 1
            guard state.left == 0 else { return false }
            state.isLate = true
            return true
        }
        if isNow { pass(.seconds(201)) }
    }

    /// A place of work that a cancellation can end: a late request waits there for its cancellation.
    func reachCancellable() async {
        reach()
        guard ending == .timer, state.withLock({ $0.isLate }) else { return }
        let (never, signal) = AsyncStream<Void>.makeStream()
        for await _ in never {}
        signal.finish()
    }

    private func pass(_ length: Duration) {
        let woken = state.withLock { state in
            state.time += length
            let due = state.sleepers.filter { $0.value.due <= state.time }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.wake)
        }
        for wake in woken { wake.resume() }
    }
}
