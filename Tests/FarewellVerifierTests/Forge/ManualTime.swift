// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Logging

@testable import FarewellVerifier

/// Time that passes when a test says so.
final class ManualTime: Sendable {
    private struct State: Sendable {
        var passed = Duration.zero
        var nextID = 0
        var sleepers: [Int: (until: Duration, wake: CheckedContinuation<Void, any Error>)] = [:]
        /// Each is told to look again.
        var arrivals: [CheckedContinuation<Bool, Never>] = []
        var isEnded: Set<Int> = []
    }

    private let start: Date
    private let state = Guarded(State())

    init(at start: Date = Trial.now) { self.start = start }

    var environment: VerifierEnvironment {
        VerifierEnvironment(
            now: { self.start.addingTimeInterval(self.passed.seconds) }, uptime: { self.passed },
            sleep: { try await self.wait(for: $0) }, random: { 0.5 }, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    var passed: Duration { state.withLock { $0.passed } }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.passed += duration
            let due = state.sleepers.filter { $0.value.until <= state.passed }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.wake)
        }
        for wake in due { wake.resume() }
    }

    /// Returns when somebody sleeps until `instant`, or already does.
    func sleeper(until instant: Duration) async {
        var isThere = false
        while !isThere {
            isThere = await withCheckedContinuation { arrival in
                let isThere = state.withLock { state in
                    if state.sleepers.values.contains(where: { $0.until == instant }) { return true }
                    state.arrivals.append(arrival)
                    return false
                }
                if isThere { arrival.resume(returning: true) }
            }
        }
    }

    private func wait(for duration: Duration) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
                let arrivals = state.withLock { state -> [CheckedContinuation<Bool, Never>]? in
                    guard !state.isEnded.contains(id) else { return nil }
                    state.sleepers[id] = (state.passed + duration, wake)
                    defer { state.arrivals = [] }
                    return state.arrivals
                }
                guard let arrivals else { return wake.resume(throwing: CancellationError()) }
                for arrival in arrivals { arrival.resume(returning: false) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.isEnded.insert(id)
                return state.sleepers.removeValue(forKey: id)
            }
            sleeper?.wake.resume(throwing: CancellationError())
        }
    }
}
