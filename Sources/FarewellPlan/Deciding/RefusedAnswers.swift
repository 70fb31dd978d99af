// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Answers that the check refuses beside other answers: `not personal` for a key to rows that another answer gave to
/// the subject, and a link to rows that another answer took away.
enum RefusedAnswers {
    private static let linking: Set<String> = ["link.target-not-personal", "link.target-not-owned"]

    /// The answers to be asked about again, by the numbers of their questions, each with the first finding about it.
    /// While the answer to another question may settle a contradiction, its question is not among them.
    ///
    /// - Parameters:
    ///   - plan: With its answers applied.
    ///   - kept: The numbers of questions whose answers stay in any case.
    static func due(_ plan: Plan, _ schema: Schema, keeping kept: Set<Int>) -> [Int: Finding] {
        let refused = of(plan, FollowingQuestions.errors(plan, schema)).filter { !kept.contains($0.key) }
        guard !refused.isEmpty else { return [:] }
        let map = SchemaMap(schema)
        let open = OpenAnswers(plan, map)
        let ripe = refused.filter { !open.maySettle($0.key) }
        // An answer about a link to the rows of another refused answer waits for that one.
        let reopened = OpenAnswers(plan, map, reopening: Set(ripe.keys))
        let first = ripe.filter { !reopened.maySettle($0.key) }
        guard first.isEmpty, let one = ripe.min(by: { $0.key < $1.key }) else { return first }
        return [one.key: one.value]
    }

    /// The answers by the numbers of their questions, each with the first finding about it. Answers that follow from
    /// others are not among them (`ImpliedAnswers.contradicted`), nor are those without an alternative.
    ///
    /// - Parameter errors: Of the check.
    static func of(_ plan: Plan, _ errors: [Finding]) -> [Int: Finding] {
        let found = Dictionary(grouping: errors) { Place(table: $0.table, column: $0.column) }
        var refused: [Int: Finding] = [:]
        for (number, question) in plan.questions.enumerated() {
            guard let answer = question.answer, !question.isImplied, question.answers.count > 1,
                let link = question.link
            else { continue }
            let isUnrelated = answer == .unrelated
            guard !isUnrelated || link.onDelete != nil else { continue }
            let place = Place(table: question.table, column: isUnrelated ? question.columns.first : link.columns.first)
            let codes = isUnrelated ? RepeatedAnswer.codes : linking
            refused[number] = found[place]?.first { codes.contains($0.code.rawValue) }
        }
        return refused
    }

    private struct Place: Hashable {
        let table: TableName?
        let column: String?
    }
}
