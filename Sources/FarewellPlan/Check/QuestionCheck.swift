// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Every question of the plan is answered, and is about a table and columns that exist.
struct QuestionCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] { context.plan.questions.compactMap { unknown($0) ?? open($0) } }

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
            "An open question: \(Shown.line(question.reason, limit: 300))",
            remedy: "Answer it with `farewell decide`, or write `answer:` beside it: \(answers).")
    }
}
