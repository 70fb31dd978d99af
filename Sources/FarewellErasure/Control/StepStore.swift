// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// The steps of erasures, with their counts and their progress.
struct StepStore: StoreTables {
    let dialect: SQLDialect
    let lease: Int

    /// Records that a step begins, before it does; a step begun again counts an attempt.
    func begin(step name: String, of ids: [UUID], at now: Date) -> [SQLStatement] {
        guard !ids.isEmpty else { return [] }
        // The condition keeps SQLite from taking ON CONFLICT for a join's ON.
        let source = "\(dialect.unpacked("$1", "uuid", as: "e")) WHERE true"
        return [
            SQLStatement(
                """
                INSERT INTO \(stepTable) (erasure, name, state, started_at) \
                SELECT e.value, $2, 'running', $3 FROM \(source) \
                ON CONFLICT (erasure, name) DO UPDATE SET attempts = \(stepTable).attempts + 1
                """, [identifiers(ids), .text(name), .timestamp(now)])
        ]
    }

    /// - Parameters:
    ///   - round: How often a third-party system's part was restarted; it is kept.
    ///   - place: The fingerprint of the place there where data was found; it is kept.
    func finish(
        step name: String, of id: UUID, counts: [String: Int], round: Int? = nil, place: String? = nil, at now: Date
    ) -> SQLStatement {
        var parameters: [SQLValue] = [identifier(id), .text(name), .timestamp(now), .text(encoded(counts))]
        let isKept = round != nil || place != nil
        if isKept {
            var kept = StepProgress(effect: 1)
            (kept.round, kept.place, kept.look) = (round, place, .ended)
            parameters.append(.text(encoded(kept)))
        }
        return SQLStatement(
            """
            UPDATE \(stepTable) SET state = 'done', finished_at = $3, counts = $4, \
            progress = \(isKept ? "$5" : "NULL") WHERE erasure = $1 AND name = $2
            """, parameters)
    }

    /// Records when steps have ended that are recorded as done already, in a transaction whose changes took time.
    func end(step name: String, of ids: [UUID], at now: Date) -> SQLStatement {
        SQLStatement(
            "UPDATE \(stepTable) SET finished_at = $3 WHERE erasure \(isAmong("$1")) AND name = $2",
            [identifiers(ids), .text(name), .timestamp(now)])
    }

    /// Whether a step with this name found data of the subject, or of other subjects, at a place.
    ///
    /// - Parameters:
    ///   - subjectHash: The subject's, if all of their erasures count; otherwise `nil`.
    ///   - id: The subject's erasure that is under way; `nil` if there is none.
    ///   - since: When a step of another subject may have begun at the earliest: an app may keep its data elsewhere
    ///     since.
    func placeRecord(
        _ name: String, at place: String, of subjectHash: String?, in id: UUID?, since: Date
    ) -> StoreQuery<PlaceRecord> {
        // Inside a text of the progress, such as a cursor, the quotes would be escaped.
        var parameters: [SQLValue] = [.text(name), .text("%\"place\":\"\(place)\"%")]
        let found = "SELECT 1 FROM \(stepTable) AS s"
        // SQLite uses the index only if the condition of the index is written out.
        let isHere = "s.name = $1 AND s.progress IS NOT NULL AND s.progress LIKE $2"
        var own: [String] = []
        if let id {
            parameters.append(identifier(id))
            own.append("\(found) WHERE s.erasure = $\(parameters.count) AND \(isHere)")
        }
        if let subjectHash {
            parameters.append(.text(subjectHash))
            let joined = "\(found) JOIN \(erasures) AS e ON e.id = s.erasure AND \(isHere)"
            // Each has an index of its own.
            own += ["NOT IN", "IN"].map {
                "\(joined) WHERE e.subject_hash = $\(parameters.count) AND e.state \($0) ('done', 'cancelled')"
            }
        }
        parameters.append(.timestamp(since))
        let isRecent = "s.started_at > $\(parameters.count)"
        let theirs = own.map { "WHEN EXISTS (\($0)) THEN \(PlaceRecord.dataOfSubject.rawValue) " }.joined()
        return StoreQuery(
            SQLStatement(
                """
                SELECT CASE \(theirs)WHEN EXISTS (\(found) WHERE \(isHere) AND \(isRecent)) \
                THEN \(PlaceRecord.dataOfOthers.rawValue) ELSE \(PlaceRecord.nothing.rawValue) END
                """, parameters)
        ) { result in
            result.scalar?.integer.flatMap { PlaceRecord(rawValue: Int($0)) } ?? .nothing
        }
    }

    /// PostgreSQL: records a step that has begun and ended in this transaction, with each erasure's counts.
    func record(step name: String, counts: [UUID: [String: Int]], begunAt: Date, at now: Date) -> SQLStatement {
        let all = Array(counts)
        return SQLStatement(
            """
            INSERT INTO \(stepTable) (erasure, counts, name, state, started_at, finished_at) \
            SELECT r.*, $3, 'done', $4, $5 FROM unnest($1::uuid[], $2::text[]) AS r
            """,
            [
                .array(all.map { .uuid($0.key) }), .array(all.map { .text(encoded($0.value)) }), .text(name),
                .timestamp(begunAt), .timestamp(now),
            ])
    }

    /// PostgreSQL: counts each erasure's rows and finishes its step with the numbers, in one statement, so that
    /// counting, deleting and recording need one round trip. Answers each erasure's counts by place. Fails by a
    /// division by zero when one of them has `limit` rows or more.
    ///
    /// - Parameter places: The places of the step, which it reports; `nil` for all counted ones.
    func finishCounting(
        step name: String, of opened: [OpenedErasure], counts: SQLStatement, among places: [String]?, limit: Int,
        at now: Date
    ) -> StoreQuery<[UUID: [String: Int]]> {
        let first = counts.parameters.count
        // A place is counted link by link, and one subject's rows may be reported under more than one name.
        let names = opened.count == 1 ? "place" : "place, subject"
        let summed = "SELECT \(names), sum(n) AS n FROM (\(counts.text)) AS parts GROUP BY \(names)"
        let isTold =
            places == nil ? "IS NOT NULL" : "= ANY($\(first + (opened.count == 1 ? 5 : 6))::text[])"
        let told = """
            CASE WHEN coalesce(sum(q.n), 0) < $\(first + 4) \
            THEN coalesce(jsonb_object_agg(q.place, q.n) FILTER (WHERE q.place \(isTold)), '{}')::text \
            ELSE (1 / (count(*) - count(*)))::text END
            """
        let text =
            opened.count == 1
            ? """
            UPDATE \(stepTable) AS s SET state = 'done', finished_at = $\(first + 2), progress = NULL, \
            counts = (SELECT \(told) FROM (\(summed)) AS q) \
            WHERE s.erasure = ($\(first + 1)::uuid[])[1] AND s.name = $\(first + 3) RETURNING s.erasure, s.counts
            """
            : """
            UPDATE \(stepTable) AS s SET state = 'done', finished_at = $\(first + 2), progress = NULL, \
            counts = c.counts \
            FROM (SELECT m.erasure, \(told) AS counts \
            FROM unnest($\(first + 1)::uuid[], $\(first + 5)::text[]) AS m (erasure, subject) \
            LEFT JOIN (\(summed)) AS q ON q.subject = m.subject GROUP BY m.erasure) AS c \
            WHERE s.erasure = c.erasure AND s.name = $\(first + 3) RETURNING s.erasure, s.counts
            """
        var parameters =
            counts.parameters + [
                .array(opened.map { .uuid($0.id) }), .timestamp(now), .text(name), .integer(Int64(limit)),
            ]
        if opened.count > 1 { parameters.append(.array(opened.map { .text($0.subject.key.text) })) }
        if let places { parameters.append(.array(places.map(SQLValue.text))) }
        return StoreQuery(SQLStatement(text, parameters)) { result in
            var counts: [UUID: [String: Int]] = [:]
            for row in result.rows {
                guard let id = row[0].identifier else { continue }
                counts[id] = (try? Self.decoded(row[1])) ?? [:]
            }
            return counts
        }
    }

    /// Stores the progress of a long step.
    func store(_ progress: StepProgress, step name: String, of id: UUID) -> SQLStatement {
        SQLStatement(
            "UPDATE \(stepTable) SET progress = $3 WHERE erasure = $1 AND name = $2",
            [identifier(id), .text(name), .text(encoded(progress))])
    }

    /// The steps of an erasure, in the order in which they began.
    func records(of id: UUID) -> StoreQuery<[StepRecord]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT name, state, attempts, started_at, finished_at, counts, progress FROM \(stepTable) \
                WHERE erasure = $1 ORDER BY started_at, name
                """, [identifier(id)]), Self.records)
    }

    /// The same of several erasures. One without steps is missing.
    func records(of ids: [UUID]) -> StoreQuery<[UUID: [StepRecord]]> {
        StoreQuery(
            SQLStatement(
                """
                SELECT name, state, attempts, started_at, finished_at, counts, progress, erasure FROM \(stepTable) \
                WHERE erasure \(isAmong("$1")) ORDER BY started_at, name
                """, [identifiers(ids)])
        ) { result in
            var steps: [UUID: [StepRecord]] = [:]
            for row in result.rows {
                guard let id = row.last?.identifier else { throw Self.unreadable }
                steps[id, default: []].append(try Self.record(row.dropLast()))
            }
            return steps
        }
    }

    /// - Throws: `control.unreadable`.
    static func records(_ result: SQLResult) throws -> [StepRecord] { try result.rows.map { try record($0[...]) } }

    private static func record(_ row: ArraySlice<SQLValue>) throws -> StepRecord {
        guard row.count == 7, let name = row[0].text, let state = row[1].text.flatMap(StepState.init(rawValue:)),
            let startedAt = row[3].date
        else { throw unreadable }
        let counts: [String: Int] = try decoded(row[5]) ?? [:]
        let progress: StepProgress? = try decoded(row[6])
        guard isCount(counts), isCount(progress?.counts ?? [:]) else { throw unreadable }
        return StepRecord(
            name: name, state: state, attempts: Int(row[2].integer ?? 0), startedAt: startedAt,
            finishedAt: row[4].date, counts: counts, progress: progress?.look == .ended ? nil : progress,
            round: progress?.round, systemPlace: progress?.place, pausedUntil: progress?.pausedUntil)
    }

    /// More in all than a step can have counted, or less than nothing, is damage.
    private static func isCount(_ counts: [String: Int]) -> Bool {
        var left = 1 << 53
        return counts.values.allSatisfy { count in
            guard (0...left).contains(count) else { return false }
            left -= count
            return true
        }
    }

    private static var unreadable: FarewellError {
        FarewellError("control.unreadable", .ours, "A step in the control store cannot be read.")
    }

    private func encoded(_ value: some Encodable) -> String {
        (try? CanonicalJSON.text(value)) ?? "{}"
    }

    private static func decoded<Value: Decodable>(_ value: SQLValue) throws -> Value? {
        guard let text = value.text else { return nil }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        } catch {
            throw unreadable
        }
    }
}
