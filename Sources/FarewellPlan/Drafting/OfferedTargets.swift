// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Takes away the answers that declare a link into a table where no answer can give rows to the subject: the check
/// would refuse each of them.
///
/// Rows of a table can be the subject's if it is the subject's own table, if its rows are deleted without doubt, or if
/// an offered `owner` links it to a table whose rows can be the subject's.
struct OfferedTargets {
    private let map: SchemaMap

    init(_ map: SchemaMap) { self.map = map }

    /// The questions with the answers that can be given, and those with the answers that were drafted.
    struct Settled {
        var questions: [PlanQuestion] = []
        /// The drafted questions that lost answers, by the same questions with the remaining answers.
        var withheld: [PlanQuestion: PlanQuestion] = [:]
        /// The questions about addresses that are asked only because links are not offered, as they were drafted.
        var added: Set<PlanQuestion> = []
    }

    /// - Parameter plan: A draft without answers, with an entry for each table that a link may lead to.
    func settled(_ plan: Plan) -> Settled {
        var plan = plan
        var added: Set<PlanQuestion> = []
        while true {
            let blocked = blocked(plan)
            let fresh = blocked.isEmpty ? [] : addresses(plan, blocked)
            guard !fresh.isEmpty else {
                var settled = withholding(plan.questions, blocked)
                settled.added = added
                return settled
            }
            added.formUnion(fresh)
            // An address may lead where the link does not, and other tables' links then lead there as well.
            for question in fresh {
                let last = plan.questions.lastIndex { $0.table == question.table } ?? plan.questions.count - 1
                plan.questions.insert(question, at: last + 1)
            }
        }
    }

    /// The numbers of the questions whose link leads to a table where no row can be the subject's.
    private func blocked(_ plan: Plan) -> [Int] {
        let reached = Self.reached(plan)
        return plan.questions.indices.filter { number in
            let question = plan.questions[number]
            guard question.answers.contains(where: { $0 != .unrelated }), !question.links.isEmpty else { return false }
            return !question.links.contains { reached.contains($0.target) }
        }
    }

    private static func reached(_ plan: Plan) -> Set<TableName> {
        var followers: [TableName: [TableName]] = [:]
        for question in plan.questions where question.answers.contains(.owner) {
            for link in question.links { followers[link.target, default: []].append(question.table) }
        }
        var reached: Set<TableName> = [plan.subject.table]
        // Rows that are retained or made anonymous are the subject's, too, if a link owns them.
        let entries = plan.tables.filter { entry in
            entry.rule.erasesRows || entry.rule.isPersonal && entry.links.contains(where: SubjectPaths.erases)
        }
        reached.formUnion(entries.map(\.table))
        var queue = Array(reached)
        while let target = queue.popLast() {
            for table in followers[target] ?? [] where reached.insert(table).inserted { queue.append(table) }
        }
        return reached
    }

    /// The questions about addresses in tables that keep no other way to the subject. As long as a link was possible,
    /// the draft did not ask them.
    private func addresses(_ plan: Plan, _ blocked: [Int]) -> [PlanQuestion] {
        var without = plan
        for number in blocked {
            without.questions[number].answers = [.unrelated]
            without.questions[number].answer = .unrelated
        }
        // Rows that another answer probably deletes are asked about once it is given.
        let undecided = Set(without.questions.filter { $0.isOpen && $0.answers.first == .owner }.map(\.table))
        let tables = Set(blocked.map { plan.questions[$0].table }).subtracting(undecided)
        return SettledColumns(without.answered(), map).questions().filter { tables.contains($0.table) }
    }

    private func withholding(_ questions: [PlanQuestion], _ blocked: [Int]) -> Settled {
        var settled = Settled(questions: questions)
        for number in blocked {
            var question = questions[number]
            guard let target = question.link?.target else { continue }
            let taken = question.answers.filter { $0 != .unrelated }.map { "`\($0.rawValue)`" }
            question.answers = [.unrelated]
            let rows = target == question.table ? "rows here" : "rows of \(Shown.line(target.description, limit: 160))"
            question.add(
                "\(taken.joined(separator: " and ")) \(taken.count == 1 ? "is no answer" : "are no answers"), because "
                    + "no key and no answer gives \(rows) to a user")
            settled.questions[number] = question
            settled.withheld[question] = questions[number]
        }
        return settled
    }
}
