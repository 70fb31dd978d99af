// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The common part of all stores of the control store: its tables, the database's clock, and the notation of values.
protocol StoreTables: Sendable {
    var dialect: SQLDialect { get }
    /// How long a lease lasts after it was last renewed, in seconds.
    var lease: Int { get }

    init(dialect: SQLDialect, lease: Int)
}

extension StoreTables {
    /// The store beside another one.
    init(_ tables: some StoreTables) { self.init(dialect: tables.dialect, lease: tables.lease) }

    var erasures: String { migrations.table("erasures") }
    var stepTable: String { migrations.table("steps") }
    var audit: String { migrations.table("audit") }
    var ledger: String { migrations.table("ledger") }
    var schemas: String { migrations.table("schemas") }
    var requestTable: String { migrations.table("requests") }
    var tickets: String { migrations.table("tickets") }
    var holds: String { migrations.table("holds") }
    var stepUps: String { migrations.table("step_ups") }
    var events: String { migrations.table("events") }
    var deliveries: String { migrations.table("deliveries") }
    var received: String { migrations.table("received") }
    var keepsakes: String { migrations.table("keepsakes") }
    var retentionTable: String { migrations.table("retentions") }
    var loadedPlans: String { migrations.table("loaded_plans") }
    var migrations: ControlMigrations { ControlMigrations(dialect: dialect) }

    /// No operator has put a hold on the erasure that a statement is about.
    var isNotHeld: String { "NOT EXISTS (SELECT 1 FROM \(holds) AS h WHERE h.erasure = \(erasures).id)" }

    /// That the plan of an erasure was loaded later than the plan whose fingerprint a parameter has; not if one of them
    /// is unknown. Both are looked up by their key, whatever plan the database makes of the rest.
    func isLater(_ plan: String, than parameter: String) -> String {
        """
        (((SELECT l.number FROM \(loadedPlans) AS l WHERE l.fingerprint = \(plan)) > \
        (SELECT o.number FROM \(loadedPlans) AS o WHERE o.fingerprint = \(parameter))) IS TRUE)
        """
    }

    /// The database's own time as an instant `seconds` from now: leases are measured by one clock alone.
    func fromNow(_ seconds: String) -> String {
        dialect.fromNow(seconds)
    }

    func identifier(_ id: UUID) -> SQLValue { .uuid(id) }

    func identifiers(_ ids: [UUID]) -> SQLValue { .array(ids.map(SQLValue.uuid)) }

    /// `= ANY($n)` or its counterpart on SQLite, for `identifiers(_:)`.
    func isAmong(_ parameter: String) -> String {
        dialect.isAmong(parameter, "uuid")
    }

    /// Rows of one of our tables: on PostgreSQL one statement for all, whose text does not depend on their number.
    func inserts(_ rows: [[SQLValue]], into place: String, types: [String], _ rest: String = "") -> [SQLStatement] {
        guard !rows.isEmpty else { return [] }
        guard dialect.hasArrays else {
            let parameters = types.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
            return rows.map { SQLStatement("INSERT INTO \(place) VALUES (\(parameters)) \(rest)", $0) }
        }
        let lists = types.enumerated().map { "$\($0 + 1)::\($1)[]" }.joined(separator: ", ")
        return [
            SQLStatement(
                "INSERT INTO \(place) SELECT * FROM unnest(\(lists)) \(rest)",
                types.indices.map { column in .array(rows.map { $0[column] }) })
        ]
    }
}
