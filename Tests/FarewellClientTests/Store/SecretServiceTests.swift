// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import FarewellClientTesting
import Foundation
import Testing

/// A GNOME Keyring on a D-Bus of its own, in a home of its own.
@Suite("The Secret Service of a Linux desktop", .serialized)
struct SecretServiceTests {
    let home = FileManager.default.temporaryDirectory.appendingPathComponent("keyring-\(UUID().uuidString)").path

    /// Runs verbs of the body in one session of the desktop; what they said.
    private func session(_ keyring: Keyring, _ verbs: String...) throws -> String {
        try FileManager.default.createDirectory(atPath: home + "/run", withIntermediateDirectories: true)
        let body = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("keyring-body").path
        let commands = verbs.map { "'\(body)' \($0)" }.joined(separator: "; ")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            keyring == .absent
            ? ["sh", "-c", commands]
            : ["dbus-run-session", "--", "sh", "-c", "\(keyring.rawValue) >/dev/null 2>&1; \(commands)"]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "HOME": home, "XDG_RUNTIME_DIR": home + "/run", "XDG_DATA_HOME": home + "/data", "GNOME_KEYRING_TEST_PATH": "",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home)/nobody",
        ]) { $1 }
        process.environment?["GNOME_KEYRING_TEST_PATH"] = nil
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return said
    }

    private enum Keyring: String {
        case unlocked = "printf secret | gnome-keyring-daemon --unlock --components=secrets"
        case locked = "gnome-keyring-daemon --start --components=secrets"
        case absent
    }

    @Test("SE-1 the Secret Service keeps every promise of a token store")
    func conformance() throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        let said = try session(.unlocked, "conformance")
        for theCase in TokenStoreConformance.cases { #expect(said.contains("kept: \(theCase)"), "\(said)") }
        #expect(said.contains("available: true") && said.contains("absent"))
    }

    @Test("SE-1 C12: a keyring that is locked, or not there, is unknown; nothing is asked, written or lost for it")
    func locked() throws {
        defer { try? FileManager.default.removeItem(atPath: home) }
        #expect(try session(.unlocked, "write first").contains("present: first"))
        let locked = try session(.locked, "read", "write second", "remove")
        #expect(locked.contains("unknown: device.keyring-locked") && locked.contains("failed: device.keyring-locked"), "\(locked)")
        #expect(!locked.contains("present"))
        #expect(try session(.unlocked, "read").contains("present: first"), "as it was")
        let absent = try session(.absent, "read", "write second")
        #expect(absent.contains("available: false") && absent.contains("unknown: device.keyring"), "\(absent)")
        #expect(absent.contains("failed: device.keyring"))
    }
}
#endif
