// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import Subprocess
import SystemPackage

/// A PostgreSQL of a test's own, to be restarted, or to run out of room.
struct OwnServer: Sendable {
    let address: String
    private let folder: URL

    /// Starts one, lends it to `use`, removes it.
    static func with(_ use: (OwnServer) async throws -> Void) async throws { try await with("start", [], use) }

    private static func with(
        _ verb: String, _ more: [String], _ use: (OwnServer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("farewell-server-\(UUID().uuidString)")
        // The server's user must be able to enter.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let server = OwnServer(address: try await script(verb, folder, more), folder: folder)
        do {
            try await use(server)
        } catch {
            _ = try await script("remove", folder)
            throw error
        }
        _ = try await script("remove", folder)
    }

    /// Starts a streaming replica of this one, lends it to `use`, removes it.
    func withReplica(_ use: (OwnServer) async throws -> Void) async throws {
        try await Self.with("replica", [address], use)
    }

    /// Ends it as a loss of power would.
    func stop() async throws { _ = try await Self.script("stop", folder) }

    /// Makes a replica a primary.
    func promote() async throws { _ = try await Self.script("promote", folder) }

    /// Where there is a server at all; SQLite has none.
    static func with(for dialect: SQLDialect, _ use: (OwnServer?) async throws -> Void) async throws {
        guard dialect == .postgresql else { return try await use(nil) }
        try await with { try await use($0) }
    }

    /// Ends it as a loss of power would, and starts it again.
    func restart() async throws { _ = try await Self.script("restart", folder) }

    /// Requires a password of one role, and admits all others as before; restarts the server.
    func askForPassword(of role: String) async throws {
        let lines = "('host all \(role) 127.0.0.1/32 scram-sha-256'), ('host all all all trust')"
        try await TestServer.run("COPY (VALUES \(lines)) TO '\(folder.path)/data/pg_hba.conf'", at: address)
        try await restart()
    }

    private static func script(_ verb: String, _ folder: URL, _ more: [String] = []) async throws -> String {
        let path = URL(filePath: #filePath).appending(path: "../../../../Scripts/postgres").standardizedFileURL.path
        let result = try await Subprocess.run(
            .path(FilePath(path)), arguments: .init([verb, folder.path] + more), output: .string(limit: 1 << 16),
            error: .string(limit: 1 << 16))
        guard result.terminationStatus.isSuccess else {
            throw FarewellError(
                "test.server", .yoursToFix, "Scripts/postgres \(verb) failed: \(result.standardError)")
        }
        return result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
