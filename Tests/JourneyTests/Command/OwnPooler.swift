// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import Subprocess
import SystemPackage
import Testing

/// A pgbouncer of a test's own before a PostgreSQL.
struct OwnPooler: Sendable {
    enum Mode: String, Sendable, CaseIterable { case transaction, session, statement }

    let address: String

    /// Starts one, lends it to `use`, removes it.
    ///
    /// - Parameter server: The server's address; the test set-up's by default.
    static func with(
        _ mode: Mode, before server: String? = nil, _ use: (OwnPooler) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("farewell-pooler-\(UUID().uuidString)")
        // The pooler's user must be able to enter.
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let pooler = OwnPooler(
            address: try await script(["pool", folder.path, mode.rawValue, try server ?? TestServer.address()]))
        do {
            try await use(pooler)
        } catch {
            _ = try await script(["remove", folder.path])
            throw error
        }
        _ = try await script(["remove", folder.path])
    }

    /// The app's view of the pooler's sessions of a database: each session's process, its settings and leftovers. The pooler uses them by
    /// turns.
    static func sessions(at address: String) async throws -> [(process: String, state: String)] {
        let questions = (1...12).flatMap { _ in ["-c", Self.question] }
        let answer = try await script(["client", "psql", "-XAtq"] + questions + [address])
        return answer.split(separator: "\n").map { line in
            let parts = line.split(separator: "|", maxSplits: 1).map(String.init)
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }

    /// How sessions of the server begin.
    func untouched() async throws -> Set<String> { Set(try await Self.sessions(at: address).map(\.state)) }

    private static let question = """
        SELECT pg_backend_pid(), (SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings \
        WHERE name IN ('plan_cache_mode', 'jit', 'lock_timeout', 'statement_timeout', 'timezone', 'DateStyle', 'IntervalStyle', \
        'bytea_output', 'extra_float_digits', 'idle_in_transaction_session_timeout', 'session_replication_role', 'search_path', \
        'synchronous_commit', 'enable_seqscan', 'track_counts', 'default_transaction_isolation')), \
        (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors WHERE is_holdable), \
        (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'), \
        (SELECT count(*) FROM pg_listening_channels()), \
        (SELECT count(*) FROM pg_class WHERE relnamespace = pg_my_temp_schema())
        """

    private static func script(_ arguments: [String]) async throws -> String {
        let result = try await Subprocess.run(
            .path(FilePath(Python.root + "/Scripts/postgres")), arguments: .init(arguments),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 16))
        try #require(result.terminationStatus.isSuccess, "\(arguments[0]): \(result.standardError)")
        return result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
