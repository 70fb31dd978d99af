// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// What operators look at: how many, what is due, who works, how many a day, what fails.
extension ControlStore {
    /// `(state, count)`.
    var stateCounts: SQLStatement { SQLStatement("SELECT state, count(*) FROM \(erasures) GROUP BY state") }

    /// The newest of a state whose number or keyed hash begins as given; empty texts are no condition.
    func found(state: String, beginning search: String, limit: Int) -> SQLStatement {
        let text = "CAST($2 AS text)"
        return SQLStatement(
            """
            SELECT \(ErasureRecord.columns) FROM \(erasures) WHERE (CAST($1 AS text) = '' OR state = $1) \
            AND (\(text) = '' OR substr(CAST(id AS text), 1, length(\(text))) = \(text) \
            OR substr(lower(subject_hash), 1, length(\(text))) = \(text)) ORDER BY requested_at DESC, id LIMIT $3
            """, [.text(state), .text(search), .integer(Int64(limit))])
    }

    /// The living ones that are due first, those that were never asked for by a service left out.
    func dueFirst(limit: Int) -> SQLStatement {
        SQLStatement(
            """
            SELECT \(columns(of: "e")) FROM \(erasures) AS e JOIN \(requestTable) AS r ON r.erasure = e.id \
            WHERE e.state NOT IN ('done', 'cancelled') ORDER BY r.due_at, e.id LIMIT $1
            """, [.integer(Int64(limit))])
    }

    /// Those that somebody works on, whose lease runs out first.
    func leased(limit: Int) -> SQLStatement {
        SQLStatement(
            """
            SELECT \(ErasureRecord.columns) FROM \(erasures) WHERE owner IS NOT NULL \
            AND state NOT IN ('done', 'cancelled') ORDER BY lease_until, id LIMIT $1
            """, [.integer(Int64(limit))])
    }

    /// What a service knows of several: `(erasure, grace_until, due_at, reason of a hold)`.
    func requests(of ids: [UUID]) -> SQLStatement {
        SQLStatement(
            """
            SELECT r.erasure, r.grace_until, r.due_at, \
            (SELECT h.reason FROM \(holds) AS h WHERE h.erasure = r.erasure) \
            FROM \(requestTable) AS r WHERE r.erasure \(isAmong("$1"))
            """, [identifiers(ids)])
    }

    /// How many were asked for, and how many ended, on each day from one on: `(day, kind, count)`.
    func days(from day: Date) -> SQLStatement {
        SQLStatement(
            """
            SELECT \(date("requested_at")) AS day, 'asked', count(*) FROM \(erasures) \
            WHERE requested_at >= $1 GROUP BY 1 \
            UNION ALL SELECT \(date("finished_at")), state, count(*) FROM \(erasures) \
            WHERE finished_at >= $1 GROUP BY 1, 2
            """, [.timestamp(day)])
    }

    /// What was tried and did not succeed at once, by step and day: `(day, step, failures)`.
    func failures(from day: Date) -> SQLStatement {
        let failed = "sum(CASE WHEN state = 'done' THEN attempts - 1 ELSE attempts END)"
        return SQLStatement(
            """
            SELECT \(date("started_at")), name, \(failed) FROM \(stepTable) AS s \
            WHERE started_at >= $1 AND (attempts > 1 OR (state <> 'done' AND EXISTS (SELECT 1 FROM \(erasures) AS e \
            WHERE e.id = s.erasure AND e.state = 'needs attention'))) GROUP BY 1, 2
            """, [.timestamp(day)])
    }

    /// The outbox: `(endpoint, state, count)`.
    var outboxCounts: SQLStatement {
        SQLStatement("SELECT endpoint, state, count(*) FROM \(deliveries) GROUP BY endpoint, state ORDER BY endpoint")
    }

    private func date(_ column: String) -> String {
        dialect == .postgresql ? "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD')" : "substr(\(column), 1, 10)"
    }

    private func columns(of name: String) -> String {
        ErasureRecord.columns.split(separator: ", ").map { "\(name).\($0)" }.joined(separator: ", ")
    }
}
