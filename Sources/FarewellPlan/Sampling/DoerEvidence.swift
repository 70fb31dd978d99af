// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Whether sampled numbers show that a column holds users' keys of which nothing else says so but the ending of a noun:
/// `licensor_id`.
struct DoerEvidence {
    private let context: CheckContext
    private let probe: SampleProbe

    init(_ context: CheckContext, _ probe: SampleProbe) {
        self.context = context
        self.probe = probe
    }

    /// - Parameters:
    ///   - keys: The sampled numbers that are users' keys.
    ///   - total: How many numbers were sampled.
    func confirms(_ question: PlanQuestion, _ keys: Set<Int64>, of total: Int) async throws -> Bool {
        let subject = context.plan.subject
        guard question.answers.first == .unrelated, question.answers.contains(.owner), question.columns.count == 1,
            let link = question.link, link.target == subject.table, link.targetColumns == [subject.key],
            PersonNoun.onlySoundsLikeDoer(KeyName(question.columns[0]).noun), keys.count == total,
            keys.count(where: SampleEvidence.isLarge) >= SampleEvidence.leastValues
        else { return false }
        // Where keys are counted, other tables' numbers are among them.
        let key = ColumnName(subject.table, subject.key)
        let estimate = context.map[subject.table]?.estimatedRows
        guard let (range, rows) = try await probe.range(of: key, estimate: estimate) else { return false }
        let width = Double(range.upperBound) - Double(range.lowerBound) + 1
        return Double(rows) <= width / 100
    }
}
