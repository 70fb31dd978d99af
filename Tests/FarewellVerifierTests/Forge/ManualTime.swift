// SPDX-License-Identifier: Apache-2.0

import Eventually
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

    /// Returns when a task sleeps until `instant`.
    func sleeper(until instant: Duration) async throws {
        try await eventually { state.withLock { $0.sleepers.values.contains { $0.until == instant } } }
    }

    private func wait(for duration: Duration) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
                let isAsleep = state.withLock { state in
                    guard !state.isEnded.contains(id) else { return false }
                    state.sleepers[id] = (state.passed + duration, wake)
                    return true
                }
                if !isAsleep { wake.resume(throwing: CancellationError()) }
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
