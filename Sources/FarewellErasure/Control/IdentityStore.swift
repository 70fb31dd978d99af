// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The subjects of erasures, sealed, a little longer than the run: for the second look, and for receivers that need the
/// subject.
struct IdentityStore: StoreTables {
    let dialect: SQLDialect
    let lease: Int

    /// Stores the sealed subjects of some erasures, or extends their time.
    ///
    /// - Parameters:
    ///   - look: The time of the second look, in seconds from now; `nil` for none.
    ///   - seconds: The latest time of the destruction.
    func keep(_ ids: [UUID], lookAfter look: Int?, atMost seconds: Int) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(keepsakes) (erasure, wrapped_key, sealed, look_at, keep_until) \
            SELECT e.id, e.wrapped_key, e.sealed, CASE WHEN $2 > 0 THEN \(fromNow("$2")) END, \(fromNow("$3")) \
            FROM \(erasures) AS e WHERE e.id \(isAmong("$1")) AND e.sealed IS NOT NULL \
            ON CONFLICT (erasure) DO UPDATE SET sealed = excluded.sealed, keep_until = excluded.keep_until
            """, [identifiers(ids), .integer(Int64(look ?? 0)), .integer(Int64(seconds))])
    }

    /// PostgreSQL: keeps what was sealed anew of some erasures.
    func keep(_ sealed: [(id: UUID, sealed: [UInt8])], lookAfter look: Int?, atMost seconds: Int) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(keepsakes) (erasure, wrapped_key, sealed, look_at, keep_until) \
            SELECT e.id, e.wrapped_key, r.sealed, CASE WHEN $3 > 0 THEN \(fromNow("$3")) END, \(fromNow("$4")) \
            FROM unnest($1::uuid[], $2::bytea[]) AS r (id, sealed) JOIN \(erasures) AS e ON e.id = r.id \
            ON CONFLICT (erasure) DO UPDATE SET sealed = excluded.sealed
            """,
            [
                .array(sealed.map { .uuid($0.id) }), .array(sealed.map { .bytes($0.sealed) }),
                .integer(Int64(look ?? 0)), .integer(Int64(seconds)),
            ])
    }

    /// A subject sealed by an erasure, with the wrapped key of the seal.
    struct Kept: Sendable {
        let erasure: UUID
        let wrappedKey: [UInt8]
        let sealed: [UInt8]
    }

    /// PostgreSQL: keeps subjects whose erasures have recorded nothing sealed.
    func keep(_ kept: [Kept], lookAfter look: Int?, atMost seconds: Int) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(keepsakes) (erasure, wrapped_key, sealed, look_at, keep_until) \
            SELECT r.*, CASE WHEN $4 > 0 THEN \(fromNow("$4")) END, \(fromNow("$5")) \
            FROM unnest($1::uuid[], $2::bytea[], $3::bytea[]) AS r
            """,
            [
                .array(kept.map { .uuid($0.erasure) }), .array(kept.map { .bytes($0.wrappedKey) }),
                .array(kept.map { .bytes($0.sealed) }), .integer(Int64(look ?? 0)), .integer(Int64(seconds)),
            ])
    }

    /// Claims erasures whose second look is due, so that no other worker takes them for `seconds`: not those under a
    /// later plan than that of the fingerprint `plan`, which may have places that this one does not know.
    func claimLooks(limit: Int, seconds: Int, under plan: String) -> StoreQuery<[RetainedIdentity]> {
        let due = """
            SELECT k.erasure FROM \(keepsakes) AS k JOIN \(erasures) AS e ON e.id = k.erasure \
            WHERE e.state = 'done' AND k.look_at <= \(fromNow("0")) \
            AND NOT \(isLater("e.plan_fingerprint", than: "$3")) ORDER BY k.look_at LIMIT $1
            """
        let skipping = dialect.skippingLocked(of: "k")
        return StoreQuery(
            SQLStatement(
                """
                UPDATE \(keepsakes) SET look_at = \(fromNow("$2")) WHERE erasure IN (\(due)\(skipping)) \
                RETURNING erasure, wrapped_key, sealed
                """, [.integer(Int64(limit)), .integer(Int64(seconds)), .text(plan)]), RetainedIdentity.all)
    }

    /// Extends the time of an event's sealed subject: it is still needed.
    func keep(for event: Int64, atMost seconds: Int) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(keepsakes) SET keep_until = \(fromNow("$2")) \
            WHERE erasure = (SELECT v.erasure FROM \(events) AS v WHERE v.id = $1)
            """, [.integer(event), .integer(Int64(seconds))])
    }

    func looked(at id: UUID) -> SQLStatement {
        SQLStatement("UPDATE \(keepsakes) SET look_at = NULL WHERE erasure = $1", [identifier(id)])
    }

    func identity(of id: UUID) -> StoreQuery<RetainedIdentity?> {
        StoreQuery(
            SQLStatement("SELECT erasure, wrapped_key, sealed FROM \(keepsakes) WHERE erasure = $1", [identifier(id)]),
            { RetainedIdentity.all($0).first })
    }

    /// The given erasures whose end an endpoint has not received: the delivery is pending or given up, or the sealed
    /// subject still exists.
    func undelivered(_ ids: [UUID], endpoint: String) -> StoreQuery<Set<UUID>> {
        let told = """
            SELECT 1 FROM \(deliveries) AS d JOIN \(events) AS v ON v.id = d.event WHERE v.erasure = e.id \
            AND v.kind = '\(ErasureEventKind.done.rawValue)' AND d.endpoint = $2
            """
        return StoreQuery(
            SQLStatement(
                """
                SELECT e.id FROM \(erasures) AS e WHERE e.id \(isAmong("$1")) \
                AND NOT EXISTS (\(told) AND d.state = 'delivered') \
                AND (EXISTS (\(told)) OR EXISTS (SELECT 1 FROM \(keepsakes) AS k WHERE k.erasure = e.id))
                """, [identifiers(ids), .text(endpoint)])
        ) { Set($0.rows.compactMap { $0.first?.identifier }) }
    }

    /// Destroys unneeded sealed subjects: the look is done and all events are delivered, or the time is over. A dead
    /// letter may be delivered again, and does not count as delivered.
    ///
    /// - Parameters:
    ///   - endpoints: Those that are tried without a time limit; subjects of their undelivered events are kept as long.
    ///   - areAddressed: Whether this process has receivers: then events without addressees are not delivered either.
    ///     Otherwise another process has a minute to address them.
    func drop(owedTo endpoints: [String], areAddressed: Bool) -> SQLStatement {
        let open = """
            SELECT 1 FROM \(deliveries) AS d JOIN \(events) AS v ON v.id = d.event \
            WHERE v.erasure = \(keepsakes).erasure
            """
        let names = endpoints.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let owed =
            endpoints.isEmpty
            ? "" : " AND NOT EXISTS (\(open) AND d.state <> 'delivered' AND d.endpoint IN (\(names)))"
        let unaddressed = """
            SELECT 1 FROM \(events) AS u WHERE u.erasure = \(keepsakes).erasure AND u.addressed_at IS NULL\
            \(areAddressed ? "" : " AND u.happened_at > \(fromNow("-60"))")
            """
        return SQLStatement(
            """
            DELETE FROM \(keepsakes) WHERE (keep_until < \(fromNow("0")) OR EXISTS (SELECT 1 FROM \(erasures) AS e \
            WHERE e.id = \(keepsakes).erasure AND e.state IN ('done', 'cancelled') AND \(keepsakes).look_at IS NULL \
            AND EXISTS (SELECT 1 FROM \(requestTable) AS r WHERE r.erasure = e.id AND r.told IS NOT NULL) \
            AND NOT EXISTS (\(unaddressed))) AND NOT EXISTS (\(open) AND d.state <> 'delivered'))\(owed)
            """, endpoints.map(SQLValue.text))
    }
}
