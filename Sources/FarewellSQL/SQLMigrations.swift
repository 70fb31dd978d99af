// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The migrations of one store: applied once each, in their order, and remembered in a table of their own.
package struct SQLMigrations: Sendable {
    /// How a refusal calls the store, e.g. `session store`.
    package let store: String
    /// The code of a refusal of tables that a newer binary has made.
    package let newer: FarewellError.Code
    /// The table of versions, as it is written in SQL.
    package let table: String
    /// All in order; a migration, once published, never changes.
    package let all: [(version: Int, statements: [String])]

    package init(
        store: String, newer: FarewellError.Code, table: String, all: [(version: Int, statements: [String])]
    ) {
        self.store = store
        self.newer = newer
        self.table = table
        self.all = all
    }

    /// PostgreSQL: makes a missing schema. Simultaneous calls take turns until their transactions end, because a
    /// schema, unlike a table, cannot be locked.
    ///
    /// - Parameter turn: The store's own number.
    package static func makeSchema(_ name: String, turn: Int64, on connection: any SQLConnection) async throws {
        try await connection.run("SELECT pg_advisory_xact_lock(\(turn))")
        // A session that waited still has the old catalog in its cache; opening a table refreshes it.
        let query = SQLStatement("SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = $1", [.text(name)])
        // A schema that an owner has made is enough: `CREATE SCHEMA` would still require the right to make schemas.
        guard try await connection.run(query).scalar?.integer == 0 else { return }
        try await connection.run("CREATE SCHEMA IF NOT EXISTS \(name)")
    }

    /// Makes the table of versions if there is none.
    ///
    /// - Returns: The version of the store, 0 for one that has no tables yet.
    /// - Throws: errors of `version`.
    package func begin(on connection: any SQLConnection) async throws -> Int {
        let time = connection.dialect.timeType
        try await connection.run(
            "CREATE TABLE IF NOT EXISTS \(table) (version integer PRIMARY KEY, applied_at \(time) NOT NULL)")
        return try await version(on: connection)
    }

    /// The version of the store, whose table of versions is there.
    ///
    /// - Throws: `newer` for a version that this binary does not know yet.
    package func version(on connection: any SQLConnection) async throws -> Int {
        let found = try await connection.run("SELECT coalesce(max(version), 0) FROM \(table)").scalar?.integer ?? 0
        let newest = all.last?.version ?? 0
        guard found <= Int64(newest) else {
            throw FarewellError(
                newer, .yoursToFix, "The \(store) has version \(found); this farewell knows versions up to \(newest).",
                remedy: "Use the newer farewell that created it.")
        }
        return Int(found)
    }

    /// Applies what came after a version. In one transaction with the look at it.
    package func apply(after version: Int, on connection: any SQLConnection, now: SQLValue) async throws {
        for migration in all where migration.version > version {
            for statement in migration.statements { try await connection.run(SQLStatement(statement)) }
            try await connection.run(
                "INSERT INTO \(table) (version, applied_at) VALUES ($1, $2)", .integer(Int64(migration.version)), now)
        }
    }
}
