// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The report of `farewell doctor` about a pooler between Farewell and PostgreSQL.
struct PoolerFact: Sendable {
    let hasOwnSession: Bool

    /// Whether a pooler gives the connection sessions of the server that others use before and after.
    var standsBetween: Bool { !hasOwnSession }

    var fact: DatabaseHealth.Fact {
        guard standsBetween else {
            return .init("pooler", .good, "none: the connection has its own server process")
        }
        return .init(
            "pooler", .good,
            """
            the connection uses one (detected, or set by database.pooled or ?pgbouncer=true). Statements have no \
            names, settings last for one transaction, sessions keep no locks or lists, and workers poll for work \
            every second
            """,
            remedy: """
                Nothing to do. To wake workers at once, set database.listen-url to the server's own address. \
                A pool in session mode needs \(PostgreSQLConfiguration.serviceConnections) server connections for each \
                server and worker, as many as each may open; in transaction mode four are enough.
                """)
    }

    /// The server does not know the connection to the pooler.
    ///
    /// - Parameters:
    ///   - isEncrypted: Whether the session between pooler and server is encrypted.
    ///   - isLocal: Whether the server was reached on its own machine.
    func encryption(toServer isEncrypted: Bool, isLocal: Bool) -> DatabaseHealth.Fact {
        let words = isEncrypted ? "TLS" : isLocal ? "none, on one machine" : "none"
        return .init(
            "encryption", isEncrypted || isLocal ? .good : .warning,
            "from the pooler to the server: \(words); the connection to the pooler is unknown here",
            remedy: "Add sslmode=verify-full to the address, unless the pooler is on this machine.")
    }
}
