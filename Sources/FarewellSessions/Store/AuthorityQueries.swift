// SPDX-License-Identifier: Apache-2.0
import FarewellKeys
import FarewellSQL

/// The queries of every request and every refresh, prepared once.
struct AuthorityQueries: Sendable {
    /// $1 a user, $2 one of their sessions.
    let account: String
    /// PostgreSQL: the same for lists of users and sessions; the answer first names the entry of each row.
    let accounts: String
    /// $1 a session.
    let accountOfSession: String
    /// The values of `SessionRenewal`: of one session, or on PostgreSQL lists of them; the answer then first names the
    /// entry of the lists.
    let renewal: String

    init(_ dialect: SQLDialect) {
        let columns = AccountRow.columns(dialect)
        let (users, sessions) = (dialect.authorityTable("users"), dialect.authorityTable("sessions"))
        let identities = "\(dialect.authorityTable("identities")) AS i ON i.user_id = u.id"
        let inOrder = "ORDER BY i.created_at, i.id"
        account = """
            SELECT \(columns) FROM \(users) AS u LEFT JOIN \(sessions) AS s ON s.id = $2 AND s.user_id = u.id \
            LEFT JOIN \(identities) WHERE u.id = $1 \(inOrder)
            """
        accounts = """
            SELECT r.place, \(columns) \
            FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS r (person, session, place) \
            JOIN \(users) AS u ON u.id = r.person LEFT JOIN LATERAL \
            (SELECT * FROM \(sessions) AS own WHERE own.id = r.session OFFSET 0) AS s ON s.user_id = u.id \
            LEFT JOIN \(identities) ORDER BY r.place, i.created_at, i.id
            """
        accountOfSession = """
            SELECT \(columns) FROM \(sessions) AS s JOIN \(users) AS u ON u.id = s.user_id \
            LEFT JOIN \(identities) WHERE s.id = $1 \(inOrder)
            """
        // PostgreSQL takes lists of values, each under its name, and returns the state afterwards in the same
        // statement. SQLite takes numbered values and needs a query, which costs no round trip.
        let value = { (name: String) -> String in
            let place = SessionRenewal.values.firstIndex { $0.name == name } ?? 0
            return dialect.hasArrays ? "r.\(name)" : "$\(place + 1)"
        }
        let device = ["device_name", "platform", "app_version", "user_agent", "ip"].map {
            "\($0) = coalesce(\(value($0)), s.\($0))"
        }
        let (now, idleSince) = (value("now"), value("idle_since"))
        // Set back by a wrong clock, a session would be cleared away early once the clock is right.
        let later = dialect.greatest
        let stamp = { (column: String) in
            "\(column) = coalesce(\(value("certain")), \(later)(coalesce(s.\(column), \(now)), \(now)))"
        }
        let change = """
            UPDATE \(sessions) AS s SET refresh_token_hash = \(value("successor")), \
            refresh_token_counter = \(value("counter")), refresh_nonce_hash = \(value("nonce")), \
            \(stamp("refreshed_at")), \(stamp("last_seen_at")), updated_at = \(now), \(device.joined(separator: ", "))
            """
        let condition = """
            WHERE s.id = \(value("session")) AND s.refresh_token_hash = \(value("token")) \
            AND (s.not_after IS NULL OR s.not_after > \(now)) \
            AND (\(idleSince) IS NULL OR s.refreshed_at > \(idleSince)) AND EXISTS (SELECT 1 FROM \(users) AS u \
            WHERE u.id = s.user_id AND \(UserStore.maySignIn("u", now: now)))
            """
        guard dialect.hasArrays else {
            renewal = "\(change) \(condition)"
            return
        }
        let lists = SessionRenewal.values.enumerated().map { "$\($0 + 1)::\($1.type)[]" }.joined(separator: ", ")
        let names = SessionRenewal.values.map(\.name).joined(separator: ", ")
        renewal = """
            WITH s AS (\(change) FROM unnest(\(lists)) WITH ORDINALITY AS r (\(names), place) \(condition) \
            RETURNING s.*, r.place) SELECT s.place, \(columns) FROM s JOIN \(users) AS u ON u.id = s.user_id \
            LEFT JOIN \(identities) ORDER BY s.place, i.created_at, i.id
            """
    }
}
