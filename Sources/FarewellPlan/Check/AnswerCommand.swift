// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The command with which an author changes an answer that was given before.
enum AnswerCommand {
    static func text(_ answer: PlanQuestion.Answer, _ columns: [String], of table: TableName) -> String {
        "farewell decide \(ShellArgument.option("--table", table.description)) "
            + "\(ShellArgument.option("--column", columns.joined(separator: ", "))) "
            + "\(ShellArgument.option("--answer", answer.rawValue)) --again"
    }
}
