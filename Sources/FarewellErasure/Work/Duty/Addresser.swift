// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Records the ends of erasures and the receivers of events. Both together, because a sealed subject is kept as long as
/// an event about them is undelivered.
struct Addresser: Duty {
    let workers: ErasureWorkers
    let name = "Addressing events"
    let pause = 2

    private static let atOnce = 1_000

    func perform() async throws {
        var count = 0
        repeat { count = try await address() } while count == Self.atOnce
    }

    /// - Returns: How many events were looked at.
    private func address() async throws -> Int {
        let engine = workers.engine
        let control = engine.control
        let noted = control.outbox.noteEnds(at: engine.environment.now())
        let endpoints = workers.delivery?.endpoints ?? []
        return try await engine.database.transaction { connection in
            _ = try await connection.pipeline(noted)
            guard !endpoints.isEmpty else { return 0 }
            let events = try await control.outbox.unaddressed(limit: Self.atOnce).run(on: connection)
            guard !events.isEmpty else { return 0 }
            let addresses = endpoints.map { control.outbox.address(events, $0.kinds, to: $0.name) }
            _ = try await connection.pipeline(addresses + [control.outbox.addressed(events)])
            return events.count
        }
    }
}
