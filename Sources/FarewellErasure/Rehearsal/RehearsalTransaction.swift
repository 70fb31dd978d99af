// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// The transaction of one rehearsal. It is begun here and never committed: whatever happens, `body` ends with a
/// rollback, and a process that dies leaves one to the database.
struct RehearsalTransaction: Sendable {
    let prepared: PreparedPlan
    let control: ControlStore
    let limits: RehearsalLimits

    private var dialect: SQLDialect { prepared.schema.dialect }

    func run<Value: Sendable>(
        in database: any SQLDatabase, _ body: (any SQLConnection) async throws -> Value
    ) async throws -> Value {
        // After an error, an open transaction is rolled back when the connection returns to its pool.
        try await database.withConnection { connection in
            try await begin(on: connection)
            let value = try await body(connection)
            try await connection.run(control.rollback)
            return value
        }
    }

    private func begin(on connection: any SQLConnection) async throws {
        try await connection.run(control.begin)
        guard dialect.takesSeveralWriters else {
            try await connection.run(control.deferKeys)
            return
        }
        let standing = try await connection.run(
            "SELECT pg_catalog.pg_is_in_recovery(), current_setting('transaction_read_only')::boolean")
        let row = standing.rows.first ?? []
        if row.first == .bool(true) || row.last == .bool(true) {
            throw Self.readOnly(isReplica: row.first == .bool(true))
        }
        try await connection.run(
            control.bound([
                ("lock_timeout", limits.lock), ("statement_timeout", limits.statement),
                ControlStore.idleness(limits.statement + 30),
            ]))
        if prepared.hasDeferrableKeys { try await connection.run(control.deferKeys) }
    }

    /// Has keys and triggers wait again as in a new transaction of a run, after they have been checked: PostgreSQL
    /// checks for the rest of a transaction at once what was checked early. On SQLite keys wait until the end anyway.
    func deferAgain(on connection: any SQLConnection) async throws {
        guard dialect.takesSeveralWriters else { return }
        if prepared.hasDeferrableKeys {
            try await connection.run(control.deferKeys)
            return
        }
        let waiting = try await connection.run(Self.waiting).rows.compactMap { row -> String? in
            guard row.count == 2, let schema = row[0].text, let name = row[1].text else { return nil }
            return "\(dialect.quoted(schema)).\(dialect.quoted(name))"
        }
        guard !waiting.isEmpty else { return }
        try await connection.run(SQLStatement("SET CONSTRAINTS \(waiting.joined(separator: ", ")) DEFERRED"))
    }

    /// Constraints that wait for the end of a transaction by default, triggers among them. A name says them all in one
    /// schema, so that one of which some cannot wait is left out.
    private static let waiting = SQLStatement(
        """
        SELECT DISTINCT n.nspname::text, c.conname::text FROM pg_catalog.pg_constraint AS c
        JOIN pg_catalog.pg_namespace AS n ON n.oid = c.connamespace
        WHERE c.condeferred AND n.nspname !~ '^pg_' AND has_schema_privilege(n.oid, 'USAGE') AND NOT EXISTS (
            SELECT FROM pg_catalog.pg_constraint AS other
            WHERE other.connamespace = c.connamespace AND other.conname = c.conname AND NOT other.condeferrable)
        ORDER BY 1, 2
        """)

    static func readOnly(isReplica: Bool) -> FarewellError {
        FarewellError(
            "rehearsal.read-only", .tryAgain,
            isReplica
                ? "This server is a replica: it accepts no writes, so nothing can be rehearsed here."
                : "This server or role accepts no writes, so nothing can be rehearsed here.",
            remedy: "Try again after a failover, or connect to the primary server, or to a writable copy of the "
                + "database."
                + (isReplica
                    ? ""
                    : " On a primary server, set default_transaction_read_only to off for the role and the database."))
    }
}
