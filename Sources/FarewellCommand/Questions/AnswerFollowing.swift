// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Asks about what answers lead to: columns of rows that stay only because of an answer, and rows that the subject's
/// rows may own.
struct AnswerFollowing {
    let installation: InstallationOptions
    let path: String

    enum Outcome {
        /// The number of questions that were added to the file, and the errors that the check finds beside questions.
        case added(Int, errors: [Finding])
        /// The schema is unknown: the tables with columns that may need a question, and why the database that is named
        /// could not be read.
        case unknown([TableName], FarewellError?)

        var count: Int {
            if case .added(let count, _) = self { count } else { 0 }
        }

        var errors: [Finding]? {
            if case .added(_, let errors) = self { errors } else { nil }
        }
    }

    /// Adds the questions to the plan, if a database is named and can be read.
    func ask(in file: inout EditedFile) async throws -> Outcome {
        let plan = try PlanFile.read(Array(file.text.utf8), path: path)
        guard installation.hasDatabase else { return expected(plan) }
        let found: FollowingQuestions
        do {
            let text = file.text
            found = try await installation.connected(.looking, isComparing: false) { database in
                try FollowingQuestions(text, path: path, try await Schema.read(from: database))
            }
        } catch let error as FarewellError {
            // The answers are saved; the check reports what is missing.
            return expected(plan, error)
        }
        try file.replace(by: found.text)
        return .added(found.count, errors: found.errors)
    }

    /// By the names in the plan alone.
    func expected(_ plan: Plan, _ reason: FarewellError? = nil) -> Outcome {
        .unknown(FollowingQuestions.expected(plan), reason)
    }

    /// Reports what was added and what else the check finds, or the next command.
    func say(_ outcome: Outcome, on terminal: Terminal) {
        switch outcome {
        case .added(let count, let errors):
            if count > 0 {
                terminal.line(
                    "\(Self.kept): added \(Words.count(count, "question")). Answer \(count == 1 ? "it" : "them") too: "
                        + terminal.bold("farewell decide\(argument)"))
            }
            say(errors, on: terminal)
        case .unknown(let tables, let reason):
            if let reason {
                terminal.line("No further question was looked for: \(Terminal.printable(reason.message))")
            }
            guard !tables.isEmpty else { return }
            let names = tables.prefix(Self.mostShown).map { Terminal.printable($0.description) }
            let more = tables.count > Self.mostShown ? " and \(Words.grouped(tables.count - Self.mostShown)) more" : ""
            terminal.line(
                "\(Self.kept): " + names.joined(separator: ", ") + more + ". Name the database to be asked about them: "
                    + terminal.bold("farewell decide\(argument) --database …"))
        }
    }

    /// The words before a list of further questions.
    static let kept = "The answers lead to further questions"

    private func say(_ errors: [Finding], on terminal: Terminal) {
        guard !errors.isEmpty else { return }
        terminal.line("Beside questions, the check finds \(Words.count(errors.count, "error")):")
        for finding in errors.prefix(Self.mostShown) {
            let remedy = finding.remedy.map { " → \($0)" } ?? ""
            let text = Terminal.printable("\(finding.place): \(finding.message)\(remedy)")
            Paragraph.marked("  ✗ ", text, width: terminal.width).forEach { terminal.line($0) }
        }
        let more = errors.count - Self.mostShown
        guard more > 0 else { return }
        terminal.line("  and \(Words.grouped(more)) more: " + terminal.bold("farewell check\(argument)"))
    }

    private static let mostShown = 5

    /// Names the plan in a command, unless it has the default name.
    private var argument: String { path == "farewell.yaml" ? "" : " --plan \(Terminal.printable(path))" }
}
