// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation
import Subprocess
import SystemPackage

/// A PostgreSQL server of a test's own, to be restarted and to ask for passwords and certificates.
struct TestServer: Sendable {
    let url: String
    private let folder: URL

    /// Where the certificate lies that `secure` makes.
    var certificate: String { folder.appending(path: "server.crt").path }

    /// Starts one, lends it to `use`, removes it.
    static func with(_ use: (TestServer) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "farewell-pg-test-\(UInt32.random(in: 0 ... .max))")
        // The server's user must be able to enter.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let server = TestServer(url: try await run("start", folder), folder: folder)
        do {
            try await use(server)
        } catch {
            _ = try await run("remove", folder)
            throw error
        }
        _ = try await run("remove", folder)
    }

    /// The address with other credentials (`user:password`) and parameters.
    func address(_ credentials: String, _ query: String = "") -> String {
        url.replacing("//farewell@", with: "//\(credentials)@") + (query.isEmpty ? "" : "?\(query)")
    }

    @discardableResult
    func ask(for text: String) async throws -> SQLValue? {
        let database = try PostgreSQLDatabase(url: url)
        let answer = try await database.withConnection { try await $0.run(SQLStatement(text)).scalar }
        await database.close()
        return answer
    }

    /// Writes a file into the server's folder, as the server's user, and has the settings read again.
    func write(_ content: String, _ name: String) async throws {
        let database = try PostgreSQLDatabase(url: url)
        try await database.withConnection { connection in
            let object = try await connection.run("SELECT lo_from_bytea(0, $1)", .bytes(Array(content.utf8)))
            let write = "SELECT lo_export($1::oid, current_setting('data_directory') || '/' || $2)"
            try await connection.run(write, object.scalar ?? .null, .text(name))
        }
        await database.close()
        try await reload()
    }

    /// Has the settings read again; comes back once new connections get the new ones.
    private func reload() async throws {
        let before = try await ask(for: "SELECT pg_conf_load_time()")
        try await ask(for: "SELECT pg_reload_conf()")
        while try await ask(for: "SELECT pg_conf_load_time()") == before {}
    }

    /// Gives the server a self-signed certificate.
    func secure() async throws {
        let key = folder.appending(path: "server.key").path
        _ = try await Self.output(
            "/usr/bin/env",
            [
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                "-keyout", key, "-out", certificate,
            ])
        try await write(String(contentsOfFile: key, encoding: .utf8), "server.key")
        try await write(String(contentsOfFile: certificate, encoding: .utf8), "server.crt")
        // A key that others may read is refused. A program's input must be read, or the pipe breaks.
        let keyInServer = folder.appending(path: "data/server.key").path
        try await ask(for: "COPY (SELECT 1) TO PROGRAM 'cat >/dev/null; chmod 600 \(keyInServer)'")
        try await ask(for: "ALTER SYSTEM SET ssl = on")
        try await reload()
    }

    private static func run(_ command: String, _ folder: URL) async throws -> String {
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Scripts/postgres").standardizedFileURL
        return try await output(script.path, [command, folder.path])
    }

    private static func output(_ program: String, _ arguments: [String]) async throws -> String {
        let result = try await Subprocess.run(
            .path(FilePath(program)), arguments: Arguments(arguments), output: .string(limit: 4096), error: .discarded)
        guard result.terminationStatus.isSuccess else { throw TestDatabase.Missing() }
        return result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
