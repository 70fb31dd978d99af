// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// The database's copy of the ledger. Only committed erasures are in it.
extension ControlStore {
    var installation: String { migrations.table("installation") }

    /// All entries under today's keys.
    var ledgerEntries: StoreQuery<[LedgerRow]> {
        StoreQuery(
            SQLStatement("SELECT receipt, subject_hash, entry FROM \(ledger) WHERE keys IS NULL"), LedgerRow.all)
    }

    /// How many entries there are under today's keys, and the sum that `LedgerCount` makes of their receipts; on SQLite
    /// the last six digits of each, one after the other in six columns of sums by place.
    var ledgerCount: StoreQuery<LedgerCount> {
        if dialect.hasColumnTypes {
            return StoreQuery(
                SQLStatement(
                    """
                    SELECT count(*), coalesce(sum(('x' || right(receipt::text, 6))::bit(24)::integer), 0)::bigint \
                    FROM \(ledger) WHERE keys IS NULL
                    """), LedgerCount.first)
        }
        let digits = (0..<6).map { place in
            "(instr('0123456789abcdef', substr(receipt, \(31 + place), 1)) - 1) * \(1 << (4 * (5 - place)))"
        }
        return StoreQuery(
            SQLStatement(
                """
                SELECT count(*), coalesce(sum(\(digits.joined(separator: " + "))), 0) FROM \(ledger) \
                WHERE keys IS NULL
                """
            ), LedgerCount.first)
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

    /// The receipts that were given already for erasures under way. PostgreSQL: each is looked up by the index, also
    /// where the plan was made while the ledger was small.
    func receiptsGiven(to opened: [OpenedErasure]) -> StoreQuery<Set<UUID>> {
        let subjects = SQLValue.array(opened.map { .text($0.record.subjectHash) })
        let text =
            dialect.hasArrays
            ? """
            SELECT g.receipt FROM unnest($1::text[], $2::uuid[]) AS o (subject_hash, id) CROSS JOIN LATERAL \
            (SELECT l.receipt FROM \(ledger) AS l \
            WHERE l.subject_hash = o.subject_hash AND l.receipt = o.id LIMIT 1) AS g
            """
            : """
            SELECT receipt FROM \(ledger) WHERE subject_hash \(dialect.isAmong("$1", "text")) \
            AND receipt \(isAmong("$2"))
            """
        return StoreQuery(SQLStatement(text, [subjects, identifiers(opened.map(\.id))])) { result in
            Set(result.rows.compactMap { Self.receipt($0.first) })
        }
    }

    /// A receipt's identifier as either database answers it.
    static func receipt(_ value: SQLValue?) -> UUID? {
        if case .uuid(let id)? = value { return id }
        return value?.text.flatMap(UUID.init(text:))
    }

    // MARK: Keys

    /// Whether there is a table that says which keys the database belongs to, and one of erasures.
    var hasInstallation: StoreQuery<(keys: Bool, ledger: Bool)> {
        func count(_ name: String) -> String { "(\(dialect.ownTableCount("'\(name)'", in: "farewell")))" }
        return StoreQuery(SQLStatement("SELECT \(count("installation")), \(count("ledger"))")) { result in
            guard let row = result.rows.first, row.count == 2 else { return (false, false) }
            return (row[0].integer != 0, row[1].integer != 0)
        }
    }

    /// The keys that the database belongs to: `(keys)`.
    var keysInForce: SQLStatement { SQLStatement("SELECT keys FROM \(installation) WHERE id = 1") }

    /// Says that the database belongs to these keys from now on.
    func belong(to keys: String, at now: Date) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO \(installation) (id, keys, since) VALUES (1, $1, $2) \
            ON CONFLICT (id) DO UPDATE SET keys = excluded.keys, since = excluded.since
            """, [.text(keys), .timestamp(now)])
    }

    /// Puts entries of one set of keys aside and takes those of another back.
    func exchange(_ former: String, for keys: String) -> [SQLStatement] {
        [
            SQLStatement("UPDATE \(ledger) SET keys = $1 WHERE keys IS NULL", [.text(former)]),
            SQLStatement("UPDATE \(ledger) SET keys = NULL WHERE keys = $1", [.text(keys)]),
        ]
    }

    /// Entries that were made under keys which are no longer used.
    var formerEntries: SQLStatement { SQLStatement("SELECT count(*) FROM \(ledger) WHERE keys IS NOT NULL") }

    /// The newest receipts: `(receipt)`.
    func newestReceipts(_ limit: Int) -> SQLStatement {
        SQLStatement(
            """
            SELECT receipt FROM \(erasures) WHERE state = 'done' AND receipt IS NOT NULL \
            ORDER BY finished_at DESC LIMIT \(limit)
            """)
    }

    /// Erasures that are not over, with the key that was wrapped for each: `(id, wrapped_key)`.
    func wrappedKeys(_ limit: Int) -> SQLStatement {
        SQLStatement("SELECT id, wrapped_key FROM \(erasures) WHERE wrapped_key IS NOT NULL LIMIT \(limit)")
    }

    var anyEntry: SQLStatement { SQLStatement("SELECT count(*) FROM (SELECT 1 FROM \(ledger) LIMIT 1) AS one") }
}

extension LedgerCount {
    /// - Parameter result: `(count, sum)`.
    @Sendable static func first(_ result: SQLResult) -> LedgerCount {
        guard let row = result.rows.first, row.count == 2 else { return LedgerCount() }
        return LedgerCount(count: Int(row[0].integer ?? 0), sum: Int(row[1].integer ?? 0))
    }
}
