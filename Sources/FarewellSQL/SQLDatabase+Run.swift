// SPDX-License-Identifier: Apache-2.0

extension SQLDatabase {
    /// Runs one statement, outside of a transaction.
    @discardableResult
    package func run(_ statement: SQLStatement) async throws -> SQLResult {
        try await withConnection { try await $0.run(statement) }
    }

    /// Runs one statement, outside of a transaction.
    @discardableResult
    package func run(_ text: String, _ parameters: SQLValue...) async throws -> SQLResult {
        try await run(SQLStatement(text, parameters))
    }

    /// Runs statements one after the other on one connection, as `SQLConnection.pipeline` does.
    @discardableResult
    package func pipeline(_ statements: [SQLStatement]) async throws -> [SQLResult] {
        try await withConnection { try await $0.pipeline(statements) }
    }
}
