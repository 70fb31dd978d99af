// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Deletes expired data: fences of finished erasures, used proofs, sealed data that is no longer needed.
struct Cleaner: Duty {
    let workers: ErasureWorkers
    let name = "Removing expired data"
    let pause = 60

    func perform() async throws {
        let engine = workers.engine
        guard let now = try await engine.clock.decisive() else { return }
        // Incoming events are repeated for days at most (RFC 8935, 2.4 leaves it to the sender).
        let past = now.addingTimeInterval(-30 * 86_400)
        let receivers = workers.delivery?.endpoints ?? []
        let lasting = receivers.filter { $0.attempts == nil }.map(\.name)
        for statement in engine.control.clear(
            eventsBefore: past, owedTo: lasting, areAddressed: !receivers.isEmpty)
        {
            try await engine.database.run(statement)
        }
    }
}
