// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("FAREWELL_DATABASE_URL names the app's database, whose accounts belong to another program")
struct AmbientDatabaseTests {
    @Test("SB-2 a server starts beside it where erasures.database-url is set, and otherwise the error names that setting")
    func ambient() async throws {
        try await ServerPlace.with(.postgresql) { place in
            let app = try openDatabase(place.address)
            try await app.withConnection { connection in
                try await connection.run("CREATE SCHEMA auth")
                try await connection.run("CREATE TABLE auth.users (id uuid PRIMARY KEY, email text)")
            }
            let refused = try await place.call(["serve", "--port", "0"], environment: ["FAREWELL_TOKENS_ISSUER": ServerPlace.issuer])
            #expect(refused.status == 2 && refused.errors.contains("auth.users"), "\(refused)")
            #expect(refused.errors.contains("erasures.database-url") && refused.errors.contains("FAREWELL_ERASURES_DATABASE_URL"))
            #expect(!FileManager.default.fileExists(atPath: place.state.path), "nothing was made")
            let settings = ServerPlace.generous + "erasures: {database-url: '\(place.address)'}\n"
            let status = try await place.serving(settings) { server in
                let ready = try await server.ask(.GET, "/readyz")
                #expect(ready.status == 200, "\(ready)")
            }
            #expect(status == 0)
            let log = try String(contentsOf: place.log, encoding: .utf8)
            #expect(log.contains("FAREWELL_DATABASE_URL names the app's database") && !log.contains(place.address))
            #expect(FileManager.default.fileExists(atPath: place.state.appendingPathComponent("farewell.sqlite").path))
            let named = ["FAREWELL_ERASURES_DATABASE_URL": place.address, "FAREWELL_TOKENS_ISSUER": ServerPlace.issuer]
            let meant = try await place.call(["serve", "--port", "0", "--database", place.address], environment: named)
            #expect(meant.status == 2 && meant.errors.contains("erasures.database-url"), "an option is meant: \(meant)")
            let tables = try await app.withConnection { connection in
                try await connection.run("SELECT count(*) FROM pg_tables WHERE schemaname = 'auth'").scalar?.integer
            }
            #expect(tables == 1, "the app's schema has no table of ours")
            await app.close()
        }
    }
}
