// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

extension ControlStore {
    /// Live erasures that nobody holds any longer, oldest first: handed back, or their lease has run out.
    package func abandoned(limit: Int) -> SQLStatement {
        SQLStatement(
            """
            SELECT \(ErasureRecord.columns) FROM \(erasures) WHERE state NOT IN ('done', 'cancelled') \
            AND state IN ('fenced', 'running', 'verifying') \
            AND (lease_until IS NULL OR lease_until < \(fromNow("0"))) ORDER BY requested_at, id LIMIT $1
            """, [.integer(Int64(limit))])
    }

    /// Takes an erasure over: the next lease number, a new owner, one more attempt. Nothing is changed when
    /// somebody else was quicker or the owner is still alive; then no row is returned.
    ///
    /// - Parameter isForced: Whether the former owner is known to be dead, so that its lease need not run out.
    package func take(_ record: ErasureRecord, owner: String, isForced: Bool) -> SQLStatement {
        let free = isForced ? "" : " AND (lease_until IS NULL OR lease_until < \(fromNow("0")))"
        return SQLStatement(
            """
            UPDATE \(erasures) SET epoch = epoch + 1, owner = $3, lease_until = \(fromNow("$4")), \
            attempts = attempts + 1 WHERE id = $1 AND epoch = $2 \
            AND state IN ('fenced', 'running', 'verifying')\(free) AND \(isNotHeld) RETURNING \(ErasureRecord.columns)
            """,
            [identifier(record.id), .integer(record.epoch), .text(owner), .integer(Int64(lease))])
    }

    /// Brings a parked erasure back to work, once a person has mended what stopped it.
    package func release(_ id: UUID) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(erasures) SET state = 'running', cause = NULL, attempts = 0 \
            WHERE id = $1 AND state = 'needs attention' RETURNING \(ErasureRecord.columns)
            """, [identifier(id)])
    }

    package func live() -> SQLStatement {
        SQLStatement(
            """
            SELECT \(ErasureRecord.columns) FROM \(erasures) WHERE state NOT IN ('done', 'cancelled') \
            ORDER BY requested_at, id
            """)
    }

    package func newest(limit: Int) -> SQLStatement {
        SQLStatement(
            "SELECT \(ErasureRecord.columns) FROM \(erasures) ORDER BY requested_at DESC, id LIMIT $1",
            [.integer(Int64(limit))])
    }

    package func find(_ id: UUID) -> SQLStatement {
        SQLStatement("SELECT \(ErasureRecord.columns) FROM \(erasures) WHERE id = $1", [identifier(id)])
    }

    /// Erasures of one subject, newest first: by the index of those that live and by that of those that ended.
    package func find(subjectHash: String) -> SQLStatement {
        let own = "SELECT \(ErasureRecord.columns) FROM \(erasures) WHERE subject_hash = $1"
        return SQLStatement(
            """
            \(own) AND state NOT IN ('done', 'cancelled') UNION ALL \(own) AND state IN ('done', 'cancelled') \
            ORDER BY requested_at DESC
            """, [.text(subjectHash)])
    }
}
