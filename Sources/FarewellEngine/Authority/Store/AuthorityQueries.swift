// SPDX-License-Identifier: Apache-2.0
import FarewellSQL

/// What is asked at every request and every refresh, put into words once.
struct AuthorityQueries: Sendable {
    /// $1 a person, $2 one of their sessions.
    let account: String
    /// $1 a session.
    let accountOfSession: String
    /// $1 the session, $2 the active token, $3 now, $4 to $6 its successor and the nonce, $7 to $11 the device.
    let renewal: String
    /// The same, and $12 since when the session may have been idle.
    let renewalUnlessIdle: String

    init(_ dialect: SQLDialect) {
        let columns = AccountRow.columns(dialect)
        let (users, sessions) = (dialect.authorityTable("users"), dialect.authorityTable("sessions"))
        let identities = "\(dialect.authorityTable("identities")) AS i ON i.user_id = u.id"
        let inOrder = "ORDER BY i.created_at, i.id"
        account = """
            SELECT \(columns) FROM \(users) AS u LEFT JOIN \(sessions) AS s ON s.id = $2 AND s.user_id = u.id \
            LEFT JOIN \(identities) WHERE u.id = $1 \(inOrder)
            """
        accountOfSession = """
            SELECT \(columns) FROM \(sessions) AS s JOIN \(users) AS u ON u.id = s.user_id \
            LEFT JOIN \(identities) WHERE s.id = $1 \(inOrder)
            """
        let change = { (condition: String) in
            """
            UPDATE \(sessions) AS s SET refresh_token_hash = $4, refresh_token_counter = $5, \
            refresh_nonce_hash = $6, refreshed_at = $3, last_seen_at = $3, updated_at = $3, \
            device_name = coalesce($7, s.device_name), platform = coalesce($8, s.platform), \
            app_version = coalesce($9, s.app_version), user_agent = coalesce($10, s.user_agent), \
            ip = coalesce($11, s.ip) WHERE s.id = $1 AND s.refresh_token_hash = $2 \
            AND (s.not_after IS NULL OR s.not_after > $3)\(condition) AND EXISTS \
            (SELECT 1 FROM \(users) AS u WHERE u.id = s.user_id AND \(AuthorityStore.isWelcome("u", now: 3)))
            """
        }
        // PostgreSQL tells in the same statement how things stand after it; SQLite is asked, which costs no round trip.
        let whole = { (change: String) in
            guard dialect == .postgresql else { return change }
            return """
                WITH s AS (\(change) RETURNING s.*) SELECT \(columns) FROM s \
                JOIN \(users) AS u ON u.id = s.user_id LEFT JOIN \(identities) \(inOrder)
                """
        }
        renewal = whole(change(""))
        renewalUnlessIdle = whole(change(" AND s.refreshed_at > $12"))
    }
}
