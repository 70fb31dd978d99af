// SPDX-License-Identifier: Apache-2.0
/// The seam between Farewell and a database: connections, statements, transactions.
///
/// Two implementations, `SQLiteDatabase` and `PostgreSQLDatabase`, pass one conformance suite
/// (`SQLDatabaseConformance` in FarewellTesting).
public protocol SQLDatabase: Sendable {
    var dialect: SQLDialect { get }

    /// Lends one connection to `body`, for it alone, and takes it back in every case.
    ///
    /// Waits for a free connection as long as the pool's configuration allows, then throws
    /// `sql.pool-exhausted`. A connection found broken is thrown away, never lent again. A transaction
    /// that `body` leaves open is rolled back.
    func withConnection<Value: Sendable>(
        _ body: (any SQLConnection) async throws -> Value
    ) async throws -> Value

    /// Ends all connections. Later calls throw `sql.closed`.
    func close() async
}
