// SPDX-License-Identifier: Apache-2.0
public import Farewell

extension Plan {
    /// The plan with every open question answered in the same way, and the answers applied; for examples and tests with
    /// known schemas.
    ///
    /// - Parameter answer: If a question does not offer it, the first answer that it offers is used, but not
    ///   `anonymise`, which changes rows that stay.
    public func answeringAll(_ answer: PlanQuestion.Answer) -> Plan {
        var plan = self
        for place in plan.questions.indices where plan.questions[place].isOpen {
            let question = plan.questions[place]
            let isOffered = question.answers.contains(answer) && question.declares(answer)
            let first = question.answers.first { $0 != .anonymise } ?? .unrelated
            plan.questions[place].answer = isOffered ? answer : first
        }
        return plan.answered()
    }
}
