// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import FarewellClientTesting
import Foundation
import Testing

/// A GNOME Keyring on a D-Bus of its own, in a home of its own.
@Suite("The Secret Service of a Linux desktop", .serialized)
struct SecretServiceTests {
    let home = FileManager.default.temporaryDirectory.appendingPathComponent("desktop-\(UUID().uuidString)").path

    private enum Desktop: String {
        case unlocked, locked
        /// A bus without a keyring.
        case nobody
        /// No bus.
        case alone
    }

    /// Runs commands in one session of the desktop; returns their output.
    private func session(_ desktop: Desktop, dieAfter: Int = 0, _ commands: String...) async throws -> String {
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try Data(commands.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: home + "/commands"))
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", root.appending(path: "Interop/desktop_session.py").path, home, desktop.rawValue]
        process.environment = DeviceProcess.environment.merging(["FAREWELL_DIE_AFTER": "\(dieAfter)"]) { $1 }
        process.standardInput = FileHandle(forReadingAtPath: home + "/commands")
        let said = try await process.ended(writingTo: home + "/said")
        #expect(process.terminationStatus == 0, "\(said)")
        return said
    }

    /// An app at a server of its own; afterwards both are gone, and the desktop's home.
    private func served(_ use: (CountingServer, DeviceProcess) async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        try await CountingServer.with(.creator, use)
    }

    private func body(_ verb: String) -> String { DeviceProcess.program("keyring-body") + " " + verb }

    /// The app's verb as the desktop's shell runs it.
    private func command(_ app: DeviceProcess, _ verb: String) -> String {
        "\(DeviceProcess.program(app.profile.program)) \(app.server) \(app.folder) \(verb)"
    }

    @Test("SE-1 the Secret Service keeps every promise of a token store")
    func conformance() async throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        let said = try await session(.unlocked, body("conformance"))
        for theCase in TokenStoreConformance.cases { #expect(said.contains("kept: \(theCase)"), "\(said)") }
        #expect(said.contains("available: true") && said.contains("absent"))
    }

    @Test("SE-1 C12: a locked or missing keyring is unknown; nothing is requested, written or lost for it")
    func locked() async throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        #expect(try await session(.unlocked, body("write first")).contains("present: first"))
        let locked = try await session(.locked, body("read"), body("write second"), body("remove"))
        #expect(locked.contains("unknown: device.keyring-locked") && locked.contains("failed: device.keyring-locked"), "\(locked)")
        #expect(locked.contains("available: true") && !locked.contains("present"))
        for desktop in [Desktop.nobody, .alone] {
            let absent = try await session(desktop, body("read"), body("write second"))
            #expect(absent.contains("available: false") && absent.contains("unknown: device.keyring\n"), "\(absent)")
            #expect(absent.contains("failed: device.keyring\n"), "\(absent)")
        }
        #expect(try await session(.unlocked, body("read")).contains("present: first"), "as it was")
    }

    @Test("SE-1 SE-5 C12: a locked or missing keyring does not sign out the app whose session it holds, and a sign-out is permanent")
    func app() async throws {
        try await served { _, app in
            func run(_ verb: String) -> String { command(app, verb) }
            #expect(try await session(.unlocked, run("sign-up anna@example.org")).contains("signed in, 2 drafts"))
            #expect(!app.leftovers.contains("state/session"), "the keyring has it")
            #expect(try await session(.locked, run("status")).contains("unknown: device.keyring-locked"))
            #expect(try await session(.nobody, run("status")).contains("unknown: device.keyring\n"))
            #expect(try await session(.unlocked, run("status"), run("renew")).contains("signed in, 2 drafts\nrenewed"))

            // Signed out while the keyring is locked: all else goes at once, the token as soon as it can.
            let stuck = try await session(.locked, run("sign-out"))
            #expect(stuck.contains("signed out: device not clean"), "\(stuck)")
            #expect(app.leftovers == ["state.user", "state/journal", "state/person"])
            let later = try await session(.unlocked, run("launch"), run("status"))
            #expect(later.contains("signed out: by-you") && !later.contains("signed in"), "\(later)")
            #expect(app.leftovers == ["state.user", "state/person"])
        }
    }

    @Test(
        "SO-8 SO-14 killed after a recorded state of a sign-out while the keyring is locked: signed out once it is open",
        arguments: 1...5)
    func killed(_ point: Int) async throws {
        try await served { server, app in
            func run(_ verb: String) -> String { command(app, verb) }
            #expect(try await session(.unlocked, run("sign-up anna@example.org")).contains("signed in, 2 drafts"))
            let end = try await session(.locked, dieAfter: point, run("sign-out"))
            #expect(end.contains("device not clean") == (point == 5), "after \(point): \(end)")
            let later = try await session(.unlocked, run("launch"))
            #expect(later.contains("signed out: by-you"), "after \(point): \(later)")
            #expect(app.leftovers == ["state.user", "state/person"], "after \(point)")
            #expect(try await server.count().sessions.isEmpty, "after \(point): revoked at the server, once the session could be read")
            #expect(try await session(.unlocked, run("status")).contains("signed out: by-you"), "after \(point)")
        }
    }

    @Test("SE-1 without a Secret Service the session is in a file of mode 0600, and stays there when a Secret Service appears")
    func file() async throws {
        try await served { _, app in
            #expect(try await app.run("sign-up", "anna@example.org").output.contains("signed in"))
            let mode = try FileManager.default.attributesOfItem(atPath: app.folder + "/state/session")[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try await session(.unlocked, command(app, "status")).contains("signed in, 2 drafts"))
        }
    }
}
#endif
