// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// Warns before the day on which an erasure must be over, while there is time to do something.
///
/// The end of grace needs no duty: workers claim ready erasures by their stored time.
struct Scheduler: Duty {
    let workers: ErasureWorkers
    let name = "Checking due dates"
    let pause = 60

    func perform() async throws {
        let engine = workers.engine
        let control = engine.control
        let rules = workers.rules
        let now = engine.environment.now()
        let near = try await engine.database.transaction { connection in
            let near = try await control.requests.warn(daysBefore: rules.warningDays).run(on: connection)
            let ids = near.map(\.id)
            if !ids.isEmpty { try await connection.run(control.outbox.note(.due, of: ids, at: now)) }
            return near
        }
        for erasure in near {
            engine.environment.log.error(
                "An erasure is due soon and is not finished.",
                metadata: [
                    "erasure": "\(erasure.id.text)",
                    "due": "\(erasure.dueAt.map { UTCTime.text($0) } ?? "?")",
                ])
        }
    }
}
