// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Answers that follow from other answers and from the keys of the database.
///
/// A question about a link to a table that may hold rows of subjects depends on that table's questions. Once those are
/// answered, a declared key alone decides, and a link into a table without rows of subjects leads nowhere.
package enum ImpliedAnswers {
    /// The answers that follow, by the numbers of the open questions.
    package static func of(_ plan: Plan) -> [Int: PlanQuestion.Answer] {
        var plan = plan
        var found: [Int: PlanQuestion.Answer] = [:]
        while true {
            let fresh = next(plan.answered()).filter { found[$0.key] == nil }
            guard !fresh.isEmpty else { return found }
            for (number, answer) in fresh {
                plan.questions[number].answer = answer
                found[number] = answer
            }
        }
    }

    private static func next(_ plan: Plan) -> [Int: PlanQuestion.Answer] {
        let rules = Dictionary(plan.tables.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        let open = Dictionary(grouping: plan.questions.filter(\.isOpen), by: \.table)
        var answers: [Int: PlanQuestion.Answer] = [:]
        for (number, question) in plan.questions.enumerated() where question.isOpen {
            // Where the target is erased anyway, the question is not about the target.
            guard let link = question.link, question.others.isEmpty, question.answers.contains(.unrelated),
                let target = rules[link.target]
            else { continue }
            let isSelf = link.target == question.table
            // A link that no key declares leads nowhere if no row there is the subject's.
            let isMoot =
                link.onDelete != nil
                || link.target != plan.subject.table
                    && (!target.rule.isPersonal || !target.links.isEmpty && target.links.allSatisfy(\.isReference))
            guard isMoot else { continue }
            if !target.rule.erasesRows {
                let others = open[link.target]?.contains { !isSelf || $0.link?.target != question.table } ?? false
                if !others { answers[number] = .unrelated }
                continue
            }
            guard !isSelf, link.onDelete != nil else { continue }
            if !question.answers.contains(.owner) {
                answers[number] = .reference
            } else if link.onDelete == .cascade, question.answers.first(where: { $0 != .unrelated }) == .owner,
                open[question.table]?.count == 1,
                rules[question.table]?.links.isEmpty ?? false
            {
                answers[number] = .owner
            }
        }
        return answers
    }
}
