// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
@testable import FarewellServer
import HTTPTypes
import Testing

@Suite("Readiness")
struct ReadinessTests {
    @Test("OP-5 while its database is silent a server is not ready, says so long before a call's limit, and is ready again afterwards")
    func silent() async throws {
        let isSilent = Guarded(false)
        try await ErasureMount.with(
            isWorking: .off,
            changing: { _, world in
                let wait = world.sleep
                // While the database is silent, the limit of a look passes at once, and that of a call as usual.
                world.sleep = { limit in
                    if limit > .seconds(5) || !isSilent.withLock({ $0 }) { try await wait(limit) }
                }
            },
            watching: { database in
                WatchedDatabase(database: database) { _ in
                    if isSilent.withLock({ $0 }) { await untilCancelled() }
                }
            }
        ) { mount in
            isSilent.withLock { $0 = true }
            let silent = try await mount.ask(.get, "/readyz")
            #expect(silent.status == 503, "\(silent)")
            #expect(silent.json["cause"] as? String == "A database did not answer within 4 seconds.", "\(silent)")
            isSilent.withLock { $0 = false }
            try await eventually { try await mount.ask(.get, "/readyz").status == 200 }
        }
    }
}
