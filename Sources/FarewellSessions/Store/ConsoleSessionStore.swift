// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// The sessions at the console.
struct ConsoleSessionStore: AuthorityStoreTables {
    let dialect: SQLDialect

    func insert(_ session: ConsoleSession, tokenHash: [UInt8], _ entry: ConsoleEntry) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(consoleSessions) (id, token_hash, who, role, origin, person_session, began_at, ends_at) \
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .uuid(session.id), .bytes(tokenHash), .text(session.name), .text(session.role), .bytes(entry.origin),
                entry.session.map(SQLValue.uuid) ?? .null, .timestamp(session.beganAt), .timestamp(session.endsAt),
            ])
    }

    /// The living session of a cookie.
    ///
    /// - Parameter idleSince: A user's session without a refresh since then has expired; `nil` sets no limit.
    func find(tokenHash: [UInt8], now: Date, idleSince: Date?) -> StoreQuery<[FoundConsoleSession]> {
        living("c.token_hash = $2", [.bytes(tokenHash)], now: now, idleSince: idleSince)
    }

    /// All living sessions, oldest first.
    ///
    /// - Parameter idleSince: A user's session without a refresh since then has expired; `nil` sets no limit.
    func all(now: Date, idleSince: Date?) -> StoreQuery<[FoundConsoleSession]> {
        living("true", [], now: now, idleSince: idleSince)
    }

    /// A session that a user's token opened lives no longer than the user's own session may be used.
    private func living(
        _ condition: String, _ values: [SQLValue], now: Date, idleSince: Date?
    ) -> StoreQuery<[FoundConsoleSession]> {
        let isRecent = idleSince == nil ? "" : " AND s.refreshed_at > $\(values.count + 2)"
        let statement = SQLStatement(
            """
            SELECT c.id, c.who, c.role, c.origin, c.began_at, c.ends_at, \
            CASE WHEN c.person_session IS NULL THEN NULL ELSE coalesce(u.role, '') END \
            FROM \(consoleSessions) AS c LEFT JOIN \(sessions) AS s ON s.id = c.person_session \
            LEFT JOIN \(users) AS u ON u.id = s.user_id \
            WHERE c.ends_at > $1 AND \(condition) AND (c.person_session IS NULL OR (u.id IS NOT NULL \
            AND \(UserStore.maySignIn("u", now: "$1")) AND (s.not_after IS NULL OR s.not_after > $1)\(isRecent))) \
            ORDER BY c.began_at, c.id
            """, [.timestamp(now)] + values + (idleSince.map { [.timestamp($0)] } ?? []))
        return StoreQuery(statement) { try $0.rows.map(FoundConsoleSession.init) }
    }

    func end(_ id: UUID) -> SQLStatement {
        SQLStatement("DELETE FROM \(consoleSessions) WHERE id = $1", [.uuid(id)])
    }

    /// Ends the console sessions that a user opened with tokens of their own sessions.
    func end(of user: UUID) -> SQLStatement {
        SQLStatement(
            """
            DELETE FROM \(consoleSessions) \
            WHERE person_session IN (SELECT s.id FROM \(sessions) AS s WHERE s.user_id = $1)
            """, [.uuid(user)])
    }

    var endAll: SQLStatement { SQLStatement("DELETE FROM \(consoleSessions) WHERE true") }

    func prune(now: Date) -> SQLStatement {
        few(of: consoleSessions, key: "id", where: "ends_at <= $1", [.timestamp(now)])
    }
}
