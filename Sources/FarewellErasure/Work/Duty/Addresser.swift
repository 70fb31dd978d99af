// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Notes how erasures have ended, and for whom events are. Together: what is sealed of a person is kept as long as an
/// event about them is still to be delivered.
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
        let noted = control.noteEnds(at: engine.environment.now())
        let endpoints = workers.delivery?.endpoints ?? []
        return try await engine.database.transaction { connection in
            _ = try await connection.pipeline(noted)
            guard !endpoints.isEmpty else { return 0 }
            let found = try await connection.run(control.unaddressed(limit: Self.atOnce))
            let events = found.rows.compactMap { $0.first?.integer }
            guard !events.isEmpty else { return 0 }
            let addresses = endpoints.map { control.address(events, $0.kinds, to: $0.name) }
            _ = try await connection.pipeline(addresses + [control.addressed(events)])
            return events.count
        }
    }
}
