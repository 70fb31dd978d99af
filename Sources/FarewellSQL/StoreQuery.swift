// SPDX-License-Identifier: Apache-2.0

/// A statement of a store, and what its result says as a value.
package struct StoreQuery<Answer: Sendable>: Sendable {
    package let statement: SQLStatement
    /// Reads the result of the statement, which may have travelled with others.
    package let answer: @Sendable (SQLResult) throws -> Answer

    package init(_ statement: SQLStatement, _ answer: @escaping @Sendable (SQLResult) throws -> Answer) {
        self.statement = statement
        self.answer = answer
    }

    package func run(on connection: any SQLConnection) async throws -> Answer {
        try answer(try await connection.run(statement))
    }

    package func run(in database: any SQLDatabase) async throws -> Answer {
        try await database.withConnection { try await run(on: $0) }
    }
}
