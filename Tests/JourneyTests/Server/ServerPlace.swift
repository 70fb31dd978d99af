// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Farewell
import FarewellSQL
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Subprocess
import SystemPackage
import Testing

/// A folder in which real servers are started, with a database of their own.
struct ServerPlace: Sendable {
    let dialect: SQLDialect
    let folder: URL
    private let databaseName: String
    private let databaseURL: String?

    var state: URL { folder.appendingPathComponent(".farewell") }
    var log: URL { folder.appendingPathComponent("server.log") }
    /// The address of the database that its servers use.
    var address: String { databaseURL ?? "sqlite:" + state.appendingPathComponent("farewell.sqlite").path }

    /// Settings under which no test runs into a limit that it does not test, however busy the machine.
    static let generous = """
        limits: {request-timeout: 120, calls-per-address: 1000000, burst-per-address: 1000000}
        people: {tries: 100000, tries-per-source: 100000, password-cost: 10}

        """

    /// The issuer of a place whose settings do not name one: all its servers know its users, and each other's tokens.
    static let issuer = "http://127.0.0.1:0/auth/v1"

    /// Makes a place for `use` and removes it, whatever happens.
    ///
    /// - Parameter server: A PostgreSQL of the test's own, by its address.
    static func with(
        _ dialect: SQLDialect, on server: String? = nil, _ use: (ServerPlace) async throws -> Void
    ) async throws {
        let place = try await ServerPlace(dialect, on: server)
        do {
            try await use(place)
        } catch {
            let told = (try? String(contentsOf: place.log, encoding: .utf8)) ?? ""
            Issue.record("\(error); the servers' log ends with:\n\(told.suffix(4_000))")
            await place.remove()
            throw error
        }
        let log = (try? String(contentsOf: place.log, encoding: .utf8)) ?? ""
        let lacking = log.split(separator: "\n").filter { $0.contains("the description of the route lacks this refusal") }
        #expect(lacking.isEmpty, "DX-2 every refusal of a server is in its description")
        await place.remove()
    }

    private init(_ dialect: SQLDialect, on server: String?) async throws {
        self.dialect = dialect
        databaseName = "server_" + UUID().uuidString.lowercased().replacing("-", with: "_")
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(databaseName)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard dialect == .postgresql else {
            databaseURL = nil
            return
        }
        databaseURL = try await TestServer.makeDatabase(databaseName, at: server)
    }

    /// Settings of an address for `/metrics`, which `RunningServer.metrics()` asks.
    func offeringMetrics() async throws -> String {
        let port = try await Python.freePort()
        try Data(port.utf8).write(to: folder.appendingPathComponent("operations.port"))
        return "operations: {port: \(port)}\n"
    }

    /// Whether clients may connect to the place's PostgreSQL; present connections are cut when they may not.
    func allowsConnections(_ isAllowed: Bool) async throws {
        let server = try openDatabase(try TestServer.address())
        try await server.withConnection { connection in
            try await connection.run("ALTER DATABASE \(databaseName) WITH ALLOW_CONNECTIONS \(isAllowed)")
            guard !isAllowed else { return }
            try await connection.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", .text(databaseName))
        }
        await server.close()
    }

    /// Whether new sessions in the place's PostgreSQL accept writes; present connections are cut when they may not.
    func setReadOnly(_ isReadOnly: Bool) async throws {
        let server = try openDatabase(try TestServer.address())
        try await server.withConnection { connection in
            try await connection.run(
                "ALTER DATABASE \(databaseName) SET default_transaction_read_only = \(isReadOnly ? "on" : "off")")
            guard isReadOnly else { return }
            try await connection.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", .text(databaseName))
        }
        await server.close()
    }

    private func remove() async {
        try? FileManager.default.removeItem(at: folder)
        if dialect == .postgresql { await TestServer.dropDatabase(databaseName) }
    }

    /// The command's configuration in this folder.
    ///
    /// - Parameter before: The first commands of the shell, e.g. `ulimit -n 200`.
    func configuration(
        _ arguments: [String], _ environment: [String: String] = [:], before: String = ":"
    ) -> Subprocess.Configuration {
        var changes: [Subprocess.Environment.Key: String?] = ["FAREWELL_DATABASE_URL": databaseURL]
        for (name, value) in environment { changes[.init(stringLiteral: name)] = value }
        return Subprocess.Configuration(
            executable: .path("/bin/sh"),
            arguments: .init(["-c", before + #"; exec "$0" "$@" 2>>server.log"#, TestBinary.path("farewell")] + arguments),
            environment: .inherit.updating(changes), workingDirectory: FilePath(folder.path))
    }

    /// Calls the command and waits for its end.
    func call(_ arguments: [String], environment: [String: String] = [:]) async throws -> CommandEnd {
        var configuration = configuration(arguments, environment)
        configuration.arguments = .init(["-c", #"exec "$0" "$@""#, TestBinary.path("farewell")] + arguments)
        let result = try await Subprocess.run(
            configuration, input: .none, output: .string(limit: 1 << 22), error: .string(limit: 1 << 22))
        return CommandEnd(
            status: CommandPlace.status(result.terminationStatus), output: result.standardOutput,
            errors: result.standardError)
    }

    /// Starts a server with these settings (YAML), lets `use` call it, and ends it by SIGTERM.
    ///
    /// - Returns: its exit status.
    @discardableResult
    func serving(
        _ settings: String = generous, arguments: [String] = ["--port", "0"], before: String = ":",
        use: @Sendable (RunningServer) async throws -> Void
    ) async throws -> Int32 {
        let name = "settings-\(UUID().uuidString).yaml"
        try Data(settings.utf8).write(to: folder.appendingPathComponent(name))
        let all = ["serve", "--settings", name] + arguments
        let environment = settings.contains("tokens: {issuer:") ? [:] : ["FAREWELL_TOKENS_ISSUER": Self.issuer]
        return try await running(all, environment: environment, before: before, until: "Listening on ", use)
    }

    /// Runs a command that serves, and lets `use` call it once it has said where, after `words`, and `last`.
    func running(
        _ arguments: [String], environment: [String: String] = [:], before: String = ":", until words: String, last: String = "",
        _ use: @Sendable (RunningServer) async throws -> Void
    ) async throws -> Int32 {
        let result = try await Subprocess.run(
            configuration(arguments, environment, before: before), input: .none, output: .sequence, error: .discarded
        ) { execution in
            var used = false
            var said = ""
            for try await line in execution.standardOutput.strings() {
                said += line + "\n"
                guard !used, let place = said.range(of: words), last.isEmpty || said.contains(last) else { continue }
                used = true
                let address = String(said[place.upperBound...].prefix { !$0.isWhitespace })
                let server = RunningServer(url: address, folder: folder, said: said, process: execution.processIdentifier)
                do {
                    try await use(server)
                } catch {
                    server.signal(SIGKILL)
                    throw error
                }
                server.signal(SIGTERM)
            }
            if !used { throw ServerNeverListened(said: said) }
        }
        return CommandPlace.status(result.terminationStatus)
    }
}

struct ServerNeverListened: Error {
    let said: String
}
