// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation
import Testing

@Suite("Processes that share a session", .serialized)
struct SharedStoreTests {
    /// Seconds that processes hold a session whose tokens live one second: a few, and in a long run a minute and more.
    static let seconds = ProcessInfo.processInfo.environment["FAREWELL_HOLD_SECONDS"].flatMap(Int.init) ?? 3

    @Test(
        "SE-3 C10: two and eight processes hold a session of one-second tokens: nobody is signed out, nothing looks like theft",
        arguments: [2, 8])
    func holding(_ count: Int) async throws {
        let server = try CountingServer()
        defer { server.stop() }
        try await server.behave("brief")
        let app = DeviceProcess(server: server.url)
        defer { app.remove() }
        _ = try await app.run("sign-up", "anna@example.org")
        let processes = try (0..<count).map { _ in try app.start(["hold", "\(Self.seconds)"]) }
        for process in processes {
            let end = try await process.end()
            #expect(end.status == 0 && end.output.contains("held "), "\(end.output)")
        }
        let seen = try await server.count()
        #expect(seen.alarms == 0 && seen.sessions.count == 1 && seen.refreshes >= 2, "\(seen)")
        #expect(try await app.run("status").output.contains("signed in"))
    }

    @Test("C10: eight processes of one app renew at once, over and over: nobody is signed out and nothing looks like theft")
    func renewing() async throws {
        let server = try CountingServer()
        defer { server.stop() }
        let app = DeviceProcess(server: server.url)
        defer { app.remove() }
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
