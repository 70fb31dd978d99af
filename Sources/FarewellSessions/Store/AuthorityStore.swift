// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// Writes and reads the session authority's tables. Makes statements; the authority decides which go together.
struct AuthorityStore: Sendable {
    let dialect: SQLDialect
    let queries: AuthorityQueries

    init(dialect: SQLDialect) {
        self.dialect = dialect
        queries = AuthorityQueries(dialect)
    }

    var users: String { dialect.authorityTable("users") }
    var identities: String { dialect.authorityTable("identities") }
    var sessions: String { dialect.authorityTable("sessions") }
    var credentials: String { dialect.authorityTable("provider_credentials") }
    var revocations: String { dialect.authorityTable("revocations") }
    var mail: String { dialect.authorityTable("outgoing_mail") }
    var codes: String { dialect.authorityTable("one_time_codes") }
    var knownSources: String { dialect.authorityTable("known_sources") }
    var declinedSignUps: String { dialect.authorityTable("declined_sign_ups") }
    var attempts: String { dialect.authorityTable("password_attempts") }
    var keys: String { dialect.authorityTable("signing_keys") }
    var consoleSessions: String { dialect.authorityTable("console_sessions") }
    var keyVersion: String { dialect.authorityTable("signing_key_version") }

    /// Makes or renews the tables.
    func migrate(_ database: any SQLDatabase, now: Date) async throws {
        try await database.transaction { connection in
            try await AuthorityMigrations(dialect: dialect).apply(on: connection, now: .timestamp(now))
        }
    }

    /// Refuses a database with tables of a newer binary or of another program, and makes nothing.
    func refuseOthers(in database: any SQLDatabase) async throws {
        try await database.withConnection { try await AuthorityMigrations(dialect: dialect).refuseOthers(on: $0) }
    }

    /// How many keys sign or have signed: `(count)`.
    var countKeys: SQLStatement { SQLStatement("SELECT count(*) FROM \(keys)") }

    /// The schema as `migrate` will leave it: the tables are made, read and rolled back, in one transaction.
    func schemaOnceMigrated(_ database: any SQLDatabase, now: Date) async throws -> Schema {
        try await database.transaction { connection in
            try await connection.run("SAVEPOINT before_tables")
            try await AuthorityMigrations(dialect: dialect).apply(on: connection, now: .timestamp(now))
            let schema = try await Schema.read(from: connection)
            try await connection.run("ROLLBACK TO SAVEPOINT before_tables")
            return schema
        }
    }

    /// Refuses a database without the tables, and makes nothing.
    func requireTables(_ database: any SQLDatabase) async throws {
        try await database.withConnection { try await AuthorityMigrations(dialect: dialect).require(on: $0) }
    }

    /// Neither banned nor deleted, as a condition on a row of users.
    ///
    /// - Parameter now: How the time is called in the statement.
    static func maySignIn(_ alias: String, now: String) -> String {
        "\(alias).deleted_at IS NULL AND (\(alias).banned_until IS NULL OR \(alias).banned_until <= \(now))"
    }
}

// MARK: Looking

extension AuthorityStore {
    /// A user and one of their sessions, for a request that shows an access token.
    func account(_ user: UUID, session: UUID?) -> SQLStatement {
        SQLStatement(queries.account, [.uuid(user), session.map(SQLValue.uuid) ?? .null])
    }

    /// A session and its user, for a refresh.
    func account(ofSession session: UUID) -> SQLStatement {
        SQLStatement(queries.accountOfSession, [.uuid(session)])
    }

    /// A user's live sessions, newest first.
    func sessions(of user: UUID, now: Date, idleSince: Date?) -> SQLStatement {
        SQLStatement(
            """
            SELECT \(SessionRow.columns) FROM \(sessions) AS s WHERE s.user_id = $1 \
            AND (s.not_after IS NULL OR s.not_after > $2)\(idleSince == nil ? "" : " AND s.refreshed_at > $3") \
            ORDER BY s.created_at DESC, s.id
            """, [.uuid(user), .timestamp(now)] + (idleSince.map { [.timestamp($0)] } ?? []))
    }
}

// MARK: Sessions

extension AuthorityStore {
    func insert(_ session: Session, token: RefreshToken) throws -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(sessions) (id, user_id, created_at, updated_at, refreshed_at, last_seen_at, not_after, aal, \
            amr, device_name, platform, app_version, user_agent, ip, refresh_token_hash, refresh_token_counter) \
            VALUES ($1, $2, $3, $3, $3, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """,
            [
                .uuid(session.id), .uuid(session.userID), .timestamp(session.createdAt),
                .optional(session.notAfter), .text(session.assurance), try .document(session.methods),
                .optional(session.device.name), .optional(session.device.platform),
                .optional(session.device.appVersion), .optional(session.device.userAgent),
                .optional(session.device.address), .bytes(token.hash), .integer(token.counter),
            ])
    }

    /// Notes a sign of life, where the last one noted is older than `since`.
    func seen(_ session: UUID, now: Date, since: Date) -> SQLStatement {
        SQLStatement(
            "UPDATE \(sessions) SET last_seen_at = $2 WHERE id = $1 AND last_seen_at < $3",
            [.uuid(session), .timestamp(now), .timestamp(since)])
    }
}
