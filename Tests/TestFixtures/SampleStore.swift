// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import FarewellSample
import Foundation
import Testing

/// A throw-away database with sample people in it.
package enum SampleStore: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, postgresql

    package var testDescription: String { rawValue }

    /// The folder of this very check-out.
    package static let examples = ExampleFolder(
        path: URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Examples").path)

    package func with(
        _ people: SamplePeople, _ use: (any SQLDatabase, SampleReport) async throws -> Void
    ) async throws {
        let name = "farewell_sample_\(UInt64.random(in: .min ... .max))"
        switch self {
        case .sqlite:
            let path = TestFolder.parent.appending(path: name).path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: path) }
            let database = try SQLiteDatabase(
                path: path + "/sample.sqlite", configuration: SQLiteConfiguration(access: .createIfMissing))
            try await Self.use(database, people, use)
        case .postgresql:
            let address = try #require(
                ProcessInfo.processInfo.environment["FAREWELL_TEST_POSTGRES"],
                "This test needs a PostgreSQL server: run it by `make test`.")
            var url = try #require(URLComponents(string: address))
            url.path = "/" + name
            let server = try PostgreSQLDatabase(url: address)
            try await server.withConnection { try await TestPostgreSQL.make(name, on: $0) }
            let result: (any Error)?
            do {
                try await Self.use(PostgreSQLDatabase(url: #require(url.string)), people, use)
                result = nil
            } catch {
                result = error
            }
            try await server.withConnection { _ = try await $0.run("DROP DATABASE \(name) WITH (FORCE)") }
            await server.close()
            if let result { throw result }
        }
    }

    private static func use(
        _ database: any SQLDatabase, _ people: SamplePeople,
        _ use: (any SQLDatabase, SampleReport) async throws -> Void
    ) async throws {
        do {
            try await use(database, try await people.make(in: database, examples: examples))
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    /// Foreign keys that no index leads, each of which would make every delete read a whole table.
    package static func unindexedKeys(_ schema: Schema) -> [String] {
        schema.tables.flatMap { table in
            table.foreignKeys.filter { key in !table.indexes.contains { $0.finds(by: key.columns) } }
                .map { "\(table.name) \($0.columns)" }
        }
    }

    /// Rows whose foreign key leads nowhere. PostgreSQL has checked when the keys were added.
    package static func danglingRows(_ database: any SQLDatabase) async throws -> Int {
        guard database.dialect == .sqlite else { return 0 }
        return try await database.withConnection { try await $0.run("PRAGMA foreign_key_check").rows.count }
    }

    /// Rows of any table in which any column is exactly this key.
    package static func rowsNaming(_ key: String, in database: any SQLDatabase) async throws -> Int {
        let schema = try await Schema.read(from: database)
        return try await database.withConnection { connection in
            var count = 0
            for table in schema.tables {
                let quoted = connection.dialect.quoted
                let name = connection.dialect.qualified(table.name)
                let conditions = table.columns.map { "CAST(\(quoted($0.name)) AS text) = $1" }
                let text = "SELECT count(*) FROM \(name) WHERE \(conditions.joined(separator: " OR "))"
                count += Int(try await connection.run(text, .text(key)).scalar?.integer ?? 0)
            }
            return count
        }
    }
}
