// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Answers that follow from other answers and from the keys of the database.
///
/// A question about a link to a table that may hold rows of subjects depends on that table's questions. Once those are
/// answered, a declared key alone decides, and a link into a table without rows of subjects leads nowhere.
///
/// The plan marks such answers (`implied`): another answer may contradict them later.
package enum ImpliedAnswers {
    /// The answers that follow, by the numbers of the open questions, if the answers lead to no further question.
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

    /// The implied answers that later answers contradict, by the numbers of their questions: `not personal` where the
    /// rows linked to are the subject's now, and the other answers where none is.
    ///
    /// - Parameter plan: With its answers applied.
    package static func contradicted(_ plan: Plan) -> Set<Int> {
        let rules = Dictionary(plan.tables.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
        let numbers = plan.questions.indices.filter { number in
            let question = plan.questions[number]
            guard question.isImplied, let link = question.link, let target = rules[link.target] else { return false }
            guard question.answer == .unrelated else { return isWithoutRows(target, plan) }
            return target.rule.erasesRows && !isWithoutRows(target, plan) && !isHolder(question.table, link, of: target)
        }
        return Set(numbers)
    }

    /// The plan as it is to be asked about: questions whose implied answers others contradict are open.
    ///
    /// - Parameter plan: With its answers applied, which stay applied.
    package static func reopened(_ plan: Plan) -> Plan {
        var plan = plan
        for number in contradicted(plan) {
            plan.questions[number].answer = nil
            plan.questions[number].isImplied = false
        }
        return plan
    }

    /// Whether no row of the table is the subject's.
    static func isWithoutRows(_ entry: TablePlan, _ plan: Plan) -> Bool {
        entry.table != plan.subject.table
            && (!entry.rule.isPersonal || !entry.links.isEmpty && entry.links.allSatisfy(\.isReference))
    }

    /// Whether rows of the table own the rows that the link names, and nothing else does. While a row of another user
    /// names them, they stay, so the link says nothing more.
    private static func isHolder(_ table: TableName, _ link: Link, of parent: TablePlan) -> Bool {
        let owning = parent.links.filter { !$0.isReference }
        return owning.allSatisfy(\.isOwnedParent)
            && owning.contains { owned in
                owned.target == table && owned.targetColumns == link.columns && owned.columns == link.targetColumns
            }
    }

    /// The answers that follow at once, without those that follow from them.
    ///
    /// - Parameter plan: With its answers applied.
    static func next(_ plan: Plan) -> [Int: PlanQuestion.Answer] {
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
            let isHolder = isHolder(question.table, link, of: target)
            guard link.onDelete != nil || isWithoutRows(target, plan) || isHolder else { continue }
            if !target.rule.erasesRows || isWithoutRows(target, plan) || isHolder {
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
