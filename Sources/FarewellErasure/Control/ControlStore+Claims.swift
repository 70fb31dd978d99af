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

    /// Takes requests whose time has come, the oldest first: closed to being taken back, under a first lease, with one
    /// attempt counted. The last statement's rows are theirs; whoever else claims at this moment passes over them.
    ///
    /// - Parameter endsGrace: Whether those are taken whose grace period is over.
    func claim(limit: Int, owner: String, endsGrace: Bool) -> [SQLStatement] {
        let states = endsGrace ? "e.state IN ('requested', 'grace')" : "e.state = 'requested'"
        let isReady = """
            r.ready_at <= \(fromNow("0")) AND \(states) \
            AND NOT EXISTS (SELECT 1 FROM \(holds) AS h WHERE h.erasure = e.id)
            """
        let free = "SELECT r.erasure FROM \(requests) AS r JOIN \(erasures) AS e ON e.id = r.erasure WHERE \(isReady)"
        let set = """
            SET state = 'fenced', epoch = epoch + 1, attempts = attempts + 1, owner = $2, \
            lease_until = \(fromNow("$3"))
            """
        let parameters: [SQLValue] = [.integer(Int64(limit)), .text(owner), .integer(Int64(lease))]
        if dialect == .postgresql {
            return [
                SQLStatement(
                    """
                    WITH free AS (\(free) ORDER BY r.ready_at LIMIT $1 FOR UPDATE OF e, r SKIP LOCKED), \
                    taken AS (UPDATE \(requests) AS r SET ready_at = NULL FROM free WHERE r.erasure = free.erasure) \
                    UPDATE \(erasures) AS e \(set) FROM free WHERE e.id = free.erasure \
                    RETURNING \(ErasureRecord.columns(of: "e"))
                    """, parameters)
            ]
        }
        return [
            SQLStatement(
                """
                UPDATE \(erasures) \(set) WHERE id IN (\(free) ORDER BY r.ready_at LIMIT $1) \
                RETURNING \(ErasureRecord.columns)
                """, parameters)
        ]
    }

    /// SQLite: what `claim` has taken is no longer ready. PostgreSQL's says so itself.
    func noLongerReady(_ ids: [UUID]) -> SQLStatement {
        SQLStatement("UPDATE \(requests) SET ready_at = NULL WHERE erasure \(isAmong("$1"))", [identifiers(ids)])
    }

    /// Erasures that nobody works on any longer and that may go on: not held, their pause over, tried so often.
    func abandonedUnheld(limit: Int, attempts: ClosedRange<Int> = 0...Int(Int32.max)) -> SQLStatement {
        SQLStatement(
            """
            SELECT \(ErasureRecord.columns) FROM \(erasures) WHERE state NOT IN ('done', 'cancelled') \
            AND state IN ('fenced', 'running', 'verifying') \
            AND (lease_until IS NULL OR lease_until < \(fromNow("0"))) AND \(isNotHeld) \
            AND NOT EXISTS (SELECT 1 FROM \(requests) AS r WHERE r.erasure = \(erasures).id \
            AND r.ready_at > \(fromNow("0"))) AND attempts BETWEEN $2 AND $3 ORDER BY requested_at, id LIMIT $1
            """,
            [.integer(Int64(limit)), .integer(Int64(attempts.lowerBound)), .integer(Int64(attempts.upperBound))])
    }

    /// Who works on anything now: `(owner)`.
    var owners: SQLStatement {
        SQLStatement(
            """
            SELECT DISTINCT owner FROM \(erasures) WHERE state NOT IN ('done', 'cancelled') AND owner IS NOT NULL \
            AND lease_until >= \(fromNow("0"))
            """)
    }

    /// Frees what a process held that is certainly dead: its leases need not run out.
    func free(from owner: String) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(erasures) SET lease_until = NULL WHERE owner = $1 AND state NOT IN ('done', 'cancelled') \
            AND state IN ('fenced', 'running', 'verifying')
            """, [.text(owner)])
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

    /// Lets an erasure rest that did not get further for the world's sake: nobody takes it up before `seconds` have
    /// passed. Only where it was handed back, or is ours under the lease number we know.
    ///
    /// - Parameter failures: How many failures that counts as.
    func rest(_ id: UUID, epoch: Int64, seconds: Double, failures: Int64 = 1) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(requests) SET failures = failures + $4, ready_at = \(fromNow("$3")) WHERE erasure = $1 \
            AND EXISTS (SELECT 1 FROM \(erasures) AS e WHERE e.id = $1 AND e.epoch = $2 AND e.owner IS NULL) \
            RETURNING failures
            """, [identifier(id), .integer(epoch), .double(seconds), .integer(failures)])
    }

    /// Parks an erasure that we hold under this lease number, or have handed back and nobody has taken over since.
    func park(_ id: UUID, epoch: Int64, cause: String) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(erasures) SET state = 'needs attention', cause = $3, owner = NULL, lease_until = NULL \
            WHERE id = $1 AND epoch = $2 AND state IN ('fenced', 'running', 'verifying')
            """, [identifier(id), .integer(epoch), .text(cause)])
    }

    func failures(of id: UUID) -> SQLStatement {
        SQLStatement("SELECT failures FROM \(requests) WHERE erasure = $1", [identifier(id)])
    }

    /// Live erasures whose day is near and whose operator has not been warned: `(erasure, due_at)`. Who may still take
    /// it back is late only an hour after that has ended; who is held, at once.
    func warn(daysBefore days: Int) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(requests) SET warned_at = \(fromNow("0")) WHERE warned_at IS NULL AND due_at < \(fromNow("$1")) \
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
