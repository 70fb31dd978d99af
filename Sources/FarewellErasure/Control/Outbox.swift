// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The outbox: events of erasures, and their deliveries. An erasure's events follow from its state, so an event that
/// was not recorded before a crash is recorded after it.
struct Outbox: StoreTables {
    let dialect: SQLDialect
    let lease: Int

    /// Writes an event of some erasures down, once for each.
    func note(_ kind: ErasureEventKind, of ids: [UUID], at now: Date) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(events) (erasure, kind, happened_at) SELECT e.id, $2, $3 FROM \(erasures) AS e \
            WHERE e.id \(isAmong("$1")) ON CONFLICT (erasure, kind, occasion) DO NOTHING
            """, [identifiers(ids), .text(kind.rawValue), .timestamp(now)])
    }

    /// PostgreSQL: stores the first events of new erasures, in this order.
    func note(_ kinds: [ErasureEventKind], ofNew ids: [UUID], at now: Date) -> [SQLStatement] {
        let rows = kinds.flatMap { kind in
            ids.map { id -> [SQLValue] in [.uuid(id), .text(kind.rawValue), .timestamp(now)] }
        }
        return inserts(
            rows, into: "\(events) (erasure, kind, happened_at)", types: ["uuid", "text", "timestamptz"])
    }

    /// PostgreSQL: stores two events for each erasure that a single transaction carries out: its beginning and its end.
    /// Erasures from the command line have no request, and get no events.
    func noteDone(_ ids: [UUID], at now: Date) -> SQLStatement {
        let kinds = [ErasureEventKind.begun, .done].enumerated().map { "(\($0), '\($1.rawValue)')" }
        return SQLStatement(
            """
            WITH told AS (UPDATE \(requestTable) SET told = 'told' WHERE erasure \(isAmong("$1")) RETURNING erasure) \
            INSERT INTO \(events) (erasure, kind, happened_at) SELECT t.erasure, k.kind, $2 FROM told AS t \
            CROSS JOIN (VALUES \(kinds.joined(separator: ", "))) AS k (place, kind) ORDER BY k.place \
            ON CONFLICT (erasure, kind, occasion) DO NOTHING
            """, [identifiers(ids), .timestamp(now)])
    }

    /// Stores the end or parking of requests that are not reported yet. An erasure that was released and is parked
    /// again has another lease number, and is reported again.
    func noteEnds(at now: Date) -> [SQLStatement] {
        let ended = "e.state IN ('done', 'cancelled', 'needs attention')"
        let kind = """
            CASE e.state WHEN 'done' THEN '\(ErasureEventKind.done.rawValue)' \
            WHEN 'cancelled' THEN '\(ErasureEventKind.cancelled.rawValue)' \
            ELSE '\(ErasureEventKind.parked.rawValue)' END
            """
        let untold = """
            FROM \(requestTable) AS r JOIN \(erasures) AS e ON e.id = r.erasure WHERE r.told IS NULL AND \(ended)
            """
        return [
            SQLStatement(
                """
                INSERT INTO \(events) (erasure, kind, occasion, happened_at) \
                SELECT e.id, \(kind), CASE e.state WHEN 'needs attention' THEN e.epoch ELSE 0 END, \
                coalesce(e.finished_at, $1) \(untold) ON CONFLICT (erasure, kind, occasion) DO NOTHING
                """, [.timestamp(now)]),
            SQLStatement(
                """
                UPDATE \(requestTable) SET told = 'told' WHERE told IS NULL AND EXISTS \
                (SELECT 1 FROM \(erasures) AS e WHERE e.id = \(requestTable).erasure \
                AND e.state IN ('done', 'cancelled')) \
                AND EXISTS (SELECT 1 FROM \(events) AS v WHERE v.erasure = \(requestTable).erasure AND v.kind IN \
                ('\(ErasureEventKind.done.rawValue)', '\(ErasureEventKind.cancelled.rawValue)'))
                """),
        ]
    }

    /// Events without addressees yet, oldest first, locked until the transaction ends.
    func unaddressed(limit: Int) -> StoreQuery<[Int64]> {
        let skipping = dialect.skippingLocked()
        return StoreQuery(
            SQLStatement(
                "SELECT id FROM \(events) WHERE addressed_at IS NULL ORDER BY id LIMIT $1\(skipping)",
                [.integer(Int64(limit))]), { $0.rows.compactMap { $0.first?.integer } })
    }

    /// One delivery for each of some events whose kind an endpoint wants.
    func address(_ numbers: [Int64], _ kinds: [ErasureEventKind], to endpoint: String) -> SQLStatement {
        let list = kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return SQLStatement(
            """
            INSERT INTO \(deliveries) (event, endpoint, state, next_at) \
            SELECT v.id, $1, 'waiting', \(fromNow("0")) FROM \(events) AS v \
            WHERE v.id \(isNumberAmong("$2")) AND v.kind IN (\(list)) ON CONFLICT DO NOTHING
            """, [.text(endpoint), self.numbers(numbers)])
    }

    func addressed(_ numbers: [Int64]) -> SQLStatement {
        SQLStatement(
            "UPDATE \(events) SET addressed_at = \(fromNow("0")) WHERE id \(isNumberAmong("$1"))",
            [self.numbers(numbers)])
    }

    private func numbers(_ numbers: [Int64]) -> SQLValue {
        .array(numbers.map(SQLValue.integer))
    }

    private func isNumberAmong(_ parameter: String) -> String {
        dialect.isAmong(parameter, "bigint")
    }

    /// The receivers whose deliveries are claimed.
    enum Receivers: Sendable {
        case only(String)
        case allBut([String])

        fileprivate var names: [String] {
            switch self {
            case .only(let name): [name]
            case .allBut(let names): names
            }
        }
    }

    /// Claims due deliveries: the next try is due in `seconds`, even if the worker dies meanwhile.
    ///
    /// - Parameter first: Endpoints that must have taken an event before all others.
    func claimDeliveries(
        to receivers: Receivers, limit: Int, seconds: Int, after first: [String] = []
    ) -> StoreQuery<[DueDelivery]> {
        let skipping = dialect.skippingLocked()
        let known = receivers.names
        let names = first.indices.map { "$\($0 + 3)" }.joined(separator: ", ")
        let own = known.indices.map { "$\($0 + first.count + 3)" }.joined(separator: ", ")
        let whose =
            switch receivers {
            case .only: " AND d.endpoint = \(own)"
            case .allBut: known.isEmpty ? "" : " AND d.endpoint NOT IN (\(own))"
            }
        let turn = """
            (d.endpoint IN (\(names)) OR NOT EXISTS (SELECT 1 FROM \(deliveries) AS f \
            WHERE f.event = d.event AND f.endpoint IN (\(names)) AND f.state <> 'delivered'))
            """
        let due = """
            SELECT d.event, d.endpoint FROM \(deliveries) AS d WHERE d.state = 'waiting' \
            AND d.next_at <= \(fromNow("0"))\(whose)\(first.isEmpty ? "" : " AND \(turn)") \
            ORDER BY d.next_at LIMIT $1\(skipping)
            """
        return StoreQuery(
            SQLStatement(
                """
                UPDATE \(deliveries) SET attempts = attempts + 1, next_at = \(fromNow("$2")) \
                WHERE (event, endpoint) IN (\(due)) RETURNING event, endpoint, attempts
                """, [.integer(Int64(limit)), .integer(Int64(seconds))] + (first + known).map(SQLValue.text)),
            DueDelivery.all)
    }

    /// The content of an event.
    func event(_ id: Int64) -> StoreQuery<RecordedEvent?> {
        StoreQuery(
            SQLStatement(
                """
                SELECT v.erasure, v.kind, v.happened_at, e.subject_hash, v.occasion FROM \(events) AS v \
                JOIN \(erasures) AS e ON e.id = v.erasure WHERE v.id = $1
                """, [.integer(id)]), RecordedEvent.first)
    }

    func delivered(_ event: Int64, to endpoint: String) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(deliveries) SET state = 'delivered', next_at = NULL, error = NULL \
            WHERE event = $1 AND endpoint = $2 AND state = 'waiting'
            """, [.integer(event), .text(endpoint)])
    }

    /// Makes a claimed delivery due again that was not attempted, or ended half-way.
    ///
    /// - Parameter claim: The number of the claim; a later claim of another process stays.
    func release(_ event: Int64, to endpoint: String, claim: Int) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(deliveries) SET attempts = attempts - 1, next_at = \(fromNow("0")) \
            WHERE event = $1 AND endpoint = $2 AND state = 'waiting' AND attempts = $3
            """, [.integer(event), .text(endpoint), .integer(Int64(claim))])
    }

    /// Notes why a delivery failed; after `seconds` it is tried again, or never, and then it is dead.
    func failed(_ event: Int64, to endpoint: String, _ error: String, retryAfter seconds: Double?) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(deliveries) SET state = \(seconds == nil ? "'dead'" : "'waiting'"), error = $3, \
            next_at = \(seconds == nil ? "NULL" : fromNow("$4")) \
            WHERE event = $1 AND endpoint = $2 AND state = 'waiting'\(seconds == nil ? " AND $4 < 0" : "")
            """, [.integer(event), .text(endpoint), .text(error), .double(seconds ?? -1)])
    }

    /// Deliveries that were given up, and those that would have been but are tried for as long as it takes.
    func deadLetters(limit: Int) -> StoreQuery<[DeadLetter]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT d.event, d.endpoint, d.attempts, d.error, v.erasure, v.kind FROM \(deliveries) AS d \
                JOIN \(events) AS v ON v.id = d.event WHERE d.state = 'dead' OR \(isOverdue("d")) \
                ORDER BY d.event DESC LIMIT $1
                """, [.integer(Int64(limit))]), DeadLetter.all)
    }

    private func isOverdue(_ delivery: String) -> String {
        "(\(delivery).state = 'waiting' AND \(delivery).attempts >= \(EventEndpoint.usualAttempts) "
            + "AND \(delivery).error IS NOT NULL)"
    }

    /// Tries dead letters of an endpoint again, once it works.
    func revive(endpoint: String) -> StoreQuery<Int> {
        StoreQuery(
            SQLStatement(
                """
                UPDATE \(deliveries) SET state = 'waiting', attempts = 0, next_at = \(fromNow("0")) \
                WHERE endpoint = $1 AND (state = 'dead' OR \(isOverdue(deliveries)))
                """, [.text(endpoint)]), { $0.affected })
    }

    /// Records that an incoming event was processed; affects no row if it was before.
    func receive(_ identifier: String, from issuer: String, at now: Date) -> StoreQuery<Bool> {
        StoreQuery(
            SQLStatement(
                """
                INSERT INTO \(received) (issuer, identifier, received_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
                """, [.text(issuer), .text(identifier), .timestamp(now)]), { $0.affected == 1 })
    }

    /// Whether an incoming event was processed.
    func received(_ identifier: String, from issuer: String) -> StoreQuery<Bool> {
        StoreQuery(
            SQLStatement(
                "SELECT 1 FROM \(received) WHERE issuer = $1 AND identifier = $2", [.text(issuer), .text(identifier)]),
            { !$0.rows.isEmpty })
    }

    /// How many deliveries to each endpoint are in each state.
    var counts: StoreQuery<[EndpointDeliveries]> {
        StoreQuery(
            SQLStatement(
                "SELECT endpoint, state, count(*) FROM \(deliveries) GROUP BY endpoint, state ORDER BY endpoint"),
            EndpointDeliveries.all)
    }

    /// Old events of erasures that ended, except for those that are still to be delivered or could not be.
    func dropEvents(before past: Date) -> SQLStatement {
        SQLStatement(
            """
            DELETE FROM \(events) WHERE happened_at < $1 AND NOT EXISTS (SELECT 1 FROM \(deliveries) AS d \
            WHERE d.event = \(events).id AND d.state <> 'delivered') AND EXISTS (SELECT 1 FROM \(erasures) AS e \
            WHERE e.id = \(events).erasure AND e.state IN ('done', 'cancelled'))
            """, [.timestamp(past)])
    }
}
