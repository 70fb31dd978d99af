// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Writes and reads the control store. Makes statements; the runner decides which go together.
package struct ControlStore: Sendable {
    package let dialect: SQLDialect
    /// How long a lease lasts after it was last renewed, in seconds.
    package let lease: Int

    package init(dialect: SQLDialect, lease: Int = 15) {
        self.dialect = dialect
        self.lease = lease
    }

    var erasures: String { migrations.table("erasures") }
    var steps: String { migrations.table("steps") }
    var audit: String { migrations.table("audit") }
    var ledger: String { migrations.table("ledger") }
    var schemas: String { migrations.table("schemas") }
    private var migrations: ControlMigrations { ControlMigrations(dialect: dialect) }

    package var begin: SQLStatement { SQLStatement(dialect == .postgresql ? "BEGIN" : "BEGIN IMMEDIATE") }
    package var commit: SQLStatement { SQLStatement("COMMIT") }
    var rollback: SQLStatement { SQLStatement("ROLLBACK") }
    /// Keys are checked when the transaction ends, where the database lets them.
    var deferKeys: SQLStatement {
        SQLStatement(dialect == .postgresql ? "SET CONSTRAINTS ALL DEFERRED" : "PRAGMA defer_foreign_keys = ON")
    }

    /// Makes or renews the control store's tables.
    package func migrate(_ database: any SQLDatabase, now: Date) async throws {
        try await database.transaction { connection in
            try await migrations.apply(on: connection, now: .timestamp(now))
        }
    }

    /// The database's own time as an instant `seconds` from now: leases are measured by one clock alone.
    func fromNow(_ seconds: String) -> String {
        dialect == .postgresql
            ? "(clock_timestamp() + \(seconds) * interval '1 second')"
            : "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', \(seconds) || ' seconds')"
    }

    func identifier(_ id: UUID) -> SQLValue {
        dialect == .postgresql ? .uuid(id) : .text(id.uuidString.lowercased())
    }

    func identifiers(_ ids: [UUID]) -> SQLValue {
        dialect == .postgresql
            ? .array(ids.map(SQLValue.uuid))
            : .text("[" + ids.map { "\"\($0.uuidString.lowercased())\"" }.joined(separator: ",") + "]")
    }

    /// `= ANY($n)` or its counterpart on SQLite, for `identifiers(_:)`.
    func isAmong(_ parameter: String) -> String {
        dialect == .postgresql ? "= ANY(\(parameter)::uuid[])" : "IN (SELECT value FROM json_each(\(parameter)))"
    }
}

// MARK: Accepting

extension ControlStore {
    /// Records erasures as running under a first lease. A subject that has a live erasure keeps that one:
    /// the answer names the identifiers that were taken in.
    package func accept(_ records: [ErasureRecord]) -> [SQLStatement] {
        records.map { record in
            SQLStatement(
                """
                INSERT INTO \(erasures) (id, state, requested_at, attempts, owner, lease_until, epoch, subject_hash, \
                plan_fingerprint, schema_fingerprint, wrapped_key, sealed) \
                VALUES ($1, $2, $3, 1, $4, \(fromNow("$5")), 1, $6, $7, $8, $9, $10) \
                ON CONFLICT (subject_hash) WHERE state NOT IN ('done', 'cancelled') DO NOTHING RETURNING id
                """,
                [
                    identifier(record.id), .text(record.state.rawValue), .timestamp(record.requestedAt),
                    record.owner.map(SQLValue.text) ?? .null, .integer(Int64(lease)), .text(record.subjectHash),
                    .text(record.planFingerprint), .text(record.schemaFingerprint),
                    record.wrappedKey.map(SQLValue.bytes) ?? .null, record.sealed.map(SQLValue.bytes) ?? .null,
                ])
        }
    }

    /// Keeps the schema a plan is run against, so that a later difference can be told in words.
    package func remember(schema fingerprint: String, snapshot: String) -> SQLStatement {
        SQLStatement(
            "INSERT INTO \(schemas) (fingerprint, snapshot) VALUES ($1, $2) ON CONFLICT (fingerprint) DO NOTHING",
            [.text(fingerprint), .text(snapshot)])
    }

    package func snapshot(of fingerprint: String) -> SQLStatement {
        SQLStatement("SELECT snapshot FROM \(schemas) WHERE fingerprint = $1", [.text(fingerprint)])
    }
}

// MARK: Fencing by lease number

extension ControlStore {
    /// Fails unless every one of the erasures is still ours: held by us under the lease number we know, in the
    /// given state. Locks them until the transaction ends, so that nobody takes one over in between.
    ///
    /// It is a statement that raises an error, and not a count to be looked at, so that a pipeline stops
    /// before the first delete without a further round trip.
    func guardLease(_ members: [ErasureMember], owner: String, state: ErasureState) -> SQLStatement {
        let parameters =
            leaseParameters(members, owner: owner)
            + [.text(state.rawValue), .integer(Int64(members.count))]
        if dialect == .postgresql {
            return SQLStatement(
                """
                SELECT CASE WHEN count(*) = $5 THEN 1 ELSE 1 / (count(*) - count(*)) END FROM \
                (SELECT 1 FROM \(erasures) WHERE \(isHeld) AND state = $4 ORDER BY id FOR UPDATE) AS held
                """, parameters)
        }
        return SQLStatement(
            """
            SELECT CASE WHEN count(*) = $5 THEN 1 ELSE json('lease lost') END FROM \(erasures) \
            WHERE \(isHeld) AND state = $4
            """, parameters)
    }

    /// How many of the erasures are ours in the given state: the guard's question, asked after it has failed.
    func countHeld(_ members: [ErasureMember], owner: String, state: ErasureState) -> SQLStatement {
        SQLStatement(
            "SELECT count(*) FROM \(erasures) WHERE \(isHeld) AND state = $4",
            leaseParameters(members, owner: owner) + [.text(state.rawValue)])
    }

    func move(_ ids: [UUID], to state: ErasureState) -> SQLStatement {
        SQLStatement(
            "UPDATE \(erasures) SET state = $2, lease_until = \(fromNow("$3")) WHERE id \(isAmong("$1"))",
            [identifiers(ids), .text(state.rawValue), .integer(Int64(lease))])
    }

    /// Moves erasures whose steps are all done to being verified; as many are affected as are still ours.
    func verify(_ members: [ErasureMember], owner: String) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(erasures) SET state = 'verifying', lease_until = \(fromNow("$4")) \
            WHERE \(isHeld) AND state IN ('running', 'verifying')
            """, leaseParameters(members, owner: owner) + [.integer(Int64(lease))])
    }

    func renew(_ members: [ErasureMember], owner: String) -> SQLStatement {
        SQLStatement(
            "UPDATE \(erasures) SET lease_until = \(fromNow("$4")) WHERE \(isHeld)",
            leaseParameters(members, owner: owner) + [.integer(Int64(lease))])
    }

    /// Gives erasures back, so that anybody may take them up at once. An attempt that ended so was no crash and
    /// does not count as one.
    func handBack(_ members: [ErasureMember], owner: String) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(erasures) SET owner = NULL, lease_until = NULL, \
            attempts = CASE WHEN attempts > 0 THEN attempts - 1 ELSE 0 END WHERE \(isHeld)
            """, leaseParameters(members, owner: owner))
    }

    func park(_ member: ErasureMember, owner: String, cause: String) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(erasures) SET state = 'needs attention', cause = $4, owner = NULL, lease_until = NULL \
            WHERE \(isHeld) AND state IN ('fenced', 'running', 'verifying')
            """, leaseParameters([member], owner: owner) + [.text(cause)])
    }

    /// An erasure is held under a lease number, not by a name alone: whoever slept past the lease, even within
    /// one process, knows an old number.
    private var isHeld: String {
        dialect == .postgresql
            ? "owner = $2 AND id = ANY($1::uuid[]) AND (id, epoch) IN (SELECT * FROM unnest($1::uuid[], $3::bigint[]))"
            : "owner = $2 AND id \(isAmong("$1")) AND id || ' ' || epoch IN (SELECT value FROM json_each($3))"
    }

    private func leaseParameters(_ members: [ErasureMember], owner: String) -> [SQLValue] {
        let leases: SQLValue =
            dialect == .postgresql
            ? .array(members.map { .integer($0.record.epoch) })
            : .text(
                "["
                    + members.map { "\"\($0.id.uuidString.lowercased()) \($0.record.epoch)\"" }.joined(separator: ",")
                    + "]")
        return [identifiers(members.map(\.id)), .text(owner), leases]
    }
}
