// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The erasures as they are requested: accepted, found, promised, with their tickets.
struct RequestStore: StoreTables {
    let dialect: SQLDialect
    let lease: Int

    // MARK: Finding

    /// All erasures that have not ended, oldest first.
    func live() -> StoreQuery<[ErasureRecord]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT \(ErasureRecord.columns) FROM \(erasures) WHERE state NOT IN ('done', 'cancelled') \
                ORDER BY requested_at, id
                """), ErasureRecord.all)
    }

    /// Erasures that are parked because plan and schema did not fit, and those that another plan predicted wrongly:
    /// each with the code of its cause, which earlier releases did not store (`nil`: the caller compares the words).
    /// Not those under a later plan than this.
    func parked(byAnotherPlanThan plan: String) -> StoreQuery<[(erasure: ErasureRecord, code: String?)]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT \(ErasureRecord.columns), cause_code FROM \(erasures) WHERE state = 'needs attention' \
                AND (cause_code IS NULL OR cause_code LIKE 'plan.%' OR cause_code IN ($1, $2) \
                OR (cause_code = $3 AND plan_fingerprint <> $4)) \
                AND NOT \(isLater("plan_fingerprint", than: "$4")) ORDER BY requested_at, id
                """,
                [
                    .text(GuardFailure.schemaChanged.code.rawValue), .text(GuardFailure.planChanged.code.rawValue),
                    .text(GuardFailure.unpredicted.rawValue), .text(plan),
                ]),
            { try $0.rows.map { (try ErasureRecord(row: Array($0.dropLast())), $0.last?.text) } })
    }

    /// The newest erasures, newest first.
    func newest(limit: Int) -> StoreQuery<[ErasureRecord]> {
        StoreQuery(
            SQLStatement(
                "SELECT \(ErasureRecord.columns) FROM \(erasures) ORDER BY requested_at DESC, id LIMIT $1",
                [.integer(Int64(limit))]), ErasureRecord.all)
    }

    /// The erasure of this identifier, or none.
    func find(_ id: UUID) -> StoreQuery<[ErasureRecord]> {
        StoreQuery(
            SQLStatement("SELECT \(ErasureRecord.columns) FROM \(erasures) WHERE id = $1", [identifier(id)]),
            ErasureRecord.all)
    }

    /// Erasures of one subject, newest first: by the index of those that live and by that of those that ended.
    func find(subjectHash: String) -> StoreQuery<[ErasureRecord]> {
        let own = "SELECT \(ErasureRecord.columns) FROM \(erasures) WHERE subject_hash = $1"
        return StoreQuery(
            SQLStatement(
                """
                \(own) AND state NOT IN ('done', 'cancelled') UNION ALL \(own) AND state IN ('done', 'cancelled') \
                ORDER BY requested_at DESC
                """, [.text(subjectHash)]), ErasureRecord.all)
    }

    /// PostgreSQL: the erasures of several subjects, newest first, each looked up by the same indexes.
    func find(subjectHashes: [String]) -> StoreQuery<[ErasureRecord]> {
        func own(_ name: String) -> String {
            "SELECT * FROM \(erasures) AS \(name) WHERE \(name).subject_hash = h.hash AND \(name).state"
        }
        return StoreQuery(
            SQLStatement(
                """
                SELECT \(ErasureRecord.columns(of: "e")) FROM unnest($1::text[]) AS h (hash) CROSS JOIN LATERAL \
                (\(own("l")) NOT IN ('done', 'cancelled') UNION ALL \(own("d")) IN ('done', 'cancelled') OFFSET 0) \
                AS e ORDER BY e.requested_at DESC
                """, [.array(subjectHashes.map(SQLValue.text))]), ErasureRecord.all)
    }

    /// The states of a subject's erasures. Reads columns that every release has, because an export renews no table.
    func states(subjectHash: String) -> StoreQuery<[UUID: ErasureState]> {
        let own = "SELECT id, state FROM \(erasures) WHERE subject_hash = $1"
        return StoreQuery(
            SQLStatement(
                "\(own) AND state NOT IN ('done', 'cancelled') UNION ALL \(own) AND state IN ('done', 'cancelled')",
                [.text(subjectHash)])
        ) { result in
            var states: [UUID: ErasureState] = [:]
            for row in result.rows {
                guard let id = row[0].identifier, let state = row[1].text.flatMap(ErasureState.init(rawValue:)) else {
                    continue
                }
                states[id] = state
            }
            return states
        }
    }

    // MARK: Standing

    /// Which of some subjects have a live erasure: `(subject_hash)`. Each is looked up by the index of those that
    /// live: a plan made while there are few erasures is kept, and must be right when there are a million.
    func live(subjectHashes: [String]) -> StoreQuery<Set<String>> {
        let isLive = "e.state NOT IN ('done', 'cancelled')"
        guard dialect.hasArrays else {
            return StoreQuery(
                SQLStatement(
                    """
                    SELECT subject_hash FROM \(erasures) AS e \
                    WHERE subject_hash \(dialect.isAmong("$1", "text")) AND \(isLive)
                    """, [.array(subjectHashes.map(SQLValue.text))]), Self.firstTexts)
        }
        return StoreQuery(
            SQLStatement(
                """
                SELECT h.hash FROM unnest($1::text[]) AS h (hash) CROSS JOIN LATERAL \
                (SELECT 1 FROM \(erasures) AS e WHERE e.subject_hash = h.hash AND \(isLive) LIMIT 1) AS found
                """, [.array(subjectHashes.map(SQLValue.text))]), Self.firstTexts)
    }

    @Sendable static func firstTexts(_ result: SQLResult) -> Set<String> {
        Set(result.rows.compactMap { $0.first?.text })
    }

    /// PostgreSQL: locks the right to erase some subjects until the transaction ends, and waits while another
    /// transaction holds it for one of them. Locked in one order, to avoid deadlocks.
    func hold(subjectHashes: [String]) -> SQLStatement {
        if subjectHashes.count == 1 {
            return SQLStatement("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [.text(subjectHashes[0])])
        }
        return SQLStatement(
            """
            SELECT count(pg_advisory_xact_lock(n)) FROM \
            (SELECT hashtextextended(h, 0) AS n FROM unnest($1::text[]) AS h ORDER BY 1) AS ordered
            """, [.array(subjectHashes.map(SQLValue.text))])
    }

    /// PostgreSQL: fails if one of some subjects has or had an erasure, by a statement that raises an error, so that a
    /// pipeline stops there. Each is looked up by the indexes of those that live and of those that ended.
    func requireUnknown(subjectHashes: [String]) -> SQLStatement {
        let own = "SELECT 1 FROM \(erasures) AS e WHERE e.subject_hash = h.hash AND e.state"
        let ended = "IN ('done', 'cancelled')"
        return SQLStatement(
            """
            SELECT 1 / CAST(count(*) = 0 AS integer) FROM unnest($1::text[]) AS h (hash) \
            WHERE EXISTS (\(own) NOT \(ended)) OR EXISTS (\(own) \(ended))
            """, [.array(subjectHashes.map(SQLValue.text))])
    }

    /// The holds that some subjects' cancelled erasures have left, the oldest first: `(subject_hash, erasure, reason,
    /// since)`. There are few holds, and each one's erasure is looked up by its key.
    func held(subjectHashes: [String]) -> StoreQuery<[String: CarriedOverHold]> {
        let isAmong = among(subjectHashes)
        return StoreQuery(
            SQLStatement(
                """
                SELECT l.subject_hash, l.erasure, l.reason, l.since FROM (SELECT h.erasure, h.reason, h.since, \
                (SELECT e.subject_hash FROM \(erasures) AS e WHERE e.id = h.erasure AND e.state = 'cancelled') \
                AS subject_hash FROM \(holds) AS h) AS l WHERE l.subject_hash \(isAmong.condition) ORDER BY l.since
                """, [isAmong.value]), CarriedOverHold.bySubject)
    }

    func among(_ subjectHashes: [String]) -> (condition: String, value: SQLValue) {
        (dialect.isAmong("$1", "text"), .array(subjectHashes.map(SQLValue.text)))
    }

    // MARK: Accepting

    /// Records new erasures: one statement for all that differ only in their subjects, receipts and identifiers. Those
    /// that have an owner are held under a first lease. Fails when one of their subjects has a live erasure.
    func insert(_ records: [ErasureRecord]) -> [SQLStatement] {
        let (own, common) = (Self.ownColumns, Self.commonColumns)
        let places = common.indices.map { place in
            let parameter = "$\(own.count + place + 1)"
            return common[place] == "lease_until" ? fromNow(parameter) : parameter
        }
        let insertion = "INSERT INTO \(erasures) (\((own + common).joined(separator: ", ")))"
        guard dialect.hasArrays else {
            let list = (own.indices.map { "$\($0 + 1)" } + places).joined(separator: ", ")
            return records.map { SQLStatement("\(insertion) VALUES (\(list))", values(of: $0) + commonValues(of: $0)) }
        }
        // The differing values are in lists, so that it is one statement for all, whose text does not depend on their
        // number.
        return Dictionary(grouping: records, by: commonValues).values.map { alike in
            let rows = alike.map(values(of:))
            let lists = rows[0].indices.map { column in SQLValue.array(rows.map { $0[column] }) }
            return SQLStatement(
                """
                \(insertion) SELECT r.*, \(places.joined(separator: ", ")) \
                FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::bytea[], $5::text[]) AS r
                """, lists + commonValues(of: alike[0]))
        }
    }

    private static let ownColumns = ["id", "subject_hash", "wrapped_key", "sealed", "receipt"]
    private static let commonColumns = [
        "state", "requested_at", "finished_at", "attempts", "owner", "lease_until", "epoch", "plan_fingerprint",
        "schema_fingerprint",
    ]

    private func commonValues(of record: ErasureRecord) -> [SQLValue] {
        [
            .text(record.state.rawValue), .timestamp(record.requestedAt),
            record.finishedAt.map(SQLValue.timestamp) ?? .null,
            .integer(Int64(record.attempts)), record.owner.map(SQLValue.text) ?? .null,
            record.owner == nil ? .null : .integer(Int64(lease)), .integer(record.epoch),
            .text(record.planFingerprint), .text(record.schemaFingerprint),
        ]
    }

    private func values(of record: ErasureRecord) -> [SQLValue] {
        [
            identifier(record.id), .text(record.subjectHash), record.wrappedKey.map(SQLValue.bytes) ?? .null,
            record.sealed.map(SQLValue.bytes) ?? .null, record.receipt.map(SQLValue.text) ?? .null,
        ]
    }

    /// Records what a service promises with new erasures: when workers may claim each (never, if it has an owner
    /// already) and when it is due.
    func promise(for ids: [UUID], _ terms: AcceptanceTerms) -> StoreQuery<[UUID: ErasurePromise]> {
        StoreQuery(
            SQLStatement(
                """
                INSERT INTO \(requestTable) (erasure, ready_at, grace_until, due_at) \
                SELECT e.id, CASE WHEN e.owner IS NULL THEN \(fromNow("$2")) END, \
                CASE WHEN $2 > 0 THEN \(fromNow("$2")) END, \(fromNow("$3")) \
                FROM \(erasures) AS e WHERE e.id \(isAmong("$1")) \
                RETURNING erasure, grace_until, due_at, CAST(NULL AS text), ready_at, failures
                """, [identifiers(ids), .integer(Int64(terms.graceSeconds)), .integer(Int64(terms.dueSeconds))]),
            ErasurePromise.byErasure)
    }

    /// PostgreSQL: records the same with erasures that are done, and whose ends are stored as events with it.
    func promise(forDone ids: [UUID], dueAt: Date) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(requestTable) (erasure, due_at, told) \
            SELECT r.id, $2, 'told' FROM unnest($1::uuid[]) AS r (id)
            """, [identifiers(ids), .timestamp(dueAt)])
    }

    /// Issues a ticket; not if it, or its idempotency key, is known already.
    func hand(out ticket: TicketRecord, for erasure: UUID) -> StoreQuery<Bool> {
        StoreQuery(
            SQLStatement(
                """
                INSERT INTO \(tickets) (hash, erasure, key_hash, body_hash) VALUES ($1, $2, $3, $4) \
                ON CONFLICT DO NOTHING
                """,
                [
                    .text(ticket.hash), identifier(erasure), ticket.keyHash.map(SQLValue.text) ?? .null,
                    .text(ticket.bodyHash),
                ]), { $0.affected == 1 })
    }

    /// Issues a ticket for each erasure. Fails unless it opens that erasure afterwards: by a statement that raises an
    /// error, so that a pipeline stops before the commit.
    func hand(out tickets: [(ticket: TicketRecord, erasure: UUID)]) -> [SQLStatement] {
        issuing(tickets, "ON CONFLICT DO NOTHING") + require(tickets)
    }

    /// PostgreSQL: issues the first ticket of each erasure. Fails if one of them, or its idempotency key, is known.
    func hand(outNew tickets: [(ticket: TicketRecord, erasure: UUID)]) -> [SQLStatement] { issuing(tickets) }

    private func issuing(_ tickets: [(ticket: TicketRecord, erasure: UUID)], _ rest: String = "") -> [SQLStatement] {
        let rows = tickets.map { ticket, erasure -> [SQLValue] in
            [
                .text(ticket.hash), identifier(erasure), ticket.keyHash.map(SQLValue.text) ?? .null,
                .text(ticket.bodyHash),
            ]
        }
        return inserts(
            rows, into: "\(self.tickets) (hash, erasure, key_hash, body_hash)",
            types: ["text", "uuid", "text", "text"], rest)
    }

    private func require(_ pairs: [(ticket: TicketRecord, erasure: UUID)]) -> [SQLStatement] {
        guard dialect.hasArrays else {
            return pairs.map { ticket, erasure in
                SQLStatement(
                    """
                    SELECT CASE WHEN count(*) = 1 THEN 1 ELSE json('another ticket') END FROM \(tickets) \
                    WHERE hash = $1 AND erasure = $2
                    """, [.text(ticket.hash), identifier(erasure)])
            }
        }
        return [
            SQLStatement(
                """
                SELECT 1 / CAST(count(*) = $3 AS integer) FROM unnest($1::text[], $2::uuid[]) AS r (hash, erasure) \
                CROSS JOIN LATERAL (SELECT 1 FROM \(tickets) AS t \
                WHERE t.hash = r.hash AND t.erasure = r.erasure LIMIT 1) AS found
                """,
                [
                    .array(pairs.map { .text($0.ticket.hash) }), .array(pairs.map { .uuid($0.erasure) }),
                    .integer(Int64(pairs.count)),
                ])
        ]
    }

    /// Whether a ticket, or its idempotency key, is known.
    func isKnown(_ ticket: TicketRecord) -> StoreQuery<Bool> {
        StoreQuery(
            SQLStatement(
                "SELECT count(*) FROM \(tickets) WHERE hash = $1 OR key_hash = $2",
                [.text(ticket.hash), ticket.keyHash.map(SQLValue.text) ?? .null]),
            { $0.scalar?.integer ?? 0 > 0 })
    }

    /// The ticket that was issued for an idempotency key.
    func ticket(keyHash: String) -> StoreQuery<IssuedTicket?> {
        StoreQuery(
            SQLStatement("SELECT hash, erasure, body_hash FROM \(tickets) WHERE key_hash = $1", [.text(keyHash)]),
            IssuedTicket.first)
    }

    /// PostgreSQL: the tickets that were issued for some idempotency keys.
    func issued(keyHashes: [String]) -> StoreQuery<[String: IssuedTicket]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT t.hash, t.erasure, t.body_hash, t.key_hash FROM unnest($1::text[]) AS k (hash) \
                CROSS JOIN LATERAL (SELECT * FROM \(tickets) AS i WHERE i.key_hash = k.hash LIMIT 1) AS t
                """, [.array(keyHashes.map(SQLValue.text))]), IssuedTicket.byKey)
    }

    func countTickets(of erasure: UUID) -> StoreQuery<Int> {
        StoreQuery(
            SQLStatement("SELECT count(*) FROM \(tickets) WHERE erasure = $1", [identifier(erasure)]),
            { Int($0.scalar?.integer ?? 0) })
    }

    /// The erasure a ticket is for.
    func erasure(ticketHash: String) -> StoreQuery<UUID?> {
        StoreQuery(
            SQLStatement("SELECT erasure FROM \(tickets) WHERE hash = $1", [.text(ticketHash)]),
            { $0.scalar?.identifier })
    }

    /// A service's promises with some erasures, and their holds. Erasures of the command were never requested here:
    /// they have no promise, and can be held all the same.
    func promises(of ids: [UUID]) -> StoreQuery<[UUID: ErasurePromise]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT e.id, r.grace_until, r.due_at, (SELECT h.reason FROM \(holds) AS h WHERE h.erasure = e.id), \
                r.ready_at, r.failures FROM \(erasures) AS e LEFT JOIN \(requestTable) AS r ON r.erasure = e.id \
                WHERE e.id \(isAmong("$1"))
                """, [identifiers(ids)]), ErasurePromise.byErasure)
    }

    /// The number of completed erasures of a subject. SQLite uses the partial index of finished ones only if its
    /// condition appears letter for letter.
    func countDone(subjectHash: String) -> StoreQuery<Int> {
        StoreQuery(
            SQLStatement(
                """
                SELECT count(*) FROM \(erasures) WHERE subject_hash = $1 AND state = 'done' \
                AND state IN ('done', 'cancelled')
                """, [.text(subjectHash)]), { Int($0.scalar?.integer ?? 0) })
    }

    /// The same for each of several subjects, each looked up by that index.
    func countDone(subjectHashes: [String]) -> StoreQuery<[String: Int]> {
        let hashes = dialect.unpacked("$1", "text", as: "h")
        return StoreQuery(
            SQLStatement(
                """
                SELECT h.value, (SELECT count(*) FROM \(erasures) AS e WHERE e.subject_hash = h.value \
                AND e.state = 'done' AND e.state IN ('done', 'cancelled')) FROM \(hashes)
                """, [among(subjectHashes).value]),
            { result in
                Dictionary(
                    result.rows.map { ($0[0].text ?? "", Int($0[1].integer ?? 0)) }, uniquingKeysWith: { $1 })
            })
    }
}
