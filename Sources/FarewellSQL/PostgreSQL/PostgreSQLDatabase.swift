// SPDX-License-Identifier: Apache-2.0
import Farewell

/// A PostgreSQL server, spoken to by libpq without blocking Swift concurrency's threads.
///
/// The holder of a connection runs on the thread that receives its answers, on Linux, and must not block it for long:
/// other connections share it.
///
/// Sessions run in UTC with ISO dates. TLS is the address's `sslmode` (libpq, 34.19). Pipelines are one
/// implicit transaction unless they hold `BEGIN` themselves.
public final class PostgreSQLDatabase: SQLDatabase {
    public var dialect: SQLDialect { .postgresql }
    let pool: ConnectionPool<PostgreSQLConnection>
    let refusedWrites = RefusedWrites()
    /// Counts the server's answers on all connections of the pool.
    let hearing: ServerHearing
    let address: PostgreSQLAddress
    /// The address for listening, if that is not `address`.
    let listening: PostgreSQLAddress?
    let watchers: SocketWatchers
    let configuration: PostgreSQLConfiguration

    /// Connects when the first connection is requested.
    ///
    /// - Parameters:
    ///   - url: `postgresql://user:password@host:port/database?sslmode=verify-full`, or libpq's other forms.
    ///   - configuration: Sizes, waits and time-outs.
    /// - Throws: `sql.bad-address` when the address cannot be read. It is never part of an error.
    public init(url: String, configuration: PostgreSQLConfiguration = PostgreSQLConfiguration()) throws {
        let address = try PostgreSQLAddress(url, namedBy: configuration.namedBy)
        var configuration = configuration
        configuration.pooled = configuration.pooled ?? address.pooled
        let listenNamedBy = configuration.listenNamedBy
        listening = try configuration.listenAddress.map { try PostgreSQLAddress($0, namedBy: listenNamedBy) }
        let watchers = SocketWatchers(most: configuration.maximumConnections)
        let hearing = ServerHearing(isPooled: configuration.pooled == true)
        self.address = address
        self.watchers = watchers
        self.hearing = hearing
        self.configuration = configuration
        pool = ConnectionPool(limit: configuration.maximumConnections, wait: configuration.connectionWait) {
            [configuration] in
            try await PostgreSQLConnection.open(
                address, watcher: watchers.next(), hearing: hearing, configuration: configuration)
        }
    }

    public func withConnection<Value: Sendable>(
        _ body: (any SQLConnection) async throws -> Value
    ) async throws -> Value {
        try await refusedWrites.noting { try await pool.withConnection(body) }
    }

    public func close() async {
        pool.close()
    }
}
