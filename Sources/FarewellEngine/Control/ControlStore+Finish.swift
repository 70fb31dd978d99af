// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

extension ControlStore {
    /// Ends an erasure: its receipt is kept, what was sealed about the person and the key to it are destroyed.
    func finish(_ id: UUID, receipt: String, at now: Date) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(erasures) SET state = 'done', finished_at = $3, receipt = $2, owner = NULL, lease_until = NULL, \
            sealed = NULL, wrapped_key = NULL WHERE id = $1 AND state = 'verifying'
            """, [identifier(id), .text(receipt), .timestamp(now)])
    }

    func enter(_ entry: LedgerEntry) throws -> SQLStatement {
        SQLStatement(
            "INSERT INTO \(ledger) (subject_hash, receipt, entry) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            [
                .text(entry.subject.rawValue), identifier(entry.receipt),
                .text(String(decoding: try CanonicalJSON.data(entry), as: UTF8.self)),
            ])
    }

    /// All ledger entries this database knows.
    var ledgerEntries: SQLStatement { SQLStatement("SELECT entry FROM \(ledger)") }

    /// Puts a parked erasure that a person released onto the plan of today.
    func adopt(_ record: ErasureRecord) -> SQLStatement {
        SQLStatement(
            "UPDATE \(erasures) SET plan_fingerprint = $2, schema_fingerprint = $3, sealed = $4 WHERE id = $1",
            [
                identifier(record.id), .text(record.planFingerprint), .text(record.schemaFingerprint),
                record.sealed.map(SQLValue.bytes) ?? .null,
            ])
    }
}
