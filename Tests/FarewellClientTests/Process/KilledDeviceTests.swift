// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import FarewellClient
import Foundation
import Testing

@Suite("A device killed at any point")
struct KilledDeviceTests {
    /// Signs a new user in on a new device for each recorded state of `verb`, and kills the process there.
    ///
    /// - Parameter check: Called after each end, the last time after an undisturbed one.
    /// - Returns: after how many states the process was killed.
    private func killing(
        _ verb: String, _ profile: ExampleProfile, _ server: CountingServer,
        check: (_ app: DeviceProcess, _ end: DeviceProcess.End, _ point: Int) async throws -> Void
    ) async throws -> Int {
        for point in 1...20 {
            let app = DeviceProcess(profile, server: server.url)
            defer { app.remove() }
            #expect(try await app.run("sign-up", "anna-\(point)@example.org").output.contains("signed in"))
            let end = try await app.run(verb, dieAfter: point)
            try await check(app, end, point)
            if !end.wasKilled { return point - 1 }
        }
        return 20
    }

    @Test(
        "SO-14 after a kill at every recorded state of a sign-out, the next launch is signed out, clean, the session revoked",
        arguments: ExampleProfile.allCases)
    func signOut(_ profile: ExampleProfile) async throws {
        let server = try CountingServer(profile)
        defer { server.stop() }
        let killed = try await killing("sign-out", profile, server) { app, end, point in
            if end.wasKilled {
                let next = try await app.run("launch")
                #expect(next.output.contains("signed out: by-you"), "after \(point): \(next.output)")
            } else {
                #expect(end.output.contains("device clean, server told"), "\(end.output)")
            }
            #expect(try await server.count().sessions.isEmpty, "after \(point): revoked at the server")
            #expect(app.leftovers == profile.keptAtSignOut, "after \(point)")
        }
        #expect(killed == 4, "one for each state")
    }

    @Test(
        "CF-2 C1 C2: after a kill at every recorded state, a deletion finishes under one key and leaves nothing",
        arguments: ExampleProfile.allCases)
    func deletion(_ profile: ExampleProfile) async throws {
        let server = try CountingServer(profile)
        defer { server.stop() }
        let killed = try await killing("delete", profile, server) { app, end, point in
            if end.wasKilled {
                let next = try await app.run("launch")
                #expect(next.output.contains("signed out: account-deleted"), "after \(point): \(next.output)")
            } else {
                #expect(end.output.contains("deleted: device clean, server done"), "\(end.output)")
            }
            let count = try await server.count()
            #expect(count.people.isEmpty && count.sessions.isEmpty && count.erasures.count == point, "after \(point)")
            #expect(app.leftovers.isEmpty, "after \(point): \(app.leftovers)")
            #expect(try await app.run("launch").output.contains("signed out: no user was here"), "after \(point)")
        }
        #expect(killed == 5, "one for each state")
    }

    @Test(
        "CF-2 C6: after a kill with a lost answer, the ticket, or the end of the session, shows the deletion's result",
        arguments: ExampleProfile.allCases)
    func unanswered(_ profile: ExampleProfile) async throws {
        let server = try CountingServer(profile)
        defer { server.stop() }
        let app = DeviceProcess(profile, server: server.url)
        defer { app.remove() }
        _ = try await app.run("sign-up", "anna@example.org")
        try await server.behave("deaf")
        let end = try await app.run("delete", dieAfter: 2)
        #expect(end.wasKilled && end.output.contains("unanswered"), "\(end.output)")
        #expect(try await server.count().people.isEmpty, "it was heard")
        #expect(app.leftovers.contains("state/journal") && app.leftovers.contains { $0.hasPrefix("pictures/") }, "nothing is touched")
        try await server.behave("fine")
        // Firebase cannot be asked: the next renewal says that the account is gone.
        if profile == .creator {
            let renewed = try await app.run("renew")
            #expect(renewed.status == 1 && renewed.output.contains("account-deleted"), "\(renewed.output)")
        }
        let next = try await app.run("launch")
        #expect(next.output.contains("signed out: "), "\(next.output)")
        #expect(app.leftovers.isEmpty, "\(app.leftovers)")
    }

    @Test("AD-6 CF-2 after a kill at a refused deletion, the user is signed in and everything is there")
    func refused() async throws {
        let server = try CountingServer(.creator)
        defer { server.stop() }
        try await server.behave("age")
        let app = DeviceProcess(.creator, server: server.url)
        defer { app.remove() }
        _ = try await app.run("sign-up", "anna@example.org")
        let before = app.leftovers
        let end = try await app.run("delete", dieAfter: 2)
        #expect(end.wasKilled && end.output.contains("refused"), "\(end.output)")
        #expect(app.leftovers == before)
        #expect(try await app.run("launch").output.contains("signed in, 2 drafts"))
        #expect(try await server.count().people.count == 1)
    }

    @Test("SE-6 C8: after a kill during a renewal, none of the processes is signed out")
    func killedWhileRenewing() async throws {
        let server = try CountingServer()
        defer { server.stop() }
        let app = DeviceProcess(server: server.url)
        defer { app.remove() }
        _ = try await app.run("sign-up", "anna@example.org")
        for round in 1...6 {
            let process = try app.start(["renew", "1000000"])
            let before = try await server.count().refreshes
            try await eventually { try await server.count().refreshes >= before + 3 * round }
            kill(try await process.number(), SIGKILL)
            #expect(try await process.end().wasKilled)
        }
        // The killed process may have claimed a renewal: the claim expires, and the same request is sent again.
        let end = try await app.run("renew")
        #expect(end.output.contains("renewed"), "\(end.output)")
        #expect(try await server.count().alarms == 0)
    }
}
