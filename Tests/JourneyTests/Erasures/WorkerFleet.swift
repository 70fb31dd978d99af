// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess
import Synchronization
import Testing

/// Several `farewell work`, each started again when it dies, until all is over.
final class WorkerFleet: Sendable {
    private struct State: Sendable {
        var isOver = false
        var working: [Int32] = []
        var started = 0
    }

    private let state = Mutex(State())
    private let place: ServerPlace
    private let settings: String

    init(_ place: ServerPlace, _ settings: String) throws {
        self.place = place
        self.settings = "fleet-\(UUID().uuidString).yaml"
        try Data(settings.utf8).write(to: place.folder.appendingPathComponent(self.settings))
    }

    /// The processes that have said that they work, the oldest first.
    var working: [Int32] { state.withLock { $0.working } }
    /// How many have worked so far.
    var started: Int { state.withLock { $0.started } }

    /// Keeps so many at work while `body` runs, and asks them to stop afterwards.
    func run(_ workers: Int, _ body: @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<workers { group.addTask { try await self.keepOne() } }
            let result: Result<Void, any Error>
            do {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            let left = state.withLock { state in
                state.isOver = true
                return state.working
            }
            for process in left {
                kill(process, SIGCONT)
                kill(process, SIGTERM)
            }
            try await group.waitForAll()
            try result.get()
        }
    }

    private func keepOne() async throws {
        while !state.withLock({ $0.isOver }) {
            _ = try await Subprocess.run(
                place.configuration(["work", "--settings", settings]), input: .none, output: .sequence,
                error: .discarded
            ) { execution in
                let process = execution.processIdentifier.value
                for try await line in execution.standardOutput.strings() where line.contains("Working") {
                    let isLate = self.state.withLock { state in
                        state.working.append(process)
                        state.started += 1
                        return state.isOver
                    }
                    if isLate { kill(process, SIGTERM) }
                }
                self.state.withLock { $0.working.removeAll { $0 == process } }
            }
        }
    }
}
