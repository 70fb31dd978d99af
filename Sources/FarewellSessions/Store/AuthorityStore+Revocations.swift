// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// The sessions that an act ends.
enum SessionSelection: Sendable, Hashable {
    case one(UUID)
    /// One session, if it belongs to this user.
    case own(UUID, of: UUID)
    case all(of: UUID)
    case others(than: UUID, of: UUID)
}

extension AuthorityStore {
    /// The channel on which PostgreSQL announces new revocations.
    static let channel = "farewell_revocations"

    /// Deletes sessions and records each as revoked, all in one transaction. The number affected by the last
    /// statement is the number of sessions ended. `first` is the one session that ended for another reason than the
    /// others, and that reason.
    func end(
        _ selection: SessionSelection, reason: SessionEnding, now: Date, except first: (UUID, SessionEnding)? = nil
    ) -> [SQLStatement] {
        let (condition, chosen) = condition(selection)
        let count = chosen.count
        var why = "$\(count + 1)"
        var values: [SQLValue] = [.text(reason.rawValue), .timestamp(now)]
        if let first {
            why = "CASE WHEN id = $\(count + 3) THEN $\(count + 4) ELSE $\(count + 1) END"
            values += [.uuid(first.0), .text(first.1.rawValue)]
        }
        let insert = "INSERT INTO \(revocations) (session_id, subject, reason, revoked_at)"
        let entry = "SELECT id, user_id, \(why), $\(count + 2)"
        if dialect.changesInQueries {
            let gone = "WITH gone AS (DELETE FROM \(sessions) WHERE \(condition) RETURNING id, user_id)"
            return [SQLStatement("\(gone) \(insert) \(entry) FROM gone", chosen + values)]
        }
        // No other write comes in between: SQLite has one writer.
        return [
            SQLStatement("\(insert) \(entry) FROM \(sessions) WHERE \(condition)", chosen + values),
            SQLStatement("DELETE FROM \(sessions) WHERE \(condition)", chosen),
        ]
    }

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

    private func condition(_ selection: SessionSelection) -> (String, [SQLValue]) {
        switch selection {
        case .one(let id): ("id = $1", [.uuid(id)])
        case .own(let id, let user): ("id = $1 AND user_id = $2", [.uuid(id), .uuid(user)])
        case .all(let user): ("user_id = $1", [.uuid(user)])
        case .others(let id, let user): ("user_id = $1 AND id <> $2", [.uuid(user), .uuid(id)])
        }
    }

    /// Why a session was ended, while that is still known.
    func ending(of session: UUID) -> SQLStatement {
        SQLStatement(
            "SELECT reason FROM \(revocations) WHERE session_id = $1 ORDER BY id DESC LIMIT 1", [.uuid(session)])
    }

    /// The number of entries that report the end of a session by its user's deletion: its own entry, or the user's if
    /// it has none.
    func deletions(endingSession session: UUID?, of user: UUID) -> SQLStatement {
        let own = session == nil ? "" : "session_id = $3 OR "
        let hasNone =
            session == nil ? "" : " AND NOT EXISTS (SELECT 1 FROM \(revocations) AS e WHERE e.session_id = $3)"
        return SQLStatement(
            """
            SELECT count(*) FROM \(revocations) WHERE reason = $1 \
            AND (\(own)(session_id IS NULL AND subject = $2\(hasNone)))
            """,
            [.text(SessionEnding.deleted.rawValue), .uuid(user)] + (session.map { [.uuid($0)] } ?? []))
    }
}

extension AuthorityStore {
    /// The end of the ban of the user of an ended session, if that is why it ended.
    func ban(ofEnded session: UUID) -> SQLStatement {
        SQLStatement(
            """
            SELECT u.banned_until FROM \(revocations) AS r JOIN \(users) AS u ON u.id = r.subject \
            WHERE r.session_id = $1 AND r.reason = $2 ORDER BY r.id DESC LIMIT 1
            """, [.uuid(session), .text(SessionEnding.banned.rawValue)])
    }
}

// MARK: The feed

extension AuthorityStore {
    /// Whether there are unread entries.
    var hasUnread: SQLStatement {
        SQLStatement("SELECT count(*) FROM (SELECT 1 FROM \(revocations) WHERE feed_cursor IS NULL LIMIT 1) AS unread")
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

    func revocations(after cursor: Int64, limit: Int) -> SQLStatement {
        SQLStatement(
            """
            SELECT feed_cursor, session_id, subject, revoked_at, reason FROM \(revocations) WHERE feed_cursor > $1 \
            ORDER BY feed_cursor LIMIT $2
            """, [.integer(cursor), .integer(Int64(limit))])
    }

    var newestCursor: SQLStatement { SQLStatement("SELECT coalesce(max(feed_cursor), 0) FROM \(revocations)") }

    /// The highest cursor that was ever assigned, also to an entry that has been deleted since; on SQLite it may be
    /// one that is yet to be assigned.
    var lastCursor: SQLStatement {
        if dialect.hasSequences {
            return SQLStatement("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM auth.revocations_cursor")
        }
        return SQLStatement(
            "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = $1), 0)", [.text(revocations)])
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
