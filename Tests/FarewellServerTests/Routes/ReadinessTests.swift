// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
@testable import FarewellServer
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@Suite("Readiness")
struct ReadinessTests {
    @Test("OP-3 a server with a wrong clock is ready and says so in /readyz and /metrics; only operators get cause and remedy")
    func clock() async throws {
        let slept = Guarded(Duration.zero)
        try await ErasureMount.with(
            isWorking: .off,
            changing: { environment, _ in
                let uptime = environment.uptime
                environment.uptime = { uptime() + slept.withLock { $0 } }
            }
        ) { mount in
            #expect(try await mount.ask(.get, "/readyz").json["clock"] == nil)
            let router = Router()
            mount.server.addOperationRoutes(to: router)
            try await Application(router: router, logger: mount.server.log).test(.router) { operators in
                func text(_ path: String) async throws -> String {
                    String(buffer: try await operators.execute(uri: path, method: .get, headers: [:]).body)
                }
                #expect(try await text("/metrics").contains("farewell_clock_trusted 1\n"))

                // The wall clock stays while two days pass.
                slept.withLock { $0 = .seconds(2 * 86_400) }
                let ready = try await mount.ask(.get, "/readyz")
                #expect(ready.status == 200 && ready.json["status"] as? String == "ok", "\(ready)")
                #expect(ready.json["clock"] as? String == "untrusted" && ready.json["clock_cause"] == nil, "\(ready)")
                let told = try await text("/readyz")
                #expect(told.contains("clock has jumped 2 days back") && told.contains("NTP"), "\(told)")
                #expect(try await text("/metrics").contains("farewell_clock_trusted 0\n"))
                _ = try await mount.person()

                slept.withLock { $0 = .seconds(61) }
                #expect(try await mount.ask(.get, "/readyz").json["clock"] == nil)
                #expect(try await text("/metrics").contains("farewell_clock_trusted 1\n"))
            }
        }
    }
}
