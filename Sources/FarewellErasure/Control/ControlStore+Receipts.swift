// SPDX-License-Identifier: Apache-2.0

import FarewellKeys
import FarewellSQL
import Foundation

/// Receipts that commands issued. A receipt of an erasure that a server accepted stays in the database, where its
/// ticket finds it.
extension ControlStore {
    /// The audit log's entry with this number: `(sequence, hash)`.
    func auditHead(at sequence: Int) -> SQLStatement {
        SQLStatement("SELECT sequence, hash FROM \(audit) WHERE sequence = $1", [.integer(Int64(sequence))])
    }

    /// The newest entry of the audit log: `(sequence, hash)`.
    var newestAuditHead: SQLStatement {
        SQLStatement("SELECT sequence, hash FROM \(audit) ORDER BY sequence DESC LIMIT 1")
    }

    /// Erasures that ended after an entry of the audit log, by any requester: `(id)`. The entry and the receipt
    /// are committed together, so every readable entry has its receipt.
    func ended(after head: AuditHead) -> SQLStatement {
        let run = dialect.member("run", of: dialect.typed("entry", "json"))
        return SQLStatement(
            """
            SELECT \(run) FROM \(audit) WHERE sequence > $1 AND entry LIKE '{"act":"erasure.done",%'
            """, [.integer(Int64(head.sequence))])
    }

    /// All erasures with a receipt that no server accepted: `(id)`.
    var issued: SQLStatement { SQLStatement("SELECT id FROM \(erasures) WHERE \(isIssuedByCommand)") }

    /// The receipt of an erasure that no server accepted: `(id, receipt, finished_at)`.
    func issued(_ erasure: UUID) -> SQLStatement {
        SQLStatement(
            "SELECT id, receipt, finished_at FROM \(erasures) WHERE id = $1 AND \(isIssuedByCommand)",
            [identifier(erasure)])
    }

    /// The newest receipts, also those of a server, newest first: `(id, receipt, finished_at)`.
    func newestIssued(limit: Int) -> SQLStatement {
        SQLStatement(
            """
            SELECT id, receipt, finished_at FROM \(erasures) WHERE receipt IS NOT NULL \
            ORDER BY finished_at DESC, requested_at DESC LIMIT $1
            """, [.integer(Int64(limit))])
    }

    private var isIssuedByCommand: String {
        "receipt IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(requestTable) AS r WHERE r.erasure = \(erasures).id)"
    }
}
