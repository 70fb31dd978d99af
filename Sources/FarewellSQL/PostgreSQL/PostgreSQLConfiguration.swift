// SPDX-License-Identifier: Apache-2.0

/// How PostgreSQL is connected to and waited for. `nil` leaves a limit to the server's own setting.
public struct PostgreSQLConfiguration: Sendable, Hashable {
    /// The usual `statementTimeout` of commands and servers, in seconds: longer than any statement needs that makes
    /// progress, because large accounts are erased in pieces.
    package static let usualStatementSeconds = 900
    /// The most connections of a server or worker to one database: workers, duties and calls use some at once.
    package static let serviceConnections = 16
    /// The most connections open at once.
    public var maximumConnections: Int
    /// How long a call waits for a free connection before it throws `sql.pool-exhausted`.
    public var connectionWait: Duration
    /// How long one attempt to connect may take; `connect_timeout` in the address goes before it.
    public var connectTimeout: Duration
    /// The server cancels a statement that runs longer (`sql.57014`). A shorter limit of the role or database stays.
    public var statementTimeout: Duration?
    /// The server gives up waiting for a lock after this (`sql.55P03`).
    public var lockTimeout: Duration?
    /// The server ends a connection that idles this long inside a transaction.
    public var idleInTransactionTimeout: Duration?
    /// Seen in `pg_stat_activity`; `application_name` in the address goes before it.
    public var applicationName: String
    /// How many prepared statements each connection keeps; 0 prepares every statement anew. Behind a pooler none are.
    public var preparedStatements: Int
    /// Whether a pooler is in between (pgbouncer, Supavisor), which may give each transaction another session. `nil`
    /// detects it while connecting; `pgbouncer=true` or `false` in the address overrides that.
    public var pooled: Bool?
    /// The address at which `LISTEN` reaches the server itself where `pooled`; without one its tables are polled.
    public var listenAddress: String?
    /// How often a listener that cannot listen signals a possible change.
    public var listenPoll: Duration

    /// The option, setting or variable that holds the address, for messages; nil names none.
    package var namedBy: String?
    /// The same for `listenAddress`.
    package var listenNamedBy: String?

    public init(
        maximumConnections: Int = 4, connectionWait: Duration = .seconds(10),
        connectTimeout: Duration = .seconds(10), statementTimeout: Duration? = nil,
        lockTimeout: Duration? = nil, idleInTransactionTimeout: Duration? = nil,
        applicationName: String = "farewell", preparedStatements: Int = 256,
        pooled: Bool? = nil, listenAddress: String? = nil, listenPoll: Duration = .seconds(1)
    ) {
        self.maximumConnections = maximumConnections
        self.connectionWait = connectionWait
        self.connectTimeout = connectTimeout
        self.statementTimeout = statementTimeout
        self.lockTimeout = lockTimeout
        self.idleInTransactionTimeout = idleInTransactionTimeout
        self.applicationName = applicationName
        self.preparedStatements = preparedStatements
        self.pooled = pooled
        self.listenAddress = listenAddress
        self.listenPoll = listenPoll
    }
}
