// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation
import Testing

/// An empty database of each kind for tests of plans, thrown away after the test.
package enum PlanDatabase: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, postgresql

    package var testDescription: String { rawValue }

    /// The type of a UUID column here.
    package var uuid: String { self == .sqlite ? "text" : "uuid" }
    package var json: String { self == .sqlite ? "json" : "jsonb" }

    package func with(_ use: @Sendable (any SQLDatabase) async throws -> Void) async throws {
        let name = "farewell_plan_\(UInt64.random(in: .min ... .max))"
        switch self {
        case .sqlite:
            let path = TestFolder.parent.appending(path: "\(name).sqlite").path
            let database = try SQLiteDatabase(path: path, configuration: .init(access: .createIfMissing))
            let result = await Result { try await use(database) }
            await database.close()
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
            try result.get()
        case .postgresql:
            guard let address = ProcessInfo.processInfo.environment["FAREWELL_TEST_POSTGRES"],
                var parts = URLComponents(string: address)
            else { throw Missing() }
            let server = try PostgreSQLDatabase(url: address)
            try await server.withConnection { try await TestPostgreSQL.make(name, on: $0) }
            parts.path = "/" + name
            let database = try PostgreSQLDatabase(url: parts.string ?? "")
            let result = await Result { try await use(database) }
            await database.close()
            try await server.withConnection { _ = try await $0.run("DROP DATABASE \(name) WITH (FORCE)") }
            await server.close()
            try result.get()
        }
    }

    package struct Missing: Error, CustomStringConvertible {
        package let description = "This test needs a PostgreSQL server: run it by `make test`."
    }
}

extension Result where Failure == any Error, Success: Sendable {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

extension SQLDatabase {
    package func script(_ statements: String...) async throws {
        try await withConnection { connection in
            for statement in statements { _ = try await connection.run(statement) }
        }
    }
}
