// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

extension ControlStore {
    /// Records that a step begins, before it does; a step begun again counts an attempt.
    package func begin(step name: String, of ids: [UUID], at now: Date) -> [SQLStatement] {
        ids.map { id in
            SQLStatement(
                """
                INSERT INTO \(steps) (erasure, name, state, started_at) VALUES ($1, $2, 'running', $3) \
                ON CONFLICT (erasure, name) DO UPDATE SET attempts = \(steps).attempts + 1
                """, [identifier(id), .text(name), .timestamp(now)])
        }
    }

    package func finish(step name: String, of id: UUID, counts: [String: Int], at now: Date) -> SQLStatement {
        SQLStatement(
            """
            UPDATE \(steps) SET state = 'done', finished_at = $3, counts = $4, progress = NULL \
            WHERE erasure = $1 AND name = $2
            """, [identifier(id), .text(name), .timestamp(now), .text(encoded(counts))])
    }

    /// PostgreSQL: counts each member's rows and finishes its step with the numbers, in one statement, so that
    /// counting, deleting and recording need one round trip. Answers `(erasure, counts as JSON)`.
    func finishCounting(
        step name: String, of members: [ErasureMember], counts: SQLStatement, at now: Date
    ) -> SQLStatement {
        let first = counts.parameters.count
        return SQLStatement(
            """
            UPDATE \(steps) AS s SET state = 'done', finished_at = $\(first + 3), counts = c.counts, progress = NULL \
            FROM (SELECT m.erasure, \
            coalesce(jsonb_object_agg(q.place, q.n) FILTER (WHERE q.place IS NOT NULL), '{}')::text AS counts \
            FROM unnest($\(first + 1)::uuid[], $\(first + 2)::text[]) AS m (erasure, subject) \
            LEFT JOIN (\(counts.text)) AS q ON q.subject = m.subject GROUP BY m.erasure) AS c \
            WHERE s.erasure = c.erasure AND s.name = $\(first + 4) RETURNING s.erasure, s.counts
            """,
            counts.parameters + [
                .array(members.map { .uuid($0.id) }), .array(members.map { .text($0.subject.key.text) }),
                .timestamp(now), .text(name),
            ])
    }

    /// Stores how far a long step has come.
    package func store(_ progress: StepProgress, step name: String, of id: UUID) -> SQLStatement {
        SQLStatement(
            "UPDATE \(steps) SET progress = $3 WHERE erasure = $1 AND name = $2",
            [identifier(id), .text(name), .text(encoded(progress))])
    }

    package func stepsStatement(of id: UUID) -> SQLStatement {
        SQLStatement(
            """
            SELECT name, state, attempts, started_at, finished_at, counts, progress FROM \(steps) \
            WHERE erasure = $1 ORDER BY started_at, name
            """, [identifier(id)])
    }

    package func steps(_ result: SQLResult) throws -> [StepRecord] {
        try result.rows.map { row in
            guard row.count == 7, let name = row[0].text, let state = row[1].text.flatMap(StepState.init(rawValue:)),
                let startedAt = row[3].date
            else {
                throw FarewellError("control.unreadable", .ours, "A step in the control store cannot be read.")
            }
            return StepRecord(
                name: name, state: state, attempts: Int(row[2].integer ?? 0), startedAt: startedAt,
                finishedAt: row[4].date, counts: try decoded(row[5]) ?? [:], progress: try decoded(row[6]))
        }
    }

    private func encoded(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(value)).flatMap { String(bytes: $0, encoding: .utf8) } ?? "{}"
    }

    private func decoded<Value: Decodable>(_ value: SQLValue) throws -> Value? {
        guard let text = value.text else { return nil }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        } catch {
            throw FarewellError("control.unreadable", .ours, "A step in the control store cannot be read.")
        }
    }
}
