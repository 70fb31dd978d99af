// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// PostgreSQL: the statements that count and change the rows of one part for some erasures, and the reading of each
/// erasure's number of rows in each place from their answers.
struct CountedPart {
    /// The source of the numbers.
    enum Manner {
        /// The deletes themselves, or the server's counters of deleted rows.
        case byDeletes
        /// A count beforehand, which is also the record of the step.
        case beforehand
    }

    let statements: [SQLStatement]
    private let source: Source

    private enum Source {
        case deletes(CountedDeletes)
        case record(StatementParts.Query<[UUID: [String: Int]]>, StatementParts.Part, GuardedEffects)
    }

    /// The possible manners for a part of this many subjects, in the order in which they are tried.
    static func manners(_ part: RowErasure.Part, of people: Int, in prepared: PreparedPlan) -> [Manner] {
        let areExact = part.scope == .everything && CountedDeletes.areExact(of: people, in: prepared)
        return areExact ? [.byDeletes, .beforehand] : [.beforehand]
    }

    /// - Parameters:
    ///   - limit: From how many rows of one subject on the count beforehand fails.
    ///   - now: The end of the step in that count's record.
    init(
        _ part: RowErasure.Part, of erasures: [OpenedErasure], _ manner: Manner, limit: Int,
        in prepared: PreparedPlan, _ control: ControlStore, now: Date
    ) {
        let values = prepared.values(erasures)
        switch manner {
        case .byDeletes:
            let deletes = CountedDeletes(of: values, in: prepared)
            statements = deletes.statements
            source = .deletes(deletes)
        case .beforehand:
            let program = prepared.program(for: erasures.count)
            let counting = control.steps.finishCounting(
                step: part.step, of: erasures, counts: program.counts.bound(values, dialect: prepared.schema.dialect),
                among: program.places(of: part.scope), limit: limit, at: now)
            let watched = GuardedEffects(
                program.effects(of: part.scope), values, in: prepared, people: erasures.count)
            var parts = StatementParts()
            source = .record(parts.add(counting), parts.add(watched.statements), watched)
            statements = parts.statements
        }
    }

    /// Whether the statements have recorded the numbers.
    var isRecorded: Bool {
        if case .record = source { true } else { false }
    }

    /// Rows of each erasure by place; `nil` if the server does not count what it deletes (`track_counts`).
    ///
    /// - Parameter answers: Those of the statements.
    func counts(of erasures: [OpenedErasure], _ answers: [SQLResult]) throws -> [UUID: [String: Int]]? {
        switch source {
        case .deletes(let deletes):
            guard let rows = deletes.counts(answers) else { return nil }
            return erasures.reduce(into: [UUID: [String: Int]]()) { $0[$1.id] = rows[$1.subject.key.value] ?? [:] }
        case .record(let counting, _, _): return try counting.answer(in: answers)
        }
    }

    /// The known changes.
    ///
    /// - Parameter counts: Those that these answers say.
    func evidence(_ answers: [SQLResult], _ counts: [UUID: [String: Int]]) -> ChangeEvidence {
        switch source {
        case .deletes(let deletes): return deletes.evidence(answers)
        case .record(_, let changes, let watched):
            let found = counts.values.reduce(into: [String: Int]()) { $0.merge($1, uniquingKeysWith: +) }
            return watched.evidence(in: changes.answers(in: answers), found: found)
        }
    }
}
