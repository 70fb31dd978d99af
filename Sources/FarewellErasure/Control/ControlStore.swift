// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Writes and reads the control store. Makes statements; the runner decides which go together.
package struct ControlStore: StoreTables {
    package let dialect: SQLDialect
    /// How long a lease lasts after it was last renewed, in seconds.
    package let lease: Int

    package init(dialect: SQLDialect, lease: Int = 15) {
        self.dialect = dialect
        self.lease = lease
    }

    var steps: StepStore { StepStore(self) }
    var leases: LeaseStore { LeaseStore(self) }
    var requests: RequestStore { RequestStore(self) }
    var outbox: Outbox { Outbox(self) }
    var retentions: RetentionStore { RetentionStore(self) }
    var identities: IdentityStore { IdentityStore(self) }
    var plans: PlanStore { PlanStore(self) }

    package var begin: SQLStatement { SQLStatement(dialect.beginWriting) }
    package var commit: SQLStatement { SQLStatement("COMMIT") }
    var rollback: SQLStatement { SQLStatement("ROLLBACK") }
    /// PostgreSQL: this transaction does not wait for the disk; the next one that waits covers it.
    var leaveWaiting: SQLStatement { SQLStatement("SET LOCAL synchronous_commit = off") }
    /// PostgreSQL: a transaction that does not wait for the disk.
    func leavingWaiting(_ statements: [SQLStatement]) -> [SQLStatement] {
        [begin, leaveWaiting] + statements + [commit]
    }
    /// PostgreSQL: a statement of this transaction that takes longer than 5 s is cancelled, and the transaction ends if
    /// it is idle for the length of a lease: a stopped process blocks no other.
    var boundStatements: SQLStatement { bound([("statement_timeout", 5), Self.idleness(lease)]) }
    /// PostgreSQL: this transaction waits for others' locks no longer than a moment, because callers wait for it.
    var waitBriefly: SQLStatement {
        SQLStatement(
            """
            SELECT set_config('lock_timeout', '250ms', true) \
            WHERE current_setting('lock_timeout')::interval NOT BETWEEN '1 ms' AND '250 ms'
            """)
    }
    /// PostgreSQL: this transaction waits for others' locks no longer than 2 s.
    var boundWaiting: SQLStatement { bound([("lock_timeout", 2)]) }

    static func idleness(_ seconds: Int) -> (String, Int) { ("idle_in_transaction_session_timeout", seconds) }

    /// Limits of this transaction, in seconds; less where the connection says so.
    func bound(_ limits: [(name: String, seconds: Int)]) -> SQLStatement {
        let values = limits.map { "('\($0.name)', '\($0.seconds)s')" }.joined(separator: ", ")
        return SQLStatement(
            """
            SELECT set_config(b.name, b.most, true) FROM (VALUES \(values)) AS b (name, most) \
            WHERE current_setting(b.name)::interval NOT BETWEEN '1 ms' AND b.most::interval
            """)
    }
    /// Keys are checked when the transaction ends, where the database lets them.
    var deferKeys: SQLStatement {
        SQLStatement(dialect.deferringKeys)
    }

    /// PostgreSQL: keys that wait for the end of the transaction are checked now.
    var checkKeys: SQLStatement { SQLStatement("SET CONSTRAINTS ALL IMMEDIATE") }

    /// Makes or renews the control store's tables.
    package func migrate(_ database: any SQLDatabase, now: Date) async throws {
        try await database.transaction { connection in
            try await migrations.apply(on: connection, now: .timestamp(now))
        }
    }
}

extension ControlStore {
    /// Stores the schema of a run, so that a later difference can be described.
    package func remember(schema fingerprint: String, snapshot: String) -> SQLStatement {
        SQLStatement(
            "INSERT INTO \(schemas) (fingerprint, snapshot) VALUES ($1, $2) ON CONFLICT (fingerprint) DO NOTHING",
            [.text(fingerprint), .text(snapshot)])
    }

    package func snapshot(of fingerprint: String) -> SQLStatement {
        SQLStatement("SELECT snapshot FROM \(schemas) WHERE fingerprint = $1", [.text(fingerprint)])
    }
}
