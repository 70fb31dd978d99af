// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

extension ControlStore {
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
