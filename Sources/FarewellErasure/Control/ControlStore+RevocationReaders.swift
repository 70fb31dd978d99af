// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The progress of the receivers of ended sessions in the feed of revocations. One server at a time serves a reader,
/// under the number of its claim: an older number can change nothing any more.
extension ControlStore {
    private var readers: String { migrations.table("revocation_readers") }

    /// Enters a reader that is new, at this cursor.
    func enter(reader: String, at cursor: Int64) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(readers) (name, feed_cursor, next_at) VALUES ($1, $2, \(fromNow("0"))) \
            ON CONFLICT (name) DO NOTHING
            """, [.text(reader), .integer(cursor)])
    }

    /// A reader's position, and whether it is due now.
    func position(ofReader reader: String) -> StoreQuery<ReaderPosition?> {
        StoreQuery(
            SQLStatement(
                """
                SELECT feed_cursor, CASE WHEN next_at <= \(fromNow("0")) THEN 1 ELSE 0 END \
                FROM \(readers) WHERE name = $1
                """, [.text(reader)]), ReaderPosition.first)
    }

    /// Claims a due reader for `seconds`.
    func claim(reader: String, seconds: Double) -> StoreQuery<ReaderClaim?> {
        StoreQuery(
            SQLStatement(
                """
                UPDATE \(readers) SET epoch = epoch + 1, next_at = \(fromNow("$2")) \
                WHERE name = $1 AND next_at <= \(fromNow("0")) RETURNING feed_cursor, epoch, attempts
                """, [.text(reader), .double(seconds)]), ReaderClaim.first)
    }

    /// Stores a reader's progress, and that no other server claims it for `seconds`. Affects no row if another server
    /// has claimed it since.
    func advance(reader: String, epoch: Int64, to cursor: Int64, attempts: Int, seconds: Double) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(readers) SET feed_cursor = $3, attempts = $4, next_at = \(fromNow("$5")) \
            WHERE name = $1 AND epoch = $2
            """,
            [.text(reader), .integer(epoch), .integer(cursor), .integer(Int64(attempts)), .double(seconds)])
    }

    /// Makes a reader at this cursor begin with everything that is in the feed.
    func rewind(reader: String, from cursor: Int64) -> SQLStatement {
        SQLStatement(
            "UPDATE \(readers) SET feed_cursor = 0 WHERE name = $1 AND feed_cursor = $2",
            [.text(reader), .integer(cursor)])
    }

    /// Whether a subject has an erasure, requested from a service, that has begun: its own events report the ended
    /// sessions. An erasure that still waits, or was parked before it began, sends no events, and may be cancelled.
    ///
    /// SQLite uses the partial indexes of open and finished erasures only if their conditions appear letter for letter.
    func isTold(subjectHash: String) -> StoreQuery<Bool> {
        let asked = """
            SELECT 1 FROM \(erasures) AS e WHERE e.subject_hash = $1 \
            AND EXISTS (SELECT 1 FROM \(requestTable) AS r WHERE r.erasure = e.id)
            """
        return StoreQuery(
            SQLStatement(
                """
                \(asked) AND e.state NOT IN ('done', 'cancelled') AND (e.state IN ('fenced', 'running', 'verifying') \
                OR EXISTS (SELECT 1 FROM \(events) AS v WHERE v.erasure = e.id AND v.kind = 'erasure.begun')) \
                UNION ALL \(asked) AND e.state = 'done' AND e.state IN ('done', 'cancelled') LIMIT 1
                """, [.text(subjectHash)])
        ) { !$0.rows.isEmpty }
    }
}
