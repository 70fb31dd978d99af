// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The operators' view: the numbers, due dates, workers, results by day, failures.
extension RequestStore {
    /// How many erasures are in each state.
    var stateCounts: StoreQuery<[ErasureState: Int]> {
        StoreQuery(SQLStatement("SELECT state, count(*) FROM \(erasures) GROUP BY state"), Self.counts)
    }

    private static func counts(_ result: SQLResult) -> [ErasureState: Int] {
        var counts: [ErasureState: Int] = [:]
        for row in result.rows {
            guard let state = row[0].text.flatMap(ErasureState.init(rawValue:)) else { continue }
            counts[state] = Int(row[1].integer ?? 0)
        }
        return counts
    }

    /// How many unfinished erasures are in each state. An index has these alone, so that years of finished ones cost
    /// nothing.
    var liveCounts: StoreQuery<[ErasureState: Int]> {
        StoreQuery(
            SQLStatement(
                "SELECT state, count(*) FROM \(erasures) WHERE state NOT IN ('done', 'cancelled') GROUP BY state"),
            Self.counts)
    }

    /// The newest of a state whose number or keyed hash begins as given; empty texts are no condition.
    func found(state: String, beginning search: String, limit: Int) -> StoreQuery<[ErasureRecord]> {
        let text = "CAST($2 AS text)"
        return StoreQuery(
            SQLStatement(
                """
                SELECT \(ErasureRecord.columns) FROM \(erasures) WHERE (CAST($1 AS text) = '' OR state = $1) \
                AND (\(text) = '' OR substr(CAST(id AS text), 1, length(\(text))) = \(text) \
                OR substr(lower(subject_hash), 1, length(\(text))) = \(text)) ORDER BY requested_at DESC, id LIMIT $3
                """, [.text(state), .text(search), .integer(Int64(limit))]), ErasureRecord.all)
    }

    /// The live erasures that are due first, without those that no service accepted.
    func dueFirst(limit: Int) -> StoreQuery<[ErasureRecord]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT \(columns(of: "e")) FROM \(erasures) AS e JOIN \(requestTable) AS r ON r.erasure = e.id \
                WHERE e.state NOT IN ('done', 'cancelled') ORDER BY r.due_at, e.id LIMIT $1
                """, [.integer(Int64(limit))]), ErasureRecord.all)
    }

    /// The erasures that a worker holds, the earliest end of a lease first.
    func leased(limit: Int) -> StoreQuery<[ErasureRecord]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT \(ErasureRecord.columns) FROM \(erasures) WHERE owner IS NOT NULL \
                AND state NOT IN ('done', 'cancelled') ORDER BY lease_until, id LIMIT $1
                """, [.integer(Int64(limit))]), ErasureRecord.all)
    }

    /// The numbers of requests and of ends, on each day from one on; their kind is `asked` or a state.
    func days(from day: Date) -> StoreQuery<[DayCount]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT \(date("requested_at")) AS day, 'asked', count(*) FROM \(erasures) \
                WHERE requested_at >= $1 GROUP BY 1 \
                UNION ALL SELECT \(date("finished_at")), state, count(*) FROM \(erasures) \
                WHERE finished_at >= $1 GROUP BY 1, 2
                """, [.timestamp(day)]), DayCount.all)
    }

    /// How many were completed since a time, and how long they took.
    func throughput(since time: Date) -> StoreQuery<ErasureThroughput> {
        StoreQuery(
            SQLStatement(
                """
                SELECT total, requested_at, finished_at FROM (SELECT requested_at, finished_at, \
                row_number() OVER (ORDER BY \(dialect.span(from: "requested_at", to: "finished_at"))) AS place, \
                count(*) OVER () AS total FROM \(erasures) WHERE state = 'done' AND finished_at >= $1) AS took \
                WHERE place = total / 2 + 1 OR place = total ORDER BY place
                """, [.timestamp(time)]), Self.readThroughput)
    }

    /// From the one in the middle and the slowest, as `(total, requested_at, finished_at)`.
    @Sendable private static func readThroughput(_ result: SQLResult) -> ErasureThroughput {
        let times = result.rows.compactMap { row -> TimeInterval? in
            guard let requested = row[1].date, let finished = row[2].date else { return nil }
            return finished.timeIntervalSince(requested)
        }
        return ErasureThroughput(done: Int(result.rows.first?[0].integer ?? 0), half: times.first, slowest: times.last)
    }

    /// How many unfinished erasures are overdue at a time, without those that are parked.
    func countOverdue(at time: Date) -> StoreQuery<Int> {
        StoreQuery(
            SQLStatement(
                """
                SELECT count(*) FROM \(erasures) AS e JOIN \(requestTable) AS r ON r.erasure = e.id \
                WHERE e.state NOT IN ('done', 'cancelled', 'needs attention') AND r.due_at < $1
                """, [.timestamp(time)])
        ) { Int($0.scalar?.integer ?? 0) }
    }

    /// Attempts without immediate success, by day; their kind is the step.
    func failures(from day: Date) -> StoreQuery<[DayCount]> {
        let failed = "sum(CASE WHEN state = 'done' THEN attempts - 1 ELSE attempts END)"
        return StoreQuery(
            SQLStatement(
                """
                SELECT \(date("started_at")), name, \(failed) FROM \(stepTable) AS s \
                WHERE started_at >= $1 AND (attempts > 1 OR (state <> 'done' AND EXISTS \
                (SELECT 1 FROM \(erasures) AS e \
                WHERE e.id = s.erasure AND e.state = 'needs attention'))) GROUP BY 1, 2
                """, [.timestamp(day)]), DayCount.all)
    }

    private func date(_ column: String) -> String {
        dialect.day(of: column)
    }

    private func columns(of name: String) -> String {
        ErasureRecord.columns.split(separator: ", ").map { "\(name).\($0)" }.joined(separator: ", ")
    }
}
