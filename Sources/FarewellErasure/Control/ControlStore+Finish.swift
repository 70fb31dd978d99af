// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

extension ControlStore {
    /// Ends erasures that are still ours: their receipts are kept, what was sealed about the people and the keys to it
    /// are destroyed. Fails when one of them is no longer ours.
    func finish(_ ended: [(member: ErasureMember, receipt: String)], owner: String, at now: Date) -> [SQLStatement] {
        let end = """
            state = 'done', finished_at = $1, owner = NULL, lease_until = NULL, sealed = NULL, wrapped_key = NULL
            """
        guard dialect == .postgresql else {
            return [leases.guardLease(ended.map(\.member), owner: owner, state: .verifying)]
                + ended.map { member, receipt in
                    SQLStatement(
                        "UPDATE \(erasures) SET \(end), receipt = $2 WHERE id = $3",
                        [.timestamp(now), .text(receipt), identifier(member.id)])
                }
        }
        return [
            SQLStatement(
                """
                WITH ended AS (UPDATE \(erasures) AS e SET \(end), receipt = r.receipt \
                FROM unnest($2::text[], $3::uuid[], $4::bigint[]) AS r (receipt, id, epoch) \
                WHERE e.id = r.id AND e.epoch = r.epoch AND e.owner = $5 AND e.state = 'verifying' RETURNING 1) \
                SELECT CASE WHEN count(*) = $6 THEN 1 ELSE 1 / (count(*) - count(*)) END FROM ended
                """,
                [
                    .timestamp(now), .array(ended.map { .text($0.receipt) }), .array(ended.map { .uuid($0.member.id) }),
                    .array(ended.map { .integer($0.member.record.epoch) }), .text(owner), .integer(Int64(ended.count)),
                ])
        ]
    }

    func enter(_ entries: [LedgerEntry]) throws -> [SQLStatement] {
        let rows = try entries.map { entry -> [SQLValue] in
            let text = try CanonicalJSON.text(entry)
            return [.text(entry.subject.rawValue), identifier(entry.receipt), .text(text)]
        }
        return inserts(
            rows, into: "\(ledger) (subject_hash, receipt, entry)", types: ["text", "uuid", "text"],
            "ON CONFLICT DO NOTHING")
    }

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
