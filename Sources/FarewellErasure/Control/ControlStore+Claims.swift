// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// How workers come by their work.
extension ControlStore {
    /// The channel on which PostgreSQL tells workers that there is something to do.
    package static let workChannel = "farewell_work"
    /// The channel on which PostgreSQL tells those who wait that something has ended.
    package static let endChannel = "farewell_ends"

    func announce(on channel: String) -> SQLStatement? {
        dialect == .postgresql ? SQLStatement("SELECT pg_notify($1, '')", [.text(channel)]) : nil
    }

    /// Begins a claimed erasure: what was looked up again is kept, under the plan and the schema of today.
    func begin(_ members: [ErasureMember]) -> [SQLStatement] {
        guard dialect == .postgresql else { return members.map { adopt($0.record) } }
        return [
            SQLStatement(
                """
                UPDATE \(erasures) AS e SET sealed = r.sealed, plan_fingerprint = $3, schema_fingerprint = $4 \
                FROM unnest($1::uuid[], $2::bytea[]) AS r (id, sealed) WHERE e.id = r.id
                """,
                [
                    .array(members.map { .uuid($0.id) }),
                    .array(members.map { $0.record.sealed.map(SQLValue.bytes) ?? .null }),
                    .text(members.first?.record.planFingerprint ?? ""),
                    .text(members.first?.record.schemaFingerprint ?? ""),
                ])
        ]
    }

    /// PostgreSQL: ends claimed erasures that were carried out in this transaction, as `finish` does those that went
    /// step by step. Fails when one of them is no longer ours.
    func end(_ ended: [(member: ErasureMember, receipt: String)], owner: String, at now: Date) -> [SQLStatement] {
        guard let first = ended.first?.member.record else { return [] }
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
                    .timestamp(now), .array(ended.map { .text($0.receipt) }), .array(ended.map { .uuid($0.member.id) }),
                    .array(ended.map { .integer($0.member.record.epoch) }), .text(owner), .integer(Int64(ended.count)),
                    .text(first.planFingerprint), .text(first.schemaFingerprint),
                ])
        ]
    }

    /// Live erasures whose day is near and whose operator has not been warned: `(erasure, due_at)`. Who may still take
    /// it back is late only an hour after that has ended; who is held, at once.
    func warn(daysBefore days: Int) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(requestTable) SET warned_at = \(fromNow("0")) WHERE warned_at IS NULL AND due_at < \(fromNow("$1")) \
            AND erasure IN (SELECT e.id FROM \(erasures) AS e WHERE e.state NOT IN ('done', 'cancelled', 'grace') \
            OR e.state = 'grace' AND (ready_at < \(fromNow("$2")) \
            OR EXISTS (SELECT 1 FROM \(holds) AS h WHERE h.erasure = e.id))) RETURNING erasure, due_at
            """, [.integer(Int64(days) * 86_400), .integer(-3_600)])
    }
}

extension ErasureRecord {
    /// The columns of a table by another name.
    static func columns(of alias: String) -> String {
        columns.split(separator: ", ").map { "\(alias).\($0)" }.joined(separator: ", ")
    }
}
