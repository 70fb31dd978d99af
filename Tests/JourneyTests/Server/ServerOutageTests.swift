// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("A database that is unreachable or read-only for a while under a running server")
struct ServerOutageTests {
    @Test("calls get 503 with the time of the next try, and 200 once the database is back")
    func outage() async throws {
        try await ServerPlace.with(.postgresql) { place in
            try await place.serving { server in
                let mine = try await server.person()
                let ready = try await server.ask(.GET, "/readyz")
                #expect(ready.status == 200)
                try await place.allowsConnections(false)
                // Connections that stand are cut off one after the other.
                try await eventually { try await server.ask(.GET, "/readyz").status == 503 }
                try await eventually { try await server.ask(.GET, "/auth/v1/user", token: mine.access).status == 503 }
                let call = try await server.ask(.GET, "/auth/v1/user", token: mine.access)
                #expect(call.status == 503 && call.headers["Retry-After"].first != nil, "\(call)")
                #expect(try await server.ask(.GET, "/healthz").status == 200, "the process lives")
                try await place.allowsConnections(true)
                try await eventually { try await server.ask(.GET, "/readyz").status == 200 }
                #expect(try await server.isAccepted(mine.access))
            }
        }
    }

    @Test("OP-5 /readyz answers 503 with the reason while the database is read-only, and 200 without a restart afterwards")
    func readOnly() async throws {
        try await ServerPlace.with(.postgresql) { place in
            try await place.serving { server in
                #expect(try await server.ask(.GET, "/readyz").status == 200)
                try await place.setReadOnly(true)
                var ready = try await server.ask(.GET, "/readyz")
                try await eventually {
                    ready = try await server.ask(.GET, "/readyz")
                    return ready.json["cause"] != nil
                }
                #expect(ready.status == 503 && ready.json["status"] as? String == "unavailable", "\(ready)")
                #expect((ready.json["cause"] as? String)?.contains("read-only") == true, "\(ready)")
                #expect(try await server.ask(.GET, "/healthz").status == 200)
                try await place.setReadOnly(false)
                try await eventually { try await server.ask(.GET, "/readyz").status == 200 }
                _ = try await server.person()
            }
        }
    }
}
