// SPDX-License-Identifier: Apache-2.0

/// A database that lends a second connection where others can do without it.
package protocol SparingDatabase: SQLDatabase {
    /// Lends a connection like `withConnection`, if one more stays for the next caller and no caller waits.
    ///
    /// - Returns: `nil` if there is none; `body` has not begun then.
    func withSpareConnection<Value: Sendable>(
        _ body: (any SQLConnection) async throws -> Value?
    ) async throws -> Value?
}

extension PostgreSQLDatabase: SparingDatabase {
    package func withSpareConnection<Value: Sendable>(
        _ body: (any SQLConnection) async throws -> Value?
    ) async throws -> Value? {
        try await refusedWrites.noting { try await pool.withSpareConnection(body) }
    }
}
