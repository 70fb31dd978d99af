// SPDX-License-Identifier: Apache-2.0

/// One connection. Its statements run one after the other, in the order they were given.
public protocol SQLConnection: Sendable {
    var dialect: SQLDialect { get }

    /// Whether state of one transaction, such as a held cursor, is still there for the next. False if a pooler gives
    /// each transaction another session.
    var hasOwnSession: Bool { get }

    /// Runs one statement. Cancelling the task cancels the statement in the database.
    ///
    /// - Throws: `FarewellError` whose code is `sql.` and the SQLSTATE (PostgreSQL's list; SQLite's errors
    ///   are mapped onto it), and whose text holds no value of any row.
    @discardableResult
    func run(_ statement: SQLStatement) async throws -> SQLResult

    /// Hands the rows of a query to `body` in pieces, in the query's order, so that memory does not grow with their
    /// number. Inside a transaction only, and one query at a time.
    ///
    /// - Throws: what `run` throws; what `body` throws ends the reading.
    func read(_ query: SQLStatement, _ body: @escaping @Sendable ([[SQLValue]]) throws -> Void) async throws

    /// Runs statements in one round trip where the database can (PostgreSQL's pipeline mode), one after
    /// the other elsewhere. The first failing statement ends the pipeline: it throws, the rest is not run.
    func pipeline(_ statements: [SQLStatement]) async throws -> [SQLResult]

    /// Sends two pipelines at once: `work` gets the results of the first while the database runs the second, if it can
    /// (PostgreSQL), and otherwise before the second is sent. For statements of one transaction: the result of `work`
    /// is invalid if the second fails, which throws.
    func pipeline<Value: Sendable>(
        _ first: [SQLStatement], then rest: [SQLStatement], meanwhile work: ([SQLResult]) async throws -> Value
    ) async throws -> (value: Value, results: [SQLResult])

    /// A pipeline that ends a transaction. Once sent, a cancelled task does not stop it: otherwise the outcome would be
    /// unknown.
    ///
    /// - Parameter work: Runs as soon as the pipeline is sent, while the database works; it may block for a disk. If it
    ///   throws, this function throws too, though the transaction may have ended.
    func finish(_ statements: [SQLStatement], meanwhile work: () throws -> Void) async throws -> [SQLResult]
}

extension SQLConnection {
    public var hasOwnSession: Bool { true }

    public func pipeline<Value: Sendable>(
        _ first: [SQLStatement], then rest: [SQLStatement], meanwhile work: ([SQLResult]) async throws -> Value
    ) async throws -> (value: Value, results: [SQLResult]) {
        let value = try await work(try await pipeline(first))
        return (value, try await pipeline(rest))
    }

    public func finish(_ statements: [SQLStatement], meanwhile work: () throws -> Void) async throws -> [SQLResult] {
        let ending = Task { try await pipeline(statements) }
        let worked = Result { try work() }
        let results = try await ending.value
        try worked.get()
        return results
    }
}

extension SQLConnection {
    @discardableResult
    public func run(_ text: String, _ parameters: SQLValue...) async throws -> SQLResult {
        try await run(SQLStatement(text, parameters))
    }
}
