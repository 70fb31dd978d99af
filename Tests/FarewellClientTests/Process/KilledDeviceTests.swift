// SPDX-License-Identifier: Apache-2.0
import Eventually
import Farewell
import FarewellClient
import Foundation
import Testing

@Suite("A device killed anywhere", .serialized)
struct KilledDeviceTests {
    @Test("SO-14 killed after every recorded state of a sign-out, the next launch is signed out, clean, the session revoked")
    func signOut() async throws {
        let server = try CountingServer()
        defer { server.stop() }
        var killed = 0
        for point in 1...20 {
            let app = DeviceProcess(server: server.url)
            defer { app.remove() }
            #expect(try await app.run("sign-up", "anna-\(point)@example.org").output.contains("signed in"))
            #expect(try await server.count().sessions.count == 1)
            let end = try await app.run("sign-out", dieAfter: point)
            guard end.wasKilled else {
                #expect(end.output.contains("device clean, server told"), "\(end.output)")
                break
            }
            killed += 1
            let next = try await app.run("launch")
            #expect(next.output.contains("signed out: by-you"), "after \(point): \(next.output)")
            #expect(try await server.count().sessions.isEmpty, "after \(point)")
            // The mark of the sign-out and the hash that knows its own person again; the database is kept.
            #expect(
                app.leftovers == ["library.sqlite", "library.sqlite-wal", "state/person", "state/session"], "after \(point)")
        }
        #expect(killed == 4, "one for each state")
    }

    @Test("CF-2 C1 C2: killed after every recorded state of a deletion, it is finished under one key and nothing is left")
    func deletion() async throws {
        let server = try CountingServer()
        defer { server.stop() }
        var killed = 0
        for point in 1...20 {
            let app = DeviceProcess(server: server.url)
            defer { app.remove() }
            #expect(try await app.run("sign-up", "anna-\(point)@example.org").output.contains("signed in"))
            let end = try await app.run("delete", dieAfter: point)
            if end.wasKilled {
                killed += 1
                let next = try await app.run("launch")
                #expect(next.output.contains("signed out: account-deleted"), "after \(point): \(next.output)")
            } else {
                #expect(end.output.contains("deleted: device clean, server done"), "\(end.output)")
            }
            let count = try await server.count()
            #expect(count.people.isEmpty && count.sessions.isEmpty && count.erasures.count == point, "after \(point)")
            #expect(app.leftovers.isEmpty, "after \(point): \(app.leftovers)")
            #expect(try await app.run("launch").output.contains("signed out: nobody was here"), "after \(point)")
            if !end.wasKilled { break }
        }
        #expect(killed == 5, "one for each state")
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

    @Test("SE-6 C8: killed while they renew, none of the processes is signed out")
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
            kill(process.process.processIdentifier, SIGKILL)
            #expect(try await process.end().wasKilled)
        }
        // Whoever was killed may have claimed a renewal: the claim runs out, and the same is asked again.
        let end = try await app.run("renew")
        #expect(end.output.contains("renewed"), "\(end.output)")
        #expect(try await server.count().alarms == 0)
    }

    @Test("SE-1 canaries: no token stands in any file, in what the app prints, or in what is left after sign-out")
    func canaries() async throws {
        let server = try CountingServer()
        defer { server.stop() }
        let app = DeviceProcess(server: server.url)
        defer { app.remove() }
        var said = try await app.run("sign-up", "canary@example.org").output
        said += try await app.run("renew", "2").output
        func found() throws -> [String] {
            try (FileManager.default.enumerator(atPath: app.folder)?.allObjects as? [String] ?? []).filter { name in
                var isFolder: ObjCBool = false
                let path = app.folder + "/" + name
                guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else { return false }
                let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
                return ["access-", "refresh-", "ticket-", "canary@"].contains { bytes.range(of: Data($0.utf8)) != nil }
            }
        }
        #expect(try found().isEmpty)
        server.stop()
        // The network is gone: the ticket waits in the outbox, sealed.
        said += try await app.run("renew").output
        said += try await app.run("sign-out").output
        said += try await app.run("launch").output
        #expect(said.contains("device clean, server pending") && said.contains("signed out: by-you"), "\(said)")
        #expect(try found().isEmpty)
        for canary in ["access-", "refresh-", "ticket-", "canary@"] { #expect(!said.contains(canary), "\(said)") }
    }
}
