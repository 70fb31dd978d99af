// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation
import Testing

@Suite("Processes that share a session")
struct SharedStoreTests {
    /// The processes hold the session for so many seconds, in which they mostly wait.
    private static let minute = 60

    @Test(
        "SE-3 C10: two and eight processes hold a session of one-second tokens for a minute without a sign-out or an alarm",
        arguments: [2, 8])
    func holding(_ count: Int) async throws {
        try await CountingServer.with { server, app in
            try await server.behave("brief")
            _ = try await app.run("sign-up", "anna@example.org")
            let processes = try (0..<count).map { _ in try app.start(["hold", "\(Self.minute)"]) }
            for process in processes {
                let end = try await process.end()
                #expect(end.status == 0 && end.output.contains("held "), "\(end.output)")
            }
            let seen = try await server.count()
            // Once a second for all of them together, or less often where the machine has other things to do.
            #expect(seen.alarms == 0 && seen.sessions.count == 1 && (3...Self.minute * 2).contains(seen.refreshes), "\(seen)")
            #expect(try await app.run("status").output.contains("signed in"))
        }
    }

    @Test("C10: eight processes of one app renew at once, repeatedly, without a sign-out and without a theft alarm")
    func renewing() async throws {
        try await CountingServer.with { server, app in
            _ = try await app.run("sign-up", "anna@example.org")
            let processes = try (0..<8).map { _ in try app.start(["renew", "12"]) }
            for process in processes {
                let end = try await process.end()
                #expect(end.status == 0 && end.output.contains("renewed"), "\(end.output)")
            }
            let count = try await server.count()
            #expect(count.alarms == 0 && count.sessions.count == 1 && (12...96).contains(count.refreshes), "\(count)")
            #expect(try await app.run("status").output.contains("signed in"))
        }
    }
}
