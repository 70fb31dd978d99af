// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@Suite("Canaries")
struct CanaryTests {
    private static let canaries = ["access-", "refresh-", "ticket-", "canary@"]

    /// The files below the app's folder in which a canary stands.
    private func found(_ app: DeviceProcess) throws -> [String] {
        try (FileManager.default.enumerator(atPath: app.folder)?.allObjects as? [String] ?? []).filter { name in
            var isFolder: ObjCBool = false
            let path = app.folder + "/" + name
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else { return false }
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            return Self.canaries.contains { bytes.range(of: Data($0.utf8)) != nil }
        }
    }

    @Test("SE-1 canaries: no token is in any file, in the app's output, or in the data left after sign-out")
    func canaries() async throws {
        let server = try CountingServer()
        defer { server.stop() }
        let app = DeviceProcess(server: server.url)
        defer { app.remove() }
        var said = try await app.run("sign-up", "canary@example.org").output
        said += try await app.run("renew", "2").output
        #expect(try found(app).isEmpty)
        server.stop()
        // The network is gone: the ticket waits in the outbox, sealed.
        said += try await app.run("renew").output
        said += try await app.run("sign-out").output
        said += try await app.run("launch").output
        #expect(said.contains("device clean, server pending") && said.contains("signed out: by-you"), "\(said)")
        #expect(try found(app).isEmpty)
        for canary in Self.canaries { #expect(!said.contains(canary), "\(said)") }
    }

    @Test("SE-1 canaries: the output of a crash, with the frames of all its calls, shows no token and no address")
    func crash() async throws {
        let server = try CountingServer()
        defer { server.stop() }
        let app = DeviceProcess(server: server.url)
        defer { app.remove() }
        _ = try await app.run("sign-up", "canary@example.org")
        let end = try await app.run("sign-out", dieAfter: 1, by: SIGABRT)
        #expect(end.wasKilled && end.output.count > 100, "\(end.output)")
        for canary in Self.canaries { #expect(!end.output.contains(canary), "\(end.output)") }
        #expect(try found(app).isEmpty)
        #expect(try await app.run("launch").output.contains("signed out: by-you"))
    }
}
