// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// Runs expensive work on threads of its own, with a limit for running and for waiting work. Work beyond the limits is
/// refused at once, and so is, at its turn, work that has waited so long that its caller has gone. So a flood of
/// sign-ins delays no caller for minutes and needs no memory.
final class HashQueue: Sendable {
    private struct Waiter: Sendable {
        let number: Int
        let since: Date
        let turn: CheckedContinuation<Void, any Error>
    }

    private struct State: Sendable {
        var running = 0
        /// Longest first.
        var waiting: [Waiter] = []
        var nextNumber = 0
        var cancelled: Set<Int> = []
    }

    private let concurrent: Int
    private let waiting: Int
    private let longest: TimeInterval
    private let now: @Sendable () -> Date
    private let state = Guarded(State())

    init(_ limits: HashingLimits, now: @escaping @Sendable () -> Date) {
        concurrent = max(1, limits.concurrent ?? ProcessInfo.processInfo.activeProcessorCount)
        waiting = max(0, limits.waiting)
        longest = limits.longestWait / .seconds(1)
        self.now = now
    }

    /// How many run and wait now.
    var load: (running: Int, waiting: Int) { state.withLock { ($0.running, $0.waiting.count) } }

    /// Throws `auth.over_request_rate_limit` if too many wait already: for callers with work to do before.
    func checkRoom() throws {
        guard state.withLock(hasRoom) else { throw Self.full }
    }

    private func hasRoom(_ state: inout State) -> Bool {
        state.running < concurrent || state.waiting.count < waiting
    }

    /// Throws `auth.over_request_rate_limit` if too many wait already, or the turn was too late; `CancellationError`
    /// if the caller has gone meanwhile, even if the work is done.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await enter()
        defer { leave() }
        let value = try await BlockingWork.run(work)
        // The work itself cannot be interrupted.
        try Task.checkCancellation()
        return value
    }

    private enum Entry { case free, full, wait(Int) }

    private func enter() async throws {
        try Task.checkCancellation()
        let entry = state.withLock { state -> Entry in
            if state.running < concurrent {
                state.running += 1
                return .free
            }
            guard hasRoom(&state) else { return .full }
            state.nextNumber += 1
            return .wait(state.nextNumber)
        }
        switch entry {
        case .free: return
        case .full: throw Self.full
        case .wait(let number): try await wait(number)
        }
    }

    private func wait(_ number: Int) async throws {
        // However the wait ended, the cancellation may have come at that moment.
        defer { state.withLock { _ = $0.cancelled.remove(number) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { turn in
                let answer = state.withLock { state -> Result<Void, any Error>? in
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    // Since this caller began to wait, another one may have left or new ones may have come.
                    if state.running < concurrent {
                        state.running += 1
                        return .success(())
                    }
                    guard hasRoom(&state) else { return .failure(Self.full) }
                    state.waiting.append(Waiter(number: number, since: now(), turn: turn))
                    return nil
                }
                if let answer { turn.resume(with: answer) }
            }
        } onCancel: {
            let turn = state.withLock { state -> CheckedContinuation<Void, any Error>? in
                guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiting.remove(at: index).turn
            }
            turn?.resume(throwing: CancellationError())
        }
    }

    /// Gives the place to the longest waiting caller who has not waited too long.
    private func leave() {
        let (late, next) = state.withLock { state -> ([Waiter], Waiter?) in
            let latest = now().addingTimeInterval(-longest)
            let late = Array(state.waiting.prefix { $0.since < latest })
            state.waiting.removeFirst(late.count)
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return (late, nil)
            }
            return (late, state.waiting.removeFirst())
        }
        for waiter in late { waiter.turn.resume(throwing: Self.full) }
        next?.turn.resume()
    }

    private static var full: FarewellError {
        AuthorityRefusal.overRequestRateLimit.error(
            remedy: "Too many passwords are being checked at once; try again in a moment.")
    }
}
