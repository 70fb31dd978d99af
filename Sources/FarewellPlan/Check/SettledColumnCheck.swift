// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Finds the questions that answers lead to: personal columns of rows that stay, and rows that the subject's rows own.
struct SettledColumnCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        let columns = SettledColumns(context.plan, context.map, context.paths).questions()
        let parents = SettledParents(context.plan, context.map, beside: columns).questions()
        let rows = SettledRows(context.plan, context.map, beside: columns + parents).questions()
        return columns.map(finding) + parents.map(parent) + rows.map(row)
    }

    private func finding(_ question: PlanQuestion) -> Finding {
        Finding(
            "column.unasked", .error, table: question.table, column: question.columns.joined(separator: ", "),
            "After the answers these rows stay, and nothing says what happens to "
                + "\(question.columns.count == 1 ? "this column, which" : "these columns, which") may describe "
                + "the subject.",
            remedy: question.answers.contains(.anonymise)
                ? "`farewell decide` with a database adds the question: `anonymise` removes the values."
                : "`farewell decide` with a database adds the question, which has the answer `not personal`. If the "
                    + "values describe the subject, answer `owner` for the link to the subject, and give the table the "
                    + "rule anonymise and each of these columns a rule.")
    }

    private func row(_ question: PlanQuestion) -> Finding {
        Finding(
            "column.unasked", .error, table: question.table, column: question.columns.joined(separator: ", "),
            "The answers lead to a question: \(Shown.line(question.reason, limit: 400))",
            remedy: "`farewell decide` with a database adds the question.\(statement(question))")
    }

    /// How the plan says the same as the answer `not personal` without the question (`StatedColumns`).
    private func statement(_ question: PlanQuestion) -> String {
        guard question.answers.contains(.unrelated), question.link?.onDelete == nil, let column = question.columns.last,
            let rule = context[question.table]?.rule, !rule.isPersonal || rule.erasesRows
        else { return "" }
        return " If the column leads to no user, you can also write {"
            + "\(Shown.line(TableName.written(column), limit: 120)): not personal} in `columns`."
    }

    private func parent(_ question: PlanQuestion) -> Finding {
        let column = Shown.line(TableName.written(question.columns.first ?? ""), limit: 120)
        return Finding(
            "column.unasked", .error, table: question.table, column: question.columns.joined(separator: ", "),
            "The answers lead to a question: \(Shown.line(question.reason, limit: 400))",
            remedy: "`farewell decide` with a database adds the question. If the rows are not the subject's, you can "
                + "also write {\(column): not personal} in `columns`.")
    }
}
