// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// What was retained when somebody left: some rows of one place, until a day. Which rows is sealed.
struct KeptRows: Sendable, Hashable {
    var erasure: UUID
    var piece: Int
    var place: String
    var count: Int
    /// The last day on which they are kept.
    var until: CalendarDay
    var wrappedKey: [UInt8]
    var sealed: [UInt8]
}

extension ControlStore {
    var retentions: String { migrations.table("retentions") }

    /// Keeps what tells retained rows, from the end of an erasure on.
    func keep(_ kept: [KeptRows]) -> [SQLStatement] {
        inserts(
            kept.map {
                [
                    identifier($0.erasure), .integer(Int64($0.piece)), .text($0.place), .integer(Int64($0.count)),
                    .text("\($0.until)"), .bytes($0.wrappedKey), .bytes($0.sealed),
                ]
            },
            into: "\(retentions) (erasure, piece, place, kept, until, wrapped_key, sealed)",
            types: ["uuid", "integer", "text", "integer", "text", "bytea", "bytea"])
    }

    /// What is no longer to be kept, and is not resting after a failure: `(erasure, piece, place)`.
    func ripe(on today: CalendarDay, limit: Int) -> SQLStatement {
        SQLStatement(
            """
            SELECT erasure, piece, place FROM \(retentions) WHERE ended_at IS NULL AND until < $1 \
            AND (next_at IS NULL OR next_at <= \(fromNow("0"))) ORDER BY until, erasure, piece LIMIT $2
            """, [.text("\(today)"), .integer(Int64(limit))])
    }

    /// Takes one until the transaction ends: `(erasure, wrapped_key, sealed, subject_hash)`. No row where somebody else
    /// has it or had it.
    func take(_ erasure: UUID, piece: Int) -> SQLStatement {
        let skipping = dialect == .postgresql ? " FOR UPDATE OF k SKIP LOCKED" : ""
        return SQLStatement(
            """
            SELECT k.erasure, k.wrapped_key, k.sealed, e.subject_hash FROM \(retentions) AS k \
            JOIN \(erasures) AS e ON e.id = k.erasure WHERE k.erasure = $1 AND k.piece = $2 AND k.ended_at IS NULL\
            \(skipping)
            """, [identifier(erasure), .integer(Int64(piece))])
    }

    /// Ends one: what was sealed is destroyed, and the key to it.
    func end(_ erasure: UUID, piece: Int, changed: Int, at now: Date) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(retentions) SET ended_at = $3, ended = $4, sealed = NULL, wrapped_key = NULL, next_at = NULL, \
            trouble = NULL WHERE erasure = $1 AND piece = $2 AND ended_at IS NULL
            """, [identifier(erasure), .integer(Int64(piece)), .timestamp(now), .integer(Int64(changed))])
    }

    /// Lets one rest that could not be ended, with the reason.
    func postpone(_ erasure: UUID, piece: Int, trouble: String, seconds: Int) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(retentions) SET next_at = \(fromNow("$3")), trouble = $4 \
            WHERE erasure = $1 AND piece = $2 AND ended_at IS NULL
            """, [identifier(erasure), .integer(Int64(piece)), .integer(Int64(seconds)), .text(trouble)])
    }
}
