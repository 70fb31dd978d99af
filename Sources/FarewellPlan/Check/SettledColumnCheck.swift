// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Personal columns of rows that stay because of an answer are asked about.
struct SettledColumnCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        SettledColumns(context.plan, context.map, context.roads).questions().map { question in
            Finding(
                "column.unasked", .error, table: question.table, column: question.columns.joined(separator: ", "),
                "After the answers these rows stay, and nothing says what happens to "
                    + "\(question.columns.count == 1 ? "this column, which" : "these columns, which") may describe "
                    + "the subject.",
                remedy: "`farewell decide` with a database adds the question. If the values "
                    + "describe the subject, answer `owner` for the link to the subject, and give the table the rule "
                    + "anonymise and each of these columns a rule.")
        }
    }
}
