// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess
import Testing

extension ErasurePlace {
    /// Starts `farewell work`, lets `use` see its process, and asks it to stop.
    ///
    /// - Returns: its exit status.
    @discardableResult
    func working(
        _ settings: String, _ use: @Sendable (ProcessIdentifier) async throws -> Void
    ) async throws -> Int32 {
        let name = "worker-\(UUID().uuidString).yaml"
        try Data(settings.utf8).write(to: place.folder.appendingPathComponent(name))
        let result = try await Subprocess.run(
            place.configuration(["work", "--settings", name]), input: .none, output: .sequence, error: .discarded
        ) { execution in
            var used = false
            for try await line in execution.standardOutput.strings() where !used && line.contains("Working") {
                used = true
                do {
                    try await use(execution.processIdentifier)
                } catch {
                    kill(execution.processIdentifier.value, SIGKILL)
                    throw error
                }
                kill(execution.processIdentifier.value, SIGTERM)
            }
            if !used { throw ServerNeverListened(said: "") }
        }
        return CommandPlace.status(result.terminationStatus)
    }
}
