// SPDX-License-Identifier: Apache-2.0

import Foundation
import Subprocess
import SystemPackage
import Testing

@Suite("The list of missing packages, where make may not install them")
struct InstallScriptTests {
    /// For bash, the programs of a Debian with Swift and a PostgreSQL, and a user who is not root. They install nothing, and no program of
    /// this machine is found.
    private static let debian = """
        dirname() { /usr/bin/dirname "$@"; }
        id() { echo 1000; }
        swift() { :; }
        initdb() { :; }
        cmp() { return 1; }
        apt-get() { echo "apt-get $*"; }
        env() { echo "env $*"; }

        """
    private static let libraries = "git pkg-config curl libpq-dev libsqlite3-dev libssl-dev libsecret-1-dev"
    private static let packages = [
        "build": libraries,
        "test": libraries
            + " python3 gnome-keyring dbus-daemon strace systemd chromium chromium-driver faketime fonts-vlgothic python3-venv",
        "bench": libraries + " python3 python3-venv wrk",
    ]

    /// Calls the script where there is nothing else but these functions.
    private func install(_ what: String, where more: String) async throws -> CommandEnd {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("install-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let functions = folder.appendingPathComponent("functions")
        try Data((Self.debian + more).utf8).write(to: functions)
        let changes: [Subprocess.Environment.Key: String?] = ["PATH": folder.path, "BASH_ENV": functions.path]
        let result = try await Subprocess.run(
            .path("/bin/bash"), arguments: [Python.root + "/Scripts/install", what],
            environment: .inherit.updating(changes), output: .string(limit: 1 << 16), error: .string(limit: 1 << 16))
        return CommandEnd(
            status: CommandPlace.status(result.terminationStatus), output: result.standardOutput,
            errors: result.standardError)
    }

    private func expect(_ end: CommandEnd, names packages: String) {
        #expect(end.status == 2 && end.output.isEmpty, "nothing was installed: \(end)")
        let words = """
            install: These are missing: \(packages). Run this, then start again:
            install:   sudo apt-get install -y \(packages)

            """
        #expect(end.errors == words)
    }

    @Test(
        "without root, and with no sudo or one that demands a password, make ends with the one command to run",
        arguments: ["build", "test", "bench"], ["", "sudo() { return 1; }"])
    func missing(_ what: String, sudo: String) async throws {
        expect(try await install(what, where: sudo), names: try #require(Self.packages[what]))
    }

    @Test("the script does not name installed packages")
    func partly() async throws {
        let there = "git() { :; }; curl() { :; }; pkg-config() { [ \"$2\" != libpq ]; }"
        expect(try await install("build", where: there), names: "libpq-dev")
    }
}
