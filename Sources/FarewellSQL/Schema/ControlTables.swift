// SPDX-License-Identifier: Apache-2.0

/// Farewell's own tables that no schema shows: those of the control store.
///
/// On PostgreSQL they have a schema of their own. SQLite has none, so there they have a prefix, with which tables of an
/// app may begin as well: only these are the control store's. A migration that adds a table adds it here too.
package enum ControlTables {
    /// Their schema on PostgreSQL; on SQLite their prefix.
    package static let schema = "farewell"

    /// Without schema or prefix, in the order in which they came to be.
    package static let names = [
        "migrations", "erasures", "steps", "audit", "ledger", "schemas", "requests", "tickets", "holds", "step_ups",
        "fences", "fence_salt", "keepsakes", "events", "deliveries", "received", "retentions", "news",
        "revocation_readers", "installation", "loaded_plans", "stops", "compared_stops",
    ]

    /// One of them as statements name it: `farewell.steps`, on SQLite `farewell_steps`.
    package static func name(_ name: String, _ dialect: SQLDialect) -> String {
        dialect.ownTable(name, in: schema)
    }

    /// All of them as literals for a list of SQL, with their names in the catalog: without their schema on PostgreSQL.
    package static func literals(_ dialect: SQLDialect) -> String {
        names.map { "'\(dialect.hasSchemas ? $0 : name($0, dialect))'" }.joined(separator: ", ")
    }

    /// Farewell's own table among what an error names, such as `farewell.audit` or `farewell_audit.sequence`; `nil` for
    /// another program's.
    static func own(_ named: String, _ dialect: SQLDialect) -> String? {
        names.lazy.map { name($0, dialect) }.first { own in
            named.utf8.elementsEqual(own.utf8) || !dialect.hasSchemas && named.utf8.starts(with: "\(own).".utf8)
        }
    }

    /// The remedy when the database refuses a row of such a table: no rule of a plan is the cause.
    static func remedy(of own: String) -> String {
        "\(own) is a table of Farewell's own, so no rule of the plan helps. Undo what another program changed in it "
            + "(rows, indexes, constraints, triggers), run farewell doctor, then try again."
    }
}
