// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The order of answers where a link leads to rows that are probably no user's: in a table whose own keys only name
/// users that handled a row (`domains.banned_by`), `reference` comes first, so nothing that leads there is a user's.
enum LikelyAnswers {
    /// The questions of a draft, with `not personal` first where no first answer gives the rows linked to to a user.
    ///
    /// - Parameter plan: Without answers.
    static func ordered(_ plan: Plan) -> [PlanQuestion] {
        let likely = tables(plan)
        return plan.questions.map { question in
            guard let link = question.link, !link.isOwnedParent, link.target != question.table,
                !question.links.contains(where: { likely.contains($0.target) }),
                let place = question.answers.firstIndex(of: .unrelated), place > 0
            else { return question }
            var question = question
            question.answers.remove(at: place)
            question.answers.insert(.unrelated, at: 0)
            return question
        }
    }

    /// The tables whose rows are the subject's without doubt, or if every question gets its first answer.
    private static func tables(_ plan: Plan) -> Set<TableName> {
        var followers: [TableName: [TableName]] = [:]
        for question in plan.questions where question.answers.first == .owner {
            for link in question.links { followers[link.target, default: []].append(question.table) }
        }
        var found = Set(plan.tables.filter { $0.rule.erasesRows }.map(\.table)).union([plan.subject.table])
        var open = Array(found)
        while let target = open.popLast() {
            for table in followers[target] ?? [] where found.insert(table).inserted { open.append(table) }
        }
        return found
    }
}
