// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Which rows are retained after an erasure, sealed, and when their time ends.
struct RetentionStore: StoreTables {
    let dialect: SQLDialect
    let lease: Int

    /// Stores the identity of retained rows, from the end of an erasure on.
    func keep(_ kept: [SealedRetention]) -> [SQLStatement] {
        inserts(
            kept.map {
                [
                    identifier($0.erasure), .integer(Int64($0.piece)), .text($0.place), .integer(Int64($0.count)),
                    .text("\($0.until)"), .bytes($0.wrappedKey), .bytes($0.sealed),
                ]
            },
            into: "\(retentionTable) (erasure, piece, place, kept, until, wrapped_key, sealed)",
            types: ["uuid", "integer", "text", "integer", "text", "bytea", "bytea"])
    }

    /// The due pieces that are not resting after a failure, the last ones of an erasure first: later rows often refer
    /// to earlier ones.
    func ripe(on today: CalendarDay, limit: Int) -> StoreQuery<[DueRetention]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT erasure, piece, place FROM \(retentionTable) WHERE ended_at IS NULL AND until < $1 \
                AND (next_at IS NULL OR next_at <= \(fromNow("0"))) ORDER BY until, erasure, piece DESC LIMIT $2
                """, [.text("\(today)"), .integer(Int64(limit))]), DueRetention.all)
    }

    /// All due pieces of an erasure, even if they rest.
    func ripe(of erasure: UUID, on today: CalendarDay) -> StoreQuery<[DueRetention]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT erasure, piece, place FROM \(retentionTable) WHERE erasure = $1 AND ended_at IS NULL \
                AND until < $2 ORDER BY piece DESC
                """, [identifier(erasure), .text("\(today)")]), DueRetention.all)
    }

    /// The retentions that could not be ended, the longest over first.
    func failing(limit: Int) -> StoreQuery<[RetentionFailure]> {
        StoreQuery(
            SQLStatement("\(selection) ORDER BY until, erasure, piece LIMIT $1", [.integer(Int64(limit))]),
            Self.troubles)
    }

    /// The retentions of these erasures that could not be ended.
    func failing(of erasures: [UUID]) -> StoreQuery<[RetentionFailure]> {
        StoreQuery(
            SQLStatement("\(selection) AND erasure \(isAmong("$1")) ORDER BY piece", [identifiers(erasures)]),
            Self.troubles)
    }

    /// How many could not be ended.
    var countFailing: StoreQuery<Int> {
        StoreQuery(
            SQLStatement(
                "SELECT count(*) FROM \(retentionTable) WHERE ended_at IS NULL AND trouble IS NOT NULL")
        ) { Int($0.scalar?.integer ?? 0) }
    }

    /// - Parameter result: `(erasure, place, trouble)`.
    @Sendable private static func troubles(_ result: SQLResult) -> [RetentionFailure] {
        result.rows.compactMap { row in
            guard let erasure = row[0].identifier, let place = row[1].text, let trouble = row[2].text else {
                return nil
            }
            return RetentionFailure(erasure: erasure, place: place, trouble: trouble)
        }
    }

    private var selection: String {
        "SELECT erasure, place, trouble FROM \(retentionTable) WHERE ended_at IS NULL AND trouble IS NOT NULL"
    }

    /// Claims one until the transaction ends, unless another worker has claimed or ended it.
    func take(_ erasure: UUID, piece: Int) -> StoreQuery<ClaimedRetention?> {
        let skipping = dialect.skippingLocked(of: "k")
        return StoreQuery(
            SQLStatement(
                """
                SELECT k.erasure, k.wrapped_key, k.sealed, e.subject_hash FROM \(retentionTable) AS k \
                JOIN \(erasures) AS e ON e.id = k.erasure WHERE k.erasure = $1 AND k.piece = $2 AND k.ended_at IS NULL\
                \(skipping)
                """, [identifier(erasure), .integer(Int64(piece))]), ClaimedRetention.first)
    }

    /// Ends one: destroys the sealed data and its key.
    func end(_ erasure: UUID, piece: Int, changed: Int, at now: Date) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(retentionTable) SET ended_at = $3, ended = $4, sealed = NULL, wrapped_key = NULL, next_at = NULL, \
            trouble = NULL WHERE erasure = $1 AND piece = $2 AND ended_at IS NULL
            """, [identifier(erasure), .integer(Int64(piece)), .timestamp(now), .integer(Int64(changed))])
    }

    /// Pauses a retention that could not be ended, with the reason.
    func postpone(
        _ erasure: UUID, piece: Int, trouble: String, isTemporary: Bool, seconds: Int
    ) -> SQLStatement {
        let noted = isTemporary ? "CASE WHEN next_at IS NOT NULL THEN $4 END" : "$4"
        return SQLStatement(
            """
            UPDATE \(retentionTable) SET next_at = \(fromNow("$3")), trouble = \(noted) \
            WHERE erasure = $1 AND piece = $2 AND ended_at IS NULL
            """, [identifier(erasure), .integer(Int64(piece)), .integer(Int64(seconds)), .text(trouble)])
    }
}
