// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// Warns before the day on which an erasure has to be over, while there is time to do something.
///
/// The end of grace needs no duty: workers claim what is ready by the time that stands with it.
struct Scheduler: Duty {
    let workers: ErasureWorkers
    let name = "Looking after due dates"
    let pause = 60

    func perform() async throws {
        let engine = workers.engine
        let control = engine.control
        let rules = workers.rules
        let now = engine.environment.now()
        let near = try await engine.database.transaction { connection in
            let rows = try await connection.run(control.warn(daysBefore: rules.warningDays)).rows
            let ids = rows.compactMap { $0.first?.identifier }
            if !ids.isEmpty { try await connection.run(control.note(.due, of: ids, at: now)) }
            return rows
        }
        for row in near {
            engine.environment.log.error(
                "An erasure has to be over soon, and is not.",
                metadata: [
                    "erasure": "\(row[0].identifier?.text ?? "?")",
                    "due": "\(row[1].date.map { UTCTime.text($0) } ?? "?")",
                ])
        }
    }
}
