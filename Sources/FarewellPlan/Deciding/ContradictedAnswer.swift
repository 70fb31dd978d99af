// SPDX-License-Identifier: Apache-2.0
import Farewell

/// A question that is asked again, because other answers contradict its answer: that answer comes last, and the reason
/// says why.
struct ContradictedAnswer {
    let answer: PlanQuestion.Answer
    /// The table whose rows the answer contradicts.
    let target: TableName

    /// - Parameter plan: With its answers applied.
    /// - Returns: `nil` where the check accepts the answer.
    init?(_ question: PlanQuestion, in plan: Plan) {
        guard let answer = question.answer, let link = question.link else { return nil }
        self.answer = answer
        guard answer != .unrelated else {
            let links = plan[link.target]?.links.filter(SubjectPaths.erases) ?? []
            // Without a key the value may name others. A row that owns its parent keeps that.
            guard link.onDelete != nil, links.isEmpty || !links.allSatisfy(\.isOwnedParent) else { return nil }
            target = link.target
            return
        }
        let without = question.links.first { link in
            plan.tables.first { $0.table == link.target }.map { ImpliedAnswers.isWithoutRows($0, plan) } ?? true
        }
        target = (without ?? link).target
    }

    /// The question as it is asked again.
    func applied(to question: PlanQuestion) -> PlanQuestion {
        var question = question
        if let place = question.answers.firstIndex(of: answer) {
            question.answers.append(question.answers.remove(at: place))
        }
        // The latest contradiction is enough.
        for link in question.links {
            for earlier in PlanQuestion.Answer.allCases {
                let words = Self.words(earlier, link.target) + " "
                if question.reason.hasPrefix(words) { question.reason.removeFirst(words.count) }
            }
        }
        question.reason = Self.words(answer, target) + " " + question.reason
        return question
    }

    private static func words(_ answer: PlanQuestion.Answer, _ target: TableName) -> String {
        let rows =
            answer == .unrelated
            ? "rows of \(target) are the subject's, and this key leads to them"
            : "no row of \(target) is the subject's"
        return "The answer `\(answer.rawValue)` contradicted others, by which \(rows)."
    }
}
