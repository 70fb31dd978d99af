// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
@testable import FarewellServer
import FarewellSQL
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@Suite("What operators see of a later plan")
struct PlanOrderRouteTests {
    @Test("OP-2 readyz and the metric say that erasures wait for a later plan; only operators get the remedy")
    func told() async throws {
        try await ErasureMount.with(isWorking: .off) { mount in
            let engine = try #require(mount.server.erasures?.engine)
            let id = try await mount.asked(by: try await mount.person()).id
            #expect(try await engine.lookAtStanding() == .newest)
            #expect(try await mount.ask(.get, "/readyz").json["erasures"] == nil)

            try await mount.endGrace(of: id)
            try await mount.database.withConnection { connection in
                _ = try await connection.run("UPDATE farewell_erasures SET plan_fingerprint = 'later'")
                _ = try await connection.run(
                    """
                    INSERT INTO farewell_loaded_plans (fingerprint, source, number, since) \
                    VALUES ('later', 'later', 99, '2026-01-01T00:00:00.000Z')
                    """)
            }
            #expect(try await engine.lookAtStanding() == .outdated)
            let ready = try await mount.ask(.get, "/readyz")
            #expect(ready.status == 200 && ready.json["erasures"] as? String == "waiting", "\(ready)")
            #expect(ready.text.contains("later plan") && !ready.text.contains("check --accept"), "\(ready)")

            let router = Router()
            mount.server.addOperationRoutes(to: router)
            try await Application(router: router, logger: mount.server.log).test(.router) { operators in
                let told = try await operators.execute(uri: "/readyz", method: .get, headers: [:])
                #expect(told.status == .ok && String(buffer: told.body).contains("farewell check --accept"))
                let metrics = try await operators.execute(uri: "/metrics", method: .get, headers: [:])
                #expect(String(buffer: metrics.body).contains("farewell_plan_fits 0\n"))
            }
        }
    }
}
