// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// The revocations: why sessions ended, and the feed of all of them.
struct RevocationStore: AuthorityStoreTables {
    let dialect: SQLDialect

    /// The channel on which PostgreSQL announces new revocations.
    static let channel = "farewell_revocations"

    /// Says that every token of a user, whenever issued, is no longer valid. Of a deletion it is said once, also where
    /// a soft one comes before.
    func revokeAll(of user: UUID, reason: SessionEnding, now: Date) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(revocations) (session_id, subject, reason, revoked_at) SELECT NULL, $1, $2, $3 \
            WHERE NOT EXISTS (SELECT 1 FROM \(revocations) \
            WHERE subject = $1 AND session_id IS NULL AND reason = $2 AND reason = '\(SessionEnding.deleted.rawValue)')
            """,
            [.uuid(user), .text(reason.rawValue), .timestamp(now)])
    }

    /// Why a session was ended, while that is still known.
    func ending(of session: UUID) -> StoreQuery<SessionEnding?> {
        StoreQuery(
            SQLStatement(
                "SELECT reason FROM \(revocations) WHERE session_id = $1 ORDER BY id DESC LIMIT 1", [.uuid(session)])
        ) { $0.scalar?.text.flatMap(SessionEnding.init(rawValue:)) }
    }

    /// Whether an entry reports the end of a session by its user's deletion: its own entry, or the user's if it has
    /// none.
    func isEnded(_ session: UUID?, byDeletionOf user: UUID) -> StoreQuery<Bool> {
        let own = session == nil ? "" : "session_id = $3 OR "
        let hasNone =
            session == nil ? "" : " AND NOT EXISTS (SELECT 1 FROM \(revocations) AS e WHERE e.session_id = $3)"
        let count = SQLStatement(
            """
            SELECT count(*) FROM \(revocations) WHERE reason = $1 \
            AND (\(own)(session_id IS NULL AND subject = $2\(hasNone)))
            """,
            [.text(SessionEnding.deleted.rawValue), .uuid(user)] + (session.map { [.uuid($0)] } ?? []))
        return finds(count)
    }

    /// The end of the ban of the user of an ended session, if that is why it ended.
    func ban(ofEnded session: UUID) -> StoreQuery<Date?> {
        let statement = SQLStatement(
            """
            SELECT u.banned_until FROM \(revocations) AS r JOIN \(users) AS u ON u.id = r.subject \
            WHERE r.session_id = $1 AND r.reason = $2 ORDER BY r.id DESC LIMIT 1
            """, [.uuid(session), .text(SessionEnding.banned.rawValue)])
        return StoreQuery(statement) { result in
            guard let row = result.rows.first else { return nil }
            var reader = RowReader(row)
            return try reader.date()
        }
    }

    /// Banned users keep the reason why their sessions ended, because their devices show it.
    func prune(before: Date, now: Date) -> SQLStatement {
        let isBanned = "SELECT 1 FROM \(users) AS u WHERE u.id = subject AND u.banned_until > $2"
        let isKept = "reason = $3 AND session_id IS NOT NULL AND EXISTS (\(isBanned))"
        return few(
            of: revocations, key: "id", where: "revoked_at < $1 AND NOT (\(isKept))",
            [.timestamp(before), .timestamp(now), .text(SessionEnding.banned.rawValue)])
    }

    /// Whether there are unread entries.
    var hasUnread: StoreQuery<Bool> {
        finds(
            SQLStatement(
                "SELECT count(*) FROM (SELECT 1 FROM \(revocations) WHERE feed_cursor IS NULL LIMIT 1) AS unread"))
    }

    /// Assigns cursors to the entries that have none. Two transactions may commit in another order than the one in
    /// which they began. So one reader at a time assigns cursors to committed entries: a follower that has read up to a
    /// cursor has read everything before it.
    var assignCursors: [SQLStatement] {
        if dialect.hasSequences {
            return [
                SQLStatement("SELECT pg_advisory_xact_lock(7310869281904018)"),
                SQLStatement(
                    """
                    UPDATE \(revocations) SET feed_cursor = nextval('auth.revocations_cursor') \
                    WHERE feed_cursor IS NULL
                    """),
            ]
        }
        return [SQLStatement("UPDATE \(revocations) SET feed_cursor = id WHERE feed_cursor IS NULL")]
    }

    /// The entries after a cursor, oldest first.
    func entries(after cursor: Int64, limit: Int, issuer: String) -> StoreQuery<[Revocation]> {
        let statement = SQLStatement(
            """
            SELECT feed_cursor, session_id, subject, revoked_at, reason FROM \(revocations) WHERE feed_cursor > $1 \
            ORDER BY feed_cursor LIMIT $2
            """, [.integer(cursor), .integer(Int64(limit))])
        return StoreQuery(statement) { try $0.rows.map { try Self.entry($0, issuer: issuer) } }
    }

    private static func entry(_ row: [SQLValue], issuer: String) throws -> Revocation {
        var reader = RowReader(row)
        let cursor = try reader.requiredInteger()
        let (session, subject) = (try reader.identifier(), try reader.requiredIdentifier())
        let revokedAt = try reader.requiredDate()
        guard let reason = SessionEnding(rawValue: try reader.requiredText()) else { throw RowReader.unreadable }
        return Revocation(
            cursor: cursor, sessionID: session, subject: subject, issuer: issuer, revokedAt: revokedAt, reason: reason)
    }

    /// The newest cursor there is; 0 if there is none.
    var newestCursor: StoreQuery<Int64> {
        cursor(SQLStatement("SELECT coalesce(max(feed_cursor), 0) FROM \(revocations)"))
    }

    /// The highest cursor that was ever assigned, also to an entry that has been deleted since; on SQLite it may be
    /// one that is yet to be assigned.
    var lastCursor: StoreQuery<Int64> {
        if dialect.hasSequences {
            return cursor(
                SQLStatement("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM auth.revocations_cursor"))
        }
        return cursor(
            SQLStatement("SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = $1), 0)", [.text(revocations)]))
    }

    private func cursor(_ statement: SQLStatement) -> StoreQuery<Int64> {
        StoreQuery(statement) { $0.scalar?.integer ?? 0 }
    }

    /// Notifies other servers, outside the transaction that revoked: a notification makes transactions commit one
    /// after the other, and an entry is found without it.
    var announce: SQLStatement? {
        dialect.hasNotifications ? SQLStatement("SELECT pg_notify('\(Self.channel)', '')") : nil
    }

    /// Statements in a transaction of their own, with the announcement after it where there is one.
    func announced(_ statements: [SQLStatement]) -> [SQLStatement] {
        guard let announce else { return statements }
        return [SQLStatement(dialect.beginWriting)] + statements + [SQLStatement("COMMIT"), announce]
    }

    /// The rows that the last of the announced statements affected.
    func affected(inAnnounced results: [SQLResult]) -> Int {
        (announce == nil ? results.last : results.dropLast(2).last)?.affected ?? 0
    }
}
