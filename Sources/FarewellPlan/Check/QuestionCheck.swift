// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Every question of the plan is answered, and is about a table and columns that exist.
struct QuestionCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        let contradicted = ImpliedAnswers.contradicted(context.plan)
        return context.plan.questions.enumerated().compactMap { number, question in
            unknown(question) ?? open(question) ?? (contradicted.contains(number) ? implied(question) : nil)
        }
    }

    private func implied(_ question: PlanQuestion) -> Finding {
        Finding(
            "question.open", .error, table: question.table, column: question.columns.joined(separator: ", "),
            "The implied answer is \(question.answer?.rawValue ?? ""), but other answers now say the contrary: "
                + "\(Self.beginning(of: question.reason))",
            remedy: "`farewell decide` asks the question again; or write `answer:` in place of `implied:`.")
    }

    private func unknown(_ question: PlanQuestion) -> Finding? {
        guard let table = context.map[question.table] else {
            return Finding(
                "question.unknown", .error, table: question.table,
                "A question names a table that this database does not have.", remedy: "Remove the question.")
        }
        guard let column = question.columns.first(where: { table[$0] == nil }) else { return nil }
        return Finding(
            "question.unknown", .error, table: question.table, column: column,
            "A question names a column that this table does not have.", remedy: "Remove the question.")
    }

    /// Whether rules in the table's entry cover all the columns; only if the question is about no link.
    private func isRuled(_ question: PlanQuestion) -> Bool {
        guard question.link == nil, let entry = context.plan[question.table] else { return false }
        let ruled = Set(entry.columns.filter { $0.rule.map { !$0.isNotPersonal } ?? false }.map(\.name))
        return !question.columns.isEmpty && ruled.isSuperset(of: question.columns)
    }

    private func open(_ question: PlanQuestion) -> Finding? {
        guard question.isOpen, !isRuled(question) else { return nil }
        let answers = question.answers.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        return Finding(
            "question.open", .error, table: question.table, column: question.columns.joined(separator: ", "),
            "An open question: \(Self.beginning(of: question.reason))",
            remedy: "Answer it with `farewell decide`, or write `answer:` beside it: \(answers).")
    }

    /// The first clauses of a reason, as many as a finding has room for; `farewell decide` prints all.
    private static func beginning(of reason: String) -> String {
        let limit = 300
        guard reason.unicodeScalars.count > limit else { return Shown.line(reason, limit: limit) }
        let clauses = reason.split(separator: "; ")
        var kept: [Substring] = []
        for clause in clauses {
            let longer = kept + [clause]
            guard kept.isEmpty || longer.joined(separator: "; ").unicodeScalars.count <= limit else { break }
            kept = longer
        }
        let shown = Shown.line(kept.joined(separator: "; "), limit: limit)
        return kept.count < clauses.count ? "\(shown); …" : shown
    }
}
