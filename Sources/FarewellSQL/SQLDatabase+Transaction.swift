// SPDX-License-Identifier: Apache-2.0
import Farewell

extension SQLDatabase {
    /// Runs `body` in a transaction and commits it; an error of `body` rolls back and is thrown on.
    ///
    /// The whole of `body` is tried again when the database asks for it: serialization failure (`sql.40001`),
    /// deadlock (`sql.40P01`), a plan outdated by a schema change (`sql.stale-plan`), and on SQLite a held
    /// lock (`sql.55P03`). So `body` must have no effect outside of the transaction.
    ///
    /// - Throws: `sql.commit-unknown` when the connection was lost while committing: the transaction may have
    ///   taken effect. Read back before trying again.
    public func transaction<Value: Sendable>(
        _ isolation: SQLIsolation = .readCommitted, attempts: Int = 5, backoff: SQLBackoff = .live,
        _ body: (any SQLConnection) async throws -> Value
    ) async throws -> Value {
        try await repeated(attempts, backoff) { try await transactionOnce(isolation, body) }
    }

    /// Runs a transaction in two round trips: `BEGIN` travels with the first statements, `COMMIT` with the others. It
    /// is tried again, and throws, as the other transactions.
    ///
    /// - Parameter rest: The other statements, once the results of the first are known, and the meaning of their
    ///   results. `nil` rolls the transaction back.
    package func transaction<Value: Sendable>(
        _ isolation: SQLIsolation = .readCommitted, attempts: Int = 5, backoff: SQLBackoff = .live,
        of first: [SQLStatement],
        then rest: ([SQLResult]) throws -> (statements: [SQLStatement], answer: ([SQLResult]) throws -> Value)?
    ) async throws -> Value? {
        try await repeated(attempts, backoff) {
            try await withConnection { connection in
                let begin = SQLStatement(isolation.begin(dialect))
                let results = try await connection.pipeline([begin] + first)
                guard let (statements, answer) = try rest(Array(results.dropFirst())) else {
                    try await connection.run("ROLLBACK")
                    return nil
                }
                return try answer(try await connection.pipeline(statements + [SQLStatement("COMMIT")]))
            }
        }
    }

    private func repeated<Value: Sendable>(
        _ attempts: Int, _ backoff: SQLBackoff, _ body: () async throws -> Value
    ) async throws -> Value {
        for attempt in 1..<max(attempts, 1) {
            do {
                return try await body()
            } catch let error as FarewellError where isWorthAnotherAttempt(error) {
                try await backoff.sleep(backoff.delay(afterFailures: attempt))
            }
        }
        return try await body()
    }

    /// If this throws, an open transaction is rolled back when the connection returns to its pool.
    private func transactionOnce<Value: Sendable>(
        _ isolation: SQLIsolation, _ body: (any SQLConnection) async throws -> Value
    ) async throws -> Value {
        try await withConnection { connection in
            try await connection.run(isolation.begin(dialect))
            let value = try await body(connection)
            try await connection.run("COMMIT")
            return value
        }
    }

    private func isWorthAnotherAttempt(_ error: FarewellError) -> Bool {
        switch error.code {
        case "sql.40001", "sql.40P01", "sql.stale-plan": true
        case "sql.55P03": !dialect.takesSeveralWriters
        default: false
        }
    }
}

extension SQLIsolation {
    /// The statement that begins a transaction so isolated. SQLite takes its write lock at once, so that two
    /// writers wait for each other instead of failing half-way.
    package func begin(_ dialect: SQLDialect) -> String {
        switch (dialect, self) {
        case (.sqlite, _): "BEGIN IMMEDIATE"
        case (.postgresql, .readCommitted): "BEGIN ISOLATION LEVEL READ COMMITTED"
        case (.postgresql, .repeatableRead): "BEGIN ISOLATION LEVEL REPEATABLE READ"
        case (.postgresql, .serializable): "BEGIN ISOLATION LEVEL SERIALIZABLE"
        }
    }
}
