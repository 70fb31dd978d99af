// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Requests as a service takes them: accepted now, worked on later, taken back meanwhile.
extension ControlStore {
    /// Records new erasures that differ only in their subjects, receipts and identifiers: the one statement that does
    /// so. Those that have an owner are held under a first lease. Fails when one of their subjects has a live erasure.
    func insert(_ records: [ErasureRecord]) -> [SQLStatement] {
        guard let first = records.first else { return [] }
        let (own, common) = (Self.ownColumns, Self.commonColumns)
        let places = common.indices.map { place in
            let parameter = "$\(own.count + place + 1)"
            return common[place] == "lease_until" ? fromNow(parameter) : parameter
        }
        let shared: [SQLValue] = [
            .text(first.state.rawValue), .timestamp(first.requestedAt), first.finishedAt.map(SQLValue.timestamp) ?? .null,
            .integer(Int64(first.attempts)), first.owner.map(SQLValue.text) ?? .null,
            first.owner == nil ? .null : .integer(Int64(lease)), .integer(first.epoch), .text(first.planFingerprint),
            .text(first.schemaFingerprint),
        ]
        let names = (own + common).joined(separator: ", ")
        let insertion = "INSERT INTO \(erasures) (\(names))"
        guard dialect == .postgresql else {
            let list = (own.indices.map { "$\($0 + 1)" } + places).joined(separator: ", ")
            return records.map { SQLStatement("\(insertion) VALUES (\(list))", values(of: $0) + shared) }
        }
        // What differs goes in lists, so that it is one statement for all, whose text does not depend on how many.
        let rows = records.map(values(of:))
        let lists = rows[0].indices.map { column in SQLValue.array(rows.map { $0[column] }) }
        return [
            SQLStatement(
                """
                \(insertion) SELECT r.*, \(places.joined(separator: ", ")) \
                FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::bytea[], $5::text[]) AS r
                """, lists + shared)
        ]
    }

    private static let ownColumns = ["id", "subject_hash", "wrapped_key", "sealed", "receipt"]
    private static let commonColumns = [
        "state", "requested_at", "finished_at", "attempts", "owner", "lease_until", "epoch", "plan_fingerprint",
        "schema_fingerprint",
    ]

    private func values(of record: ErasureRecord) -> [SQLValue] {
        [
            identifier(record.id), .text(record.subjectHash), record.wrappedKey.map(SQLValue.bytes) ?? .null,
            record.sealed.map(SQLValue.bytes) ?? .null, record.receipt.map(SQLValue.text) ?? .null,
        ]
    }

    /// Records what a service promises with an erasure: from when on workers may claim it, and when it is due.
    func promise(_ id: UUID, _ terms: Acceptance.Terms) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(requestTable) (erasure, ready_at, grace_until, due_at) VALUES ($1, \(fromNow("$2")), \
            CASE WHEN $2 > 0 THEN \(fromNow("$2")) END, \(fromNow("$3")))
            """, [identifier(id), .integer(Int64(terms.graceSeconds)), .integer(Int64(terms.dueSeconds))])
    }

    func hand(out ticket: TicketRecord, for erasure: UUID) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(tickets) (hash, erasure, key_hash, body_hash) VALUES ($1, $2, $3, $4) \
            ON CONFLICT DO NOTHING
            """,
            [
                .text(ticket.hash), identifier(erasure), ticket.keyHash.map(SQLValue.text) ?? .null,
                .text(ticket.bodyHash),
            ])
    }

    /// The ticket that was handed out for an idempotency key: `(hash, erasure, body_hash)`.
    func ticket(keyHash: String) -> SQLStatement {
        SQLStatement("SELECT hash, erasure, body_hash FROM \(tickets) WHERE key_hash = $1", [.text(keyHash)])
    }

    func countTickets(of erasure: UUID) -> SQLStatement {
        SQLStatement("SELECT count(*) FROM \(tickets) WHERE erasure = $1", [identifier(erasure)])
    }

    /// The erasure a ticket is for: `(erasure)`.
    func erasure(ticketHash: String) -> SQLStatement {
        SQLStatement("SELECT erasure FROM \(tickets) WHERE hash = $1", [.text(ticketHash)])
    }

    /// What a service knows of an erasure beside its record: `(grace_until, due_at, reason of a hold)`. The command's
    /// erasures were never requested here: they have neither time, and can be held all the same.
    func request(of id: UUID) -> SQLStatement {
        SQLStatement(
            """
            SELECT r.grace_until, r.due_at, (SELECT h.reason FROM \(holds) AS h WHERE h.erasure = e.id) \
            FROM \(erasures) AS e LEFT JOIN \(requestTable) AS r ON r.erasure = e.id WHERE e.id = $1
            """, [identifier(id)])
    }

    /// How many erasures of a subject have been carried out. SQLite takes the index of those that ended only where its
    /// condition stands letter for letter.
    func countDone(subjectHash: String) -> SQLStatement {
        SQLStatement(
            """
            SELECT count(*) FROM \(erasures) WHERE subject_hash = $1 AND state = 'done' \
            AND state IN ('done', 'cancelled')
            """, [.text(subjectHash)])
    }

    // MARK: Taking back

    /// Takes an erasure back, if nobody has begun with it: the one statement that decides against `claim`.
    func cancel(_ id: UUID, subjectHash: String, at now: Date) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(erasures) SET state = 'cancelled', finished_at = \(later("requested_at", "$3")), \
            sealed = NULL, wrapped_key = NULL \
            WHERE id = $1 AND subject_hash = $2 AND state IN ('requested', 'grace')
            """, [identifier(id), .text(subjectHash), .timestamp(now)])
    }

    /// The later one of two instants.
    private func later(_ one: String, _ other: String) -> String {
        "\(dialect == .postgresql ? "greatest" : "max")(\(one), \(other))"
    }

    func forgetReadiness(of id: UUID) -> SQLStatement {
        SQLStatement("UPDATE \(requestTable) SET ready_at = NULL WHERE erasure = $1", [identifier(id)])
    }

    // MARK: Holding

    /// Puts a hold on a live erasure, once it is taken from whoever works on it: under the old lease number no further
    /// step can begin. A step under way ends first; where it was the last, there is nothing left to be held. The last
    /// statement affects a row where the erasure was not held before.
    func hold(_ id: UUID, reason: String, at now: Date) -> [SQLStatement] {
        [
            SQLStatement(
                """
                UPDATE \(erasures) SET epoch = epoch + 1, owner = NULL, lease_until = NULL \
                WHERE id = $1 AND state IN ('fenced', 'running', 'verifying')
                """, [identifier(id)]),
            SQLStatement(
                """
                INSERT INTO \(holds) (erasure, reason, since) SELECT id, $2, $3 FROM \(erasures) \
                WHERE id = $1 AND state NOT IN ('done', 'cancelled') ON CONFLICT (erasure) DO NOTHING
                """, [identifier(id), .text(reason), .timestamp(now)]),
        ]
    }

    /// Ends the hold on an erasure, and with it those that its subject's cancelled erasures have left: a hold is the
    /// subject's.
    func endHold(of id: UUID) -> SQLStatement {
        SQLStatement(
            """
            DELETE FROM \(holds) AS h WHERE h.erasure = $1 \
            OR (SELECT e.subject_hash FROM \(erasures) AS e WHERE e.id = h.erasure) \
            = (SELECT e.subject_hash FROM \(erasures) AS e WHERE e.id = $1)
            """, [identifier(id)])
    }

    /// The holds that some subjects' cancelled erasures have left, the oldest first: `(subject_hash, erasure, reason,
    /// since)`. There are few holds, and each one's erasure is looked up by its key.
    func held(subjectHashes: [String]) -> SQLStatement {
        let isAmong: (condition: String, value: SQLValue) =
            dialect == .postgresql
            ? ("= ANY($1::text[])", .array(subjectHashes.map(SQLValue.text)))
            : (
                "IN (SELECT value FROM json_each($1))",
                .text("[" + subjectHashes.map { "\"\($0)\"" }.joined(separator: ",") + "]")
            )
        return SQLStatement(
            """
            SELECT l.subject_hash, l.erasure, l.reason, l.since FROM (SELECT h.erasure, h.reason, h.since, \
            (SELECT e.subject_hash FROM \(erasures) AS e WHERE e.id = h.erasure AND e.state = 'cancelled') \
            AS subject_hash FROM \(holds) AS h) AS l WHERE l.subject_hash \(isAmong.condition) ORDER BY l.since
            """, [isAmong.value])
    }

    // MARK: Step-up

    func keep(stepUp hash: String, of subjectHash: String, action: String, seconds: Int) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(stepUps) (hash, subject_hash, action, expires_at) VALUES ($1, $2, $3, \(fromNow("$4")))
            """, [.text(hash), .text(subjectHash), .text(action), .integer(Int64(seconds))])
    }

    /// Uses a proof up. It affects one row for the first who shows it in time, and none for everybody after.
    func spend(stepUp hash: String, of subjectHash: String, action: String) -> SQLStatement {
        SQLStatement(
            """
            DELETE FROM \(stepUps) WHERE hash = $1 AND subject_hash = $2 AND action = $3 \
            AND expires_at > \(fromNow("0"))
            """, [.text(hash), .text(subjectHash), .text(action)])
    }
}

/// A ticket as it is kept: nothing that opens anything.
struct TicketRecord: Sendable, Hashable {
    var hash: String
    var keyHash: String?
    var bodyHash: String
}
