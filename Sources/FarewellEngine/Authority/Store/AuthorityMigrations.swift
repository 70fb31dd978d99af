// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The session authority's tables, as append-only migrations: `auth.users` on PostgreSQL, `auth_users` on SQLite.
struct AuthorityMigrations {
    let dialect: SQLDialect

    /// All migrations in order; a migration, once published, never changes.
    var all: [(version: Int, statements: [String])] {
        let tables = AuthorityTables(dialect: dialect)
        return [(1, tables.statements), (2, tables.mailStatements + tables.deletionStatements + [providersClient])]
    }

    /// The app that a provider knows, not a person of ours: a name that ends in `_id` would be taken for a link.
    private var providersClient: String {
        "ALTER TABLE \(dialect.authorityTable("provider_credentials")) RENAME COLUMN client_id TO client"
    }

    /// Brings the tables to this binary's version; refuses those that a newer binary has made, and tables of the
    /// same names that somebody else has made.
    func apply(on connection: any SQLConnection, now: SQLValue) async throws {
        let migrations = dialect.authorityTable("migrations")
        if dialect == .postgresql {
            // Two servers that start at once take turns. The number is this store's own.
            try await connection.run("SELECT pg_advisory_xact_lock(7310869281904017)")
            try await connection.run("CREATE SCHEMA IF NOT EXISTS auth")
        }
        let isOurs = try await exists("migrations", on: connection)
        if !isOurs, try await exists("users", on: connection) {
            throw FarewellError(
                "authority.foreign-table", .yoursToFix,
                "The table \(dialect.authorityTable("users")) is there already, and is not the session authority's.",
                remedy: "Give the session authority a database without it, and move the people over.")
        }
        try await connection.run(
            SQLStatement(
                """
                CREATE TABLE IF NOT EXISTS \(migrations) (version integer PRIMARY KEY, \
                applied_at \(dialect == .postgresql ? "timestamptz" : "text") NOT NULL)
                """))
        let found = try await version(on: connection)
        for migration in all where migration.version > Int(found) {
            for statement in migration.statements { try await connection.run(SQLStatement(statement)) }
            try await connection.run(
                "INSERT INTO \(migrations) (version, applied_at) VALUES ($1, $2)", .integer(Int64(migration.version)),
                now)
        }
    }

    /// Refuses a database in which these tables are not, or are those of a newer binary. Makes nothing.
    func require(on connection: any SQLConnection) async throws {
        guard try await exists("migrations", on: connection), try await version(on: connection) > 0 else {
            throw FarewellError(
                "authority.missing", .yoursToFix, "The session authority's tables are not in this database.",
                remedy: "Name the database of farewell serve, whose first start makes them.")
        }
    }

    /// The version of the tables. Refuses one that this binary does not know yet.
    private func version(on connection: any SQLConnection) async throws -> Int64 {
        let migrations = dialect.authorityTable("migrations")
        let found = try await connection.run("SELECT coalesce(max(version), 0) FROM \(migrations)").scalar?.integer ?? 0
        let newest = all.last?.version ?? 0
        guard found <= newest else {
            throw FarewellError(
                "authority.newer", .yoursToFix,
                "The session store has version \(found); this farewell knows versions up to \(newest).",
                remedy: "Use the newer farewell that made it.")
        }
        return found
    }

    private func exists(_ table: String, on connection: any SQLConnection) async throws -> Bool {
        let query =
            dialect == .postgresql
            ? "SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = 'auth' AND tablename = $1"
            : "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'auth_' || $1"
        return try await connection.run(query, .text(table)).scalar?.integer != 0
    }
}

extension SQLDialect {
    /// A table of the session authority.
    func authorityTable(_ name: String) -> String { self == .postgresql ? "auth.\(name)" : "auth_\(name)" }
}
