// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation
import Testing

/// An empty database of each kind, made for one test and thrown away after it.
enum TestDatabase: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, postgresql

    var testDescription: String { rawValue }

    func with(_ use: @Sendable (any SQLDatabase) async throws -> Void) async throws {
        switch self {
        case .sqlite: try await Self.withSQLite { try await use($0) }
        case .postgresql: try await Self.withPostgreSQL { try await use($0) }
        }
    }

    static func withSQLite(
        _ configuration: SQLiteConfiguration = SQLiteConfiguration(access: .createIfMissing, connectionWait: longestWait),
        _ use: (SQLiteDatabase) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "farewell-\(name())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let database = try SQLiteDatabase(
            path: folder.appending(path: "test.sqlite").path, configuration: configuration)
        try await finishing(use, database)
    }

    static func withPostgreSQL(
        _ configuration: PostgreSQLConfiguration = PostgreSQLConfiguration(connectionWait: longestWait),
        _ use: (PostgreSQLDatabase) async throws -> Void
    ) async throws {
        let server = try PostgreSQLDatabase(url: serverAddress())
        let name = name()
        try await server.withConnection { _ = try await $0.run("CREATE DATABASE \(name)") }
        let url = try serverAddress(database: name)
        let database = try PostgreSQLDatabase(url: url, configuration: configuration)
        do {
            try await finishing(use, database)
        } catch {
            try await drop(name, server)
            throw error
        }
        try await drop(name, server)
    }

    /// Long, because the tests of a busy machine are no reason to fail.
    static let longestWait = Duration.seconds(120)

    /// The server's address, for another database or user of it where given.
    static func serverAddress(
        database: String? = nil, user: String? = nil, password: String? = nil, query: String? = nil
    ) throws -> String {
        guard let address = ProcessInfo.processInfo.environment["FAREWELL_TEST_POSTGRES"],
            var parts = URLComponents(string: address)
        else { throw Missing() }
        if let database { parts.path = "/" + database }
        if let user { parts.user = user }
        if let password { parts.password = password }
        if let query { parts.query = query }
        guard let url = parts.string else { throw Missing() }
        return url
    }

    struct Missing: Error, CustomStringConvertible {
        let description = "This test needs a PostgreSQL server: run it by `make test`."
    }

    private static func finishing<Database: SQLDatabase>(
        _ use: (Database) async throws -> Void, _ database: Database
    ) async throws {
        do {
            try await use(database)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    private static func drop(_ name: String, _ server: PostgreSQLDatabase) async throws {
        try await server.withConnection { _ = try await $0.run("DROP DATABASE \(name) WITH (FORCE)") }
        await server.close()
    }

    private static func name() -> String {
        "farewell_test_\(UInt64.random(in: .min ... .max))"
    }
}
