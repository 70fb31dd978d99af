// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The questions that one word answers: those that are open, and those that would be asked again.
package struct ChosenAnswers {
    /// The answers by the numbers of their questions.
    package private(set) var answers: [Int: PlanQuestion.Answer] = [:]
    /// The questions that do not offer their answer.
    package private(set) var unfit: [Int] = []

    /// - Parameters:
    ///   - contradicted: The questions that are asked again, unless their answer changes.
    ///   - incomplete: The questions whose answer lacks a value that is given now.
    ///   - again: Whether existing answers change.
    ///   - wanted: The answer to a question; `nil`: it is not chosen.
    package init(
        _ plan: Plan, contradicted: Set<Int>, incomplete: Set<Int> = [], again: Bool,
        _ wanted: (PlanQuestion) -> PlanQuestion.Answer?
    ) {
        for (number, question) in plan.questions.enumerated() {
            guard let answer = wanted(question) else { continue }
            let isAskedAgain = contradicted.contains(number) && question.answer != answer
            guard again || question.isOpen || isAskedAgain || incomplete.contains(number) else { continue }
            guard question.answers.contains(answer), question.declares(answer) else {
                unfit.append(number)
                continue
            }
            answers[number] = answer
        }
    }

    /// Whether a word would change an existing answer.
    package static func changeAnswers(_ plan: Plan, _ wanted: (PlanQuestion) -> PlanQuestion.Answer?) -> Bool {
        plan.questions.contains { question in
            guard !question.isOpen, let answer = wanted(question) else { return false }
            return question.answer != answer
        }
    }
}
