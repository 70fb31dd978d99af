// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL

/// The session authority's tables, as append-only migrations: `auth.users` on PostgreSQL, `auth_users` on SQLite.
struct AuthorityMigrations {
    let dialect: SQLDialect

    /// All migrations in order; a migration, once published, never changes.
    var all: [(version: Int, statements: [String])] {
        let tables = AuthorityTables(dialect: dialect)
        return [
            (1, tables.statements), (2, tables.mailStatements + tables.deletionStatements + [providersClient]),
            (3, tables.importStatements), (4, tables.consoleStatements), (5, tables.sourceStatements),
            (6, tables.signUpStatements), (7, [tables.markOfEarlierSignUps]),
            (8, tables.declinedSignUpStatements), (9, tables.mailDomainStatements),
            (10, tables.authorizationCodeStatements), (11, [lateRemovals]),
        ]
    }

    /// The app's identifier at a provider, not a user here: a name that ends in `_id` would be taken for a link.
    private var providersClient: String {
        "ALTER TABLE \(dialect.authorityTable("provider_credentials")) RENAME COLUMN client_id TO client"
    }

    /// Removed signing keys that the state directory could not take.
    private var lateRemovals: String {
        "ALTER TABLE \(dialect.authorityTable("signing_key_version")) ADD COLUMN late_removals text"
    }

    /// Brings the tables to this binary's version; refuses tables of a newer binary, and tables of the same names that
    /// another program has made.
    func apply(on connection: any SQLConnection, now: SQLValue) async throws {
        if dialect.hasSchemas {
            try await SQLMigrations.makeSchema("auth", turn: 7_310_869_281_904_017, on: connection)
        }
        try await refuseOthers(on: connection)
        let found = try await steps.begin(on: connection)
        try await steps.apply(after: found, on: connection, now: now)
    }

    /// Refuses tables of a newer binary, and tables of the same names that another program has made. Makes nothing.
    func refuseOthers(on connection: any SQLConnection) async throws {
        if try await exists("migrations", on: connection) {
            _ = try await steps.version(on: connection)
        } else if try await exists("users", on: connection) {
            throw FarewellError(
                "authority.foreign-table", .yoursToFix,
                "The table \(dialect.authorityTable("users")) already exists and is not the session authority's.",
                remedy: "Give the session authority a database without it, and move the users there.")
        }
    }

    /// Refuses a database in which these tables are not, or are those of a newer binary. Makes nothing.
    func require(on connection: any SQLConnection) async throws {
        guard try await exists("migrations", on: connection), try await steps.version(on: connection) > 0 else {
            throw FarewellError(
                "authority.missing", .yoursToFix, "The session authority's tables are not in this database.",
                remedy: "Name the database of farewell serve; its first start creates them.")
        }
    }

    private var steps: SQLMigrations {
        SQLMigrations(
            store: "session store", newer: "authority.newer", table: dialect.authorityTable("migrations"), all: all)
    }

    private func exists(_ table: String, on connection: any SQLConnection) async throws -> Bool {
        try await connection.run(dialect.ownTableCount("$1", in: "auth"), .text(table)).scalar?.integer != 0
    }
}
