// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan

/// The open questions of a plan by the names of their columns, with the command that answers each of these groups.
struct OpenQuestions {
    private let questions: [PlanQuestion]
    private let groups: [QuestionGroup]
    private let argument: String

    /// - Parameters:
    ///   - findings: Of the check, one for each open question.
    ///   - path: Of the plan.
    init(_ findings: [Finding], in plan: Plan, path: String) {
        questions = plan.questions
        let places = Set(findings.map { Place(table: $0.table, columns: $0.column) })
        let open = plan.questions.indices.filter { number in
            let question = plan.questions[number]
            return places.contains(Place(table: question.table, columns: question.columns.joined(separator: ", ")))
        }
        groups = QuestionGroup.byColumn(open, in: plan.questions)
        argument = path == "farewell.yaml" ? "" : " \(ShellArgument.option("--plan", path))"
    }

    private struct Place: Hashable {
        let table: TableName?
        let columns: String?
    }

    private static let mostGroups = 10
    private static let mostTables = 3

    /// The largest groups, each with its command.
    func say(on terminal: Terminal) {
        for group in groups.prefix(Self.mostGroups) {
            let columns = questions[group.numbers[0]].columns.joined(separator: ", ")
            let tables = group.numbers.prefix(Self.mostTables).map { questions[$0].table.description }
            let others = group.numbers.count - tables.count
            let places = tables.joined(separator: ", ") + (others > 0 ? " and \(Words.grouped(others)) more" : "")
            let words = "\(Words.count(group.numbers.count, "question")) about \(columns): \(places)"
            Paragraph.marked("  · ", Terminal.printable(words), width: terminal.width).forEach { terminal.line($0) }
            let answers = group.answers(in: questions).map(\.rawValue).joined(separator: ", ")
            let command =
                "farewell decide\(argument) \(ShellArgument.option("--column", columns)) --answer …"
                + (answers.isEmpty ? "" : " (\(answers))")
            terminal.line(terminal.dim("    → \(Terminal.printable(command))"))
        }
        let left = groups.dropFirst(Self.mostGroups).map(\.numbers.count).reduce(0, +)
        if left > 0 {
            terminal.line("  · and \(Words.count(left, "more question", "more questions")): see --json or --ci")
        }
        terminal.line(terminal.dim("    → farewell decide\(argument) asks about columns of one name together"))
    }
}
