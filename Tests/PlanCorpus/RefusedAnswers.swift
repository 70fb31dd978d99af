// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL

/// The answers that a draft offers and `check` then refuses: given alone, and beside answers that lead to the subject.
package enum RefusedAnswers {
    /// In words, with the errors that an answer leads to and that the plan does not have without it.
    package static func of(_ plan: Plan, _ schema: Schema) -> [String] {
        // A way to the subject may go through a table about which another question asks.
        var leading = plan
        for (number, question) in plan.questions.enumerated() {
            leading.questions[number].answer = question.answers.contains(.owner) ? .owner : question.answers.first
        }
        let alone = Set(errors(plan, schema).map(place))
        // A check takes most of the time: one is enough for each answer that is among those that lead to the subject.
        let together = errors(leading.answered(), schema)
        return plan.questions.enumerated().flatMap { number, question in
            var open = leading
            open.questions[number].answer = nil
            // Most answers are accepted alone.
            lazy var beside = Set(errors(open.answered(), schema).map(place))
            return question.answers.compactMap { answer -> String? in
                if answer == leading.questions[number].answer, refusals(together, of: question, answer).isEmpty { return nil }
                var found: Finding?
                for isAlone in [true, false] {
                    var given = isAlone ? plan : open
                    given.questions[number].answer = answer
                    let new = refusals(errors(given.answered(), schema), of: question, answer)
                    guard !new.isEmpty else { return nil }
                    let known = isAlone ? alone : beside
                    found = new.first { !known.contains(place($0)) }
                    if found == nil { return nil }
                }
                guard let found else { return nil }
                let columns = question.columns.joined(separator: ", ")
                return "\(question.table) (\(columns)) \(answer.rawValue): \(place(found)): \(found.message)"
            }
        }
    }

    /// Without the questions that answers lead to: `decide` asks them in the same walk.
    private static func errors(_ plan: Plan, _ schema: Schema) -> [Finding] {
        PlanCheck.findingsBesideQuestions(plan, schema).filter { $0.severity == .error }
    }

    /// The errors about the question's table, without those that the answer is expected to lead to.
    private static func refusals(
        _ errors: [Finding], of question: PlanQuestion, _ answer: PlanQuestion.Answer
    ) -> [Finding] {
        errors.filter { $0.table == question.table && !isExpected($0, of: question, answer) }
    }

    private static func place(_ finding: Finding) -> String { "\(finding.code.rawValue) \(finding.place)" }

    /// Whether the question itself says that the answer leads to this error.
    private static func isExpected(_ finding: Finding, of question: PlanQuestion, _ answer: PlanQuestion.Answer) -> Bool {
        finding.code == "link.reference-not-null" && answer == .reference && finding.table == question.table
            && question.reason.contains("reference also needs a value (`set`)")
    }
}
