// SPDX-License-Identifier: Apache-2.0

import FarewellSQL

/// A database that calls a function before each round trip.
package struct WatchedDatabase: SQLDatabase {
    /// Whether a cancelled task still completes the round trip.
    package enum End: Sendable { case cancellable, certain }

    /// Returns the statements that are sent.
    package typealias Before = @Sendable (_ statements: [SQLStatement], _ end: End) async throws -> [SQLStatement]

    private let database: any SQLDatabase
    private let before: Before

    package init(_ database: any SQLDatabase, before: @escaping Before) {
        self.database = database
        self.before = before
    }

    package var dialect: SQLDialect { database.dialect }

    package func withConnection<Value: Sendable>(
        _ body: (any SQLConnection) async throws -> Value
    ) async throws -> Value {
        try await database.withConnection { try await body(Connection(connection: $0, before: before)) }
    }

    package func close() async { await database.close() }

    private struct Connection: SQLConnection {
        let connection: any SQLConnection
        let before: Before

        var dialect: SQLDialect { connection.dialect }

        func run(_ statement: SQLStatement) async throws -> SQLResult {
            let sent = try await before([statement], .cancellable)
            return try await connection.run(sent.first ?? statement)
        }

        func pipeline(_ statements: [SQLStatement]) async throws -> [SQLResult] {
            try await connection.pipeline(try await before(statements, .cancellable))
        }

        func finish(_ statements: [SQLStatement], meanwhile work: () throws -> Void) async throws -> [SQLResult] {
            try await connection.finish(try await before(statements, .certain), meanwhile: work)
        }
    }
}
