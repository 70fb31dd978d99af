// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The changes of accepted erasures: begun, cancelled, held, released, ended.
extension RequestStore {
    /// Begins a claimed erasure: stores the newly resolved subject, under the present plan and schema.
    func begin(_ opened: [OpenedErasure]) -> [SQLStatement] {
        guard dialect.hasArrays else { return opened.map { adopt($0.record) } }
        return [
            SQLStatement(
                """
                UPDATE \(erasures) AS e SET sealed = r.sealed, plan_fingerprint = $3, schema_fingerprint = $4 \
                FROM unnest($1::uuid[], $2::bytea[]) AS r (id, sealed) WHERE e.id = r.id
                """,
                [
                    .array(opened.map { .uuid($0.id) }),
                    .array(opened.map { $0.record.sealed.map(SQLValue.bytes) ?? .null }),
                    .text(opened.first?.record.planFingerprint ?? ""),
                    .text(opened.first?.record.schemaFingerprint ?? ""),
                ])
        ]
    }

    /// PostgreSQL: ends claimed erasures that were done in this transaction, as `finish` does for step-by-step ones.
    /// Fails if one of them is no longer ours.
    func end(_ ended: [(erasure: OpenedErasure, receipt: String)], owner: String, at now: Date) -> [SQLStatement] {
        guard let first = ended.first?.erasure.record else { return [] }
        return [
            SQLStatement(
                """
                WITH ended AS (UPDATE \(erasures) AS e SET state = 'done', finished_at = $1, owner = NULL, \
                lease_until = NULL, sealed = NULL, wrapped_key = NULL, plan_fingerprint = $7, \
                schema_fingerprint = $8, receipt = r.receipt \
                FROM unnest($2::text[], $3::uuid[], $4::bigint[]) AS r (receipt, id, epoch) \
                WHERE e.id = r.id AND e.epoch = r.epoch AND e.owner = $5 AND e.state = 'fenced' RETURNING 1) \
                SELECT CASE WHEN count(*) = $6 THEN 1 ELSE 1 / (count(*) - count(*)) END FROM ended
                """,
                [
                    .timestamp(now), .array(ended.map { .text($0.receipt) }),
                    .array(ended.map { .uuid($0.erasure.id) }),
                    .array(ended.map { .integer($0.erasure.record.epoch) }), .text(owner), .integer(Int64(ended.count)),
                    .text(first.planFingerprint), .text(first.schemaFingerprint),
                ])
        ]
    }

    /// Ends erasures that are still ours: stores their receipts, destroys the sealed subjects and their keys. Fails if
    /// one of them is no longer ours.
    func finish(_ ended: [(erasure: OpenedErasure, receipt: String)], owner: String, at now: Date) -> [SQLStatement] {
        let end = """
            state = 'done', finished_at = $1, owner = NULL, lease_until = NULL, sealed = NULL, wrapped_key = NULL
            """
        guard dialect.hasArrays else {
            return [LeaseStore(self).guardLease(ended.map(\.erasure), owner: owner, state: .verifying)]
                + ended.map { erasure, receipt in
                    SQLStatement(
                        "UPDATE \(erasures) SET \(end), receipt = $2 WHERE id = $3",
                        [.timestamp(now), .text(receipt), identifier(erasure.id)])
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
                    .timestamp(now), .array(ended.map { .text($0.receipt) }),
                    .array(ended.map { .uuid($0.erasure.id) }),
                    .array(ended.map { .integer($0.erasure.record.epoch) }), .text(owner), .integer(Int64(ended.count)),
                ])
        ]
    }

    /// Puts a parked erasure that an operator released onto the present plan.
    func adopt(_ record: ErasureRecord) -> SQLStatement {
        SQLStatement(
            "UPDATE \(erasures) SET plan_fingerprint = $2, schema_fingerprint = $3, sealed = $4 WHERE id = $1",
            [
                identifier(record.id), .text(record.planFingerprint), .text(record.schemaFingerprint),
                record.sealed.map(SQLValue.bytes) ?? .null,
            ])
    }

    /// Resumes a parked erasure, once an operator has removed its cause.
    func release(_ id: UUID) -> StoreQuery<ErasureRecord?> {
        StoreQuery(
            SQLStatement(
                """
                UPDATE \(erasures) SET state = 'running', cause = NULL, cause_code = NULL, attempts = 0 \
                WHERE id = $1 AND state = 'needs attention' RETURNING \(ErasureRecord.columns)
                """, [identifier(id)]), ErasureRecord.first)
    }

    // MARK: Taking back

    /// Cancels an erasure if no worker has begun it: the one statement that competes with `claim`.
    func cancel(_ id: UUID, subjectHash: String, at now: Date) -> StoreQuery<Bool> {
        StoreQuery(
            SQLStatement(
                """
                UPDATE \(erasures) SET state = 'cancelled', finished_at = \(later("requested_at", "$3")), \
                sealed = NULL, wrapped_key = NULL \
                WHERE id = $1 AND subject_hash = $2 AND state IN ('requested', 'grace')
                """, [identifier(id), .text(subjectHash), .timestamp(now)]), { $0.affected == 1 })
    }

    /// The later one of two instants.
    private func later(_ one: String, _ other: String) -> String {
        "\(dialect.greatest)(\(one), \(other))"
    }

    func forgetReadiness(of id: UUID) -> SQLStatement {
        SQLStatement("UPDATE \(requestTable) SET ready_at = NULL WHERE erasure = $1", [identifier(id)])
    }

    // MARK: Holding

    /// Puts a hold on a live erasure, after taking it from its worker: under the old lease number no further step can
    /// begin. A running step ends first; if it was the last, nothing is left to hold. The last statement affects a row
    /// if the erasure was not held before.
    func hold(_ id: UUID, reason: String, at now: Date) -> [SQLStatement] {
        [
            SQLStatement(
                """
                UPDATE \(erasures) SET epoch = epoch + 1, owner = NULL, lease_until = NULL \
                WHERE id = $1 AND state IN ('fenced', 'running', 'verifying')
                """, [identifier(id)]),
            SQLStatement(
                "DELETE FROM \(stopTable) WHERE erasure = $1 AND kind = $2",
                [identifier(id), .text(Stop.Kind.holdEnded.rawValue)]),
            SQLStatement(
                """
                INSERT INTO \(holds) (erasure, reason, since) SELECT id, $2, $3 FROM \(erasures) \
                WHERE id = $1 AND state NOT IN ('done', 'cancelled') ON CONFLICT (erasure) DO NOTHING
                """, [identifier(id), .text(reason), .timestamp(now)]),
        ]
    }

    /// Whether there is a hold on an erasure of a subject, a cancelled one included.
    func isHeld(subjectHash: String) -> StoreQuery<Bool> {
        StoreQuery(
            SQLStatement(
                """
                SELECT count(*) FROM \(holds) AS h JOIN \(erasures) AS e ON e.id = h.erasure WHERE e.subject_hash = $1
                """, [.text(subjectHash)]), { $0.scalar?.integer != 0 })
    }

    /// Ends the hold on an erasure, and with it those that its subject's cancelled erasures have left: a hold is the
    /// subject's. Answers the erasures that were held.
    func endHold(of id: UUID) -> StoreQuery<[UUID]> {
        StoreQuery(
            SQLStatement(
                """
                DELETE FROM \(holds) AS h WHERE h.erasure = $1 \
                OR (SELECT e.subject_hash FROM \(erasures) AS e WHERE e.id = h.erasure) \
                = (SELECT e.subject_hash FROM \(erasures) AS e WHERE e.id = $1) RETURNING erasure
                """, [identifier(id)]), { $0.rows.compactMap { $0.first?.identifier } })
    }

    // MARK: Warning

    /// Live erasures near their due date whose operator has not been warned. An erasure in grace is late only an hour
    /// after the grace has ended; one on hold, at once.
    func warn(daysBefore days: Int) -> StoreQuery<[DueErasure]> {
        StoreQuery(
            SQLStatement(
                """
                UPDATE \(requestTable) SET warned_at = \(fromNow("0")) \
                WHERE warned_at IS NULL AND due_at < \(fromNow("$1")) \
                AND erasure IN (SELECT e.id FROM \(erasures) AS e WHERE e.state NOT IN ('done', 'cancelled', 'grace') \
                OR e.state = 'grace' AND (ready_at < \(fromNow("$2")) \
                OR EXISTS (SELECT 1 FROM \(holds) AS h WHERE h.erasure = e.id))) RETURNING erasure, due_at
                """, [.integer(Int64(days) * 86_400), .integer(-3_600)]), DueErasure.all)
    }
}
