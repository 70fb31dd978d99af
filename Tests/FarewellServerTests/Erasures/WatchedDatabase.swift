// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// A database that calls a function before each round trip.
struct WatchedDatabase: SQLDatabase {
    /// Whether a cancelled task still completes the round trip.
    enum End: Sendable { case cancellable, certain }

    let database: any SQLDatabase
    let before: @Sendable (End) async -> Void

    var dialect: SQLDialect { database.dialect }

    func withConnection<Value: Sendable>(_ body: (any SQLConnection) async throws -> Value) async throws -> Value {
        try await database.withConnection { try await body(Connection(connection: $0, before: before)) }
    }

    func close() async { await database.close() }

    private struct Connection: SQLConnection {
        let connection: any SQLConnection
        let before: @Sendable (End) async -> Void

        var dialect: SQLDialect { connection.dialect }

        func run(_ statement: SQLStatement) async throws -> SQLResult {
            await before(.cancellable)
            return try await connection.run(statement)
        }

        func pipeline(_ statements: [SQLStatement]) async throws -> [SQLResult] {
            await before(.cancellable)
            return try await connection.pipeline(statements)
        }

        func finish(_ statements: [SQLStatement], meanwhile work: () throws -> Void) async throws -> [SQLResult] {
            await before(.certain)
            return try await connection.finish(statements, meanwhile: work)
        }
    }
}
