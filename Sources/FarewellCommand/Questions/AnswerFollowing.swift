// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Asks about what answers lead to: columns of rows that stay only because of an answer, and rows that the subject's
/// rows may own.
struct AnswerFollowing {
    let installation: InstallationOptions
    let path: String

    struct Outcome {
        /// The answers that followed, by the numbers of their questions.
        var implied: [Int: PlanQuestion.Answer] = [:]
        /// The questions whose implied answers others contradict: they are open again.
        var reopened: Set<Int> = []
        /// The questions whose answers the check refuses beside others, with what it says: they are open again.
        var refused: [Int: Finding] = [:]
        /// The numbers of the questions that were added to the file.
        var added: Range<Int> = 0..<0
        let reading: Reading
    }

    enum Reading {
        /// The schema, and the errors that the check finds beside questions.
        case read(Schema, errors: [Finding])
        /// The schema is unknown: the tables with columns that may need a question, and why the database that is named
        /// could not be read.
        case unknown([TableName], FarewellError?)

        var schema: Schema? {
            if case .read(let schema, _) = self { schema } else { nil }
        }

        var errors: [Finding]? {
            if case .read(_, let errors) = self { errors } else { nil }
        }
    }

    /// The schema of the database that is named, or why it cannot be read; neither where none is named.
    struct Knowledge {
        var schema: Schema?
        var reason: FarewellError?
    }

    /// Reads the schema of the database, if one is named.
    func read() async throws -> Knowledge {
        guard installation.hasDatabase else { return Knowledge() }
        do {
            let schema = try await installation.connected(.looking, isComparing: false) { database in
                try await Schema.read(from: database)
            }
            return Knowledge(schema: schema)
        } catch let error as FarewellError {
            // The answers are saved; the check reports what is missing.
            return Knowledge(reason: error)
        }
    }

    /// Writes into the plan what its answers lead to: further questions, if a database is named and can be read, and
    /// answers that follow. Questions whose answers the check refuses beside others are open again.
    ///
    /// - Parameter kept: The numbers of questions whose answers stay in any case.
    func ask(in file: inout EditedFile, keeping kept: Set<Int> = []) async throws -> Outcome {
        let known = try await read()
        let (schema, reason) = (known.schema, known.reason)
        var found = try AnswerConsequences(file.text, path: path, schema)
        if let schema { try found.reopenRefused(schema, keeping: kept) }
        try file.replace(by: found.text)
        let reading: Reading =
            if let schema {
                .read(schema, errors: FollowingQuestions.errors(found.plan, schema))
            } else {
                .unknown(FollowingQuestions.expected(found.plan), reason)
            }
        return Outcome(
            implied: found.implied, reopened: found.reopened, refused: found.refused, added: found.added,
            reading: reading)
    }

    /// The values that the answer `reference` needs in these questions. Where a check depends on more than the columns
    /// that are null, the database itself says what it refuses; if it cannot be asked, that is left to the check.
    func missing(in numbers: [Int], _ plan: Plan, _ schema: Schema) async throws -> MissingReplacement {
        let missing = MissingReplacement(plan, schema)
        let undecided = missing.undecided(numbers)
        guard !undecided.isEmpty else { return missing }
        do {
            let refusals = try await installation.connected(.looking, isComparing: false) { database in
                try await database.withConnection { connection in
                    try await NullProbe(plan, schema).refusals(of: undecided, on: connection)
                }
            }
            return MissingReplacement(plan, schema, refusals: refusals)
        } catch is FarewellError {
            return missing
        }
    }

    /// The questions in which the database would refuse a value (`set`), with the reason in a few words: the table to
    /// which a key leads has no row with it, or the column's type or a check refuses it. A value that cannot
    /// be read is left to the check.
    ///
    /// - Parameter numbers: Of questions whose columns take a value.
    func refusing(
        _ value: String, in numbers: [Int], _ plan: Plan, _ schema: Schema
    ) async throws -> [Int: String] {
        guard !numbers.isEmpty else { return [:] }
        do {
            return try await installation.connected(.looking, isComparing: false) { database in
                try await database.withConnection { connection in
                    let (rows, constants) = (ReplacementRowProbe(plan, schema), ConstantProbe(plan, schema))
                    var reasons: [Int: String] = [:]
                    for number in numbers {
                        let question = plan.questions[number]
                        if (try? await rows.isUnknown(value, in: question, on: connection)) == true {
                            reasons[number] = "the table to which the key leads has no such row"
                        } else if (try? await constants.refuses(value, in: question, on: connection)) == true {
                            reasons[number] = "the column's type or a check refuses it"
                        }
                    }
                    return reasons
                }
            }
        } catch is FarewellError {
            return [:]
        }
    }

    /// By the names in the plan alone.
    func expected(_ plan: Plan) -> Outcome { Outcome(reading: .unknown(FollowingQuestions.expected(plan), nil)) }

    /// Reports what was added and what else the check finds, or the next command.
    func say(_ outcome: Outcome, on terminal: Terminal) {
        switch outcome.reading {
        case .read(_, let errors):
            // Some have the answer that the author gave for the same pair.
            let count = outcome.added.count { outcome.implied[$0] == nil }
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

    /// Reports a question whose implied answer others contradict.
    static func again(_ question: PlanQuestion) -> String {
        "Open again, because its answer no longer follows: \(Terminal.printable(question.place))"
    }

    /// Reports a question whose answer the check refuses beside other answers.
    static func again(_ question: PlanQuestion, _ finding: Finding) -> String {
        "Open again, because other answers contradict its answer: \(Terminal.printable(question.place)). "
            + Terminal.printable(finding.message)
    }

    /// Reports the questions that are open again, in the order of the plan.
    func sayReopened(_ outcome: Outcome, in plan: Plan, _ say: (String) -> Void) {
        for number in outcome.reopened.union(outcome.refused.keys).sorted() {
            let question = plan.questions[number]
            say(outcome.refused[number].map { Self.again(question, $0) } ?? Self.again(question))
        }
    }

    /// The words before a list of further questions.
    static let kept = "The answers lead to further questions"

    private func say(_ errors: [Finding], on terminal: Terminal) {
        guard !errors.isEmpty else { return }
        terminal.line("Beside questions, the check finds \(Words.count(errors.count, "error")):")
        for finding in errors.prefix(Self.mostShown) {
            let remedy = finding.remedy.map { " → \($0)" } ?? ""
            terminal.paragraph("  ✗ ", "\(finding.place): \(finding.message)\(remedy)")
        }
        let more = errors.count - Self.mostShown
        guard more > 0 else { return }
        terminal.line("  and \(Words.grouped(more)) more: " + terminal.bold("farewell check\(argument)"))
    }

    private static let mostShown = 5

    /// Names the plan in a command, unless it has the default name.
    private var argument: String { path == "farewell.yaml" ? "" : " \(ShellArgument.option("--plan", path))" }
}
