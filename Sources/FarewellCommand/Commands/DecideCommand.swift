// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Farewell
import FarewellPlan
import Foundation

/// Answers the open questions of a plan, one by one in a terminal or many at once.
struct DecideCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decide",
        abstract: "Answer the open questions of the plan.",
        discussion: """
            `farewell init` asks about everything that the schema does not declare, and no erasure starts while a \
            question is open. The answers:

              owner         the rows belong to the subject and are deleted
              reference     the rows belong to other users and are kept without this value
              anonymise     the rows describe the subject and are kept without these values
              not personal  the value does not identify a person

            In a terminal the command asks one question after another. It saves each answer at once, as one line \
            beside its question in the plan file. Comments, order and layout of the file do not change.

            Where an answer keeps rows, their other columns may describe the subject too. If a database is named, the \
            command reads its schema, asks about these columns at once, and lists the errors that farewell check would \
            find. Without a database it names their tables instead; everything else works as well.

            An answer that follows from others is written as `implied:`. If a later answer contradicts it, the \
            question is asked again. A question is also asked again if the check refuses its answer because of a later \
            one, as soon as no open question can change that. The refused answer then comes last, and the reason says \
            why.

            A reference needs another value where the column may not be null, or a check refuses null. In a terminal \
            the command asks for it; otherwise --set gives it.

              farewell decide
              farewell decide plans/app.yaml
              farewell decide --list
              farewell decide --table 'public.audit_*' --answer reference
              farewell decide --column '*_by' --column '*_by_id' --answer reference
              farewell decide --table messages --column receiver_id --answer owner
              farewell decide --column by --answer reference --set 0 --database sqlite:a.db
              farewell decide --not-personal 'analytics.*' --not-personal schema_migrations

            A pattern matches the table's full name; without a dot, its name in any schema. * matches any letters, ? \
            matches one. Only questions that are open, or asked again, are answered; --again also changes other \
            answers, and with --set the value of a reference. The name of a column that has a question of its own \
            chooses only that question; 'post_id, tenant_id' chooses the question about both columns.

            Exit status 1: questions are open and nothing was answered. \(ExitStatus.pointer)
            """)

    @Argument(help: ArgumentHelp("The plan. Default: that of --plan.", valueName: "plan"), completion: .file())
    var file: String?

    @OptionGroup var installation: InstallationOptions

    @Option(help: ArgumentHelp("Answer only the questions about these tables; may be repeated.", valueName: "pattern"))
    var table: [String] = []

    @Option(help: ArgumentHelp("Answer only the questions about these columns; may be repeated.", valueName: "pattern"))
    var column: [String] = []

    @Option(help: ArgumentHelp("The answer: owner, reference, anonymise or \"not personal\".", valueName: "answer"))
    var answer: String?

    @Option(
        help: ArgumentHelp("Answer the questions about these tables with \"not personal\".", valueName: "pattern"))
    var notPersonal: [String] = []

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "With --answer reference: what replaces the value in columns that may not be null, also if only a check "
                + "refuses null.", valueName: "value"))
    var replacement: String?

    @Flag(help: "Also change existing answers.")
    var again = false

    @Flag(help: "List the questions and their answers; change nothing.")
    var list = false

    @Flag(help: "Answer in JSON, for programs.")
    var json = false

    private var path: String { file ?? installation.plan }
    private var isBulk: Bool { answer != nil || !notPersonal.isEmpty }

    func validate() throws {
        if isBulk, list { throw ValidationError("--list changes nothing; leave out --answer and --not-personal.") }
        if replacement != nil, answer != PlanQuestion.Answer.reference.rawValue || !installation.hasDatabase {
            throw ValidationError("--set needs --answer reference and a database, which shows what may not be null.")
        }
        if answer == nil, !isBulk, !list, again { throw ValidationError("--again needs --answer or --not-personal.") }
    }

    func run() async throws {
        var file = try EditedFile(path)
        var plan = ImpliedAnswers.reopened(try PlanFile.read(Array(file.text.utf8), path: path))
        let selection = QuestionSelection(tables: table, columns: column)
        let following = AnswerFollowing(installation: installation, path: path)
        if isBulk { return try await answerMany(file, plan, selection, following) }
        // Earlier answers may have led to questions.
        let outcome = list ? following.expected(plan) : try await following.ask(in: &file)
        plan = ImpliedAnswers.reopened(try PlanFile.read(Array(file.text.utf8), path: path))
        if !json { following.sayReopened(outcome, in: plan) { Terminal.output.line($0) } }
        let chosen = plan.questions.indices.filter { selection.contains(plan.questions[$0], among: plan.questions) }
        let open = chosen.filter { plan.questions[$0].isOpen }
        if list || json {
            try report(plan, list ? chosen : open)
            if !list, !open.isEmpty { throw ExitStatus.findings }
            return
        }
        guard !open.isEmpty else {
            Terminal.output.line("No question is open in \(Terminal.printable(path)).")
            following.say(outcome, on: Terminal.output)
            return
        }
        guard isatty(FileHandle.standardInput.fileDescriptor) == 1, Terminal.output.isInteractive else {
            try report(plan, open)
            throw ExitStatus.findings
        }
        var walk = QuestionWalk(
            file: file, path: path, plan: plan, outcome.reading.schema, retried: Set(outcome.refused.keys))
        try await walk.ask(open, following)
    }

    // MARK: Many at once

    private func answerMany(
        _ file: EditedFile, _ plan: Plan, _ selection: QuestionSelection, _ following: AnswerFollowing
    ) async throws {
        var file = file
        let chosen = try await chosen(plan, selection, following, file.text)
        let unfit = chosen.unfit
        var answers = chosen.answers
        let supplied = try await supply(&answers, plan, following, in: &file)
        let incomplete = supplied.incomplete
        try file.replace(by: try AnswerEditor(file.text, path: path).answering(answers))
        let followed = try await following.ask(in: &file, keeping: Set(answers.keys))
        let implied = followed.implied
        let decided = try PlanFile.read(Array(file.text.utf8), path: path)
        let left = decided.questions.count { $0.isOpen }
        if json {
            try Terminal.output.deliver(
                json: Outcome(
                    answered: answers.count, implied: implied.count, unfit: unfit.count + incomplete.count,
                    added: followed.added.count, reopened: followed.reopened.count + followed.refused.count,
                    open: left, errors: followed.reading.errors?.count))
        } else {
            // An answer may have followed for some of them.
            for number in unfit where again || decided.questions[number].isOpen {
                let place = Terminal.printable(plan.questions[number].place)
                let words = plan.questions[number].answers.map(\.rawValue).joined(separator: ", ")
                Terminal.output.line("  \(place) does not offer this answer; it offers: \(words)")
            }
            for (number, why) in incomplete.sorted(by: { $0.key < $1.key }) {
                Terminal.output.line("  \(Terminal.printable(plan.questions[number].place)) \(why)")
            }
            let follow = "\(implied.count == 1 ? "follows" : "follow") from \(answers.count == 1 ? "it" : "them")"
            let also = implied.isEmpty ? "" : " \(Words.grouped(implied.count)) more \(follow)."
            Terminal.output.line(
                "Answered \(Words.count(answers.count, "question")).\(also) "
                    + (left == 0 ? "None is open." : "\(Words.grouped(left)) \(left == 1 ? "is" : "are") open."))
            tellEmptied(supplied.emptied, plan)
            following.sayReopened(followed, in: decided) { Terminal.output.line("  \($0)") }
            following.say(followed, on: Terminal.output)
            if !again { try tellSettled(plan, decided, selection) }
        }
        if answers.isEmpty, left > 0 { throw ExitStatus.findings }
    }

    /// What became of the value of `--set`.
    private struct Supplied {
        /// The questions that are not answered, with the reason.
        var incomplete: [Int: String] = [:]
        /// The questions whose columns become null, so that the value is not written.
        var emptied: [Int] = []
    }

    /// Writes the value of `--set` for references in columns that cannot be set to null, and in place of an earlier
    /// value. Without a value that fits, they are not answered, because the check would refuse the plan.
    private func supply(
        _ answers: inout [Int: PlanQuestion.Answer], _ plan: Plan, _ following: AnswerFollowing,
        in file: inout EditedFile
    ) async throws -> Supplied {
        let references = answers.filter { $0.value == .reference }.keys.sorted()
        guard !references.isEmpty else { return Supplied() }
        let known = try await following.read()
        guard let schema = known.schema else {
            if replacement != nil, let reason = known.reason { throw reason }
            return Supplied()
        }
        let missing = try await following.missing(in: references, plan, schema)
        var incomplete: [Int: String] = [:]
        var emptied: [Int] = []
        if let replacement {
            let taking = missing.taking(references)
            emptied = references.filter { !taking.contains($0) && plan.questions[$0].link != nil }
            for number in taking {
                guard let problem = missing.problem(replacement, in: [number]) else { continue }
                incomplete[number] = "does not take the value of --set: \(problem)"
            }
            let fitting = taking.filter { incomplete[$0] == nil }
            for (number, reason) in try await following.refusing(replacement, in: fitting, plan, schema) {
                incomplete[number] = "does not take the value of --set: \(reason)"
            }
            let replaced = taking.filter { incomplete[$0] == nil }
            if !replaced.isEmpty {
                try file.replace(by: try AnswerEditor(file.text, path: path).replacing(replaced, by: replacement))
            }
        } else {
            for number in missing.of(references) {
                let table = plan.questions[number].links.first.map { "of \($0.target)" } ?? "there"
                incomplete[number] =
                    "\(Terminal.printable(missing.obstacle(in: number))): add --set with the value that replaces the "
                    + "reference, such as the key of a row \(Terminal.printable(table)) that represents deleted rows"
            }
        }
        for number in incomplete.keys { answers[number] = nil }
        return Supplied(incomplete: incomplete, emptied: emptied)
    }

    /// Says for which answers the value of `--set` was not written.
    private func tellEmptied(_ numbers: [Int], _ plan: Plan) {
        guard !numbers.isEmpty else { return }
        let places = numbers.prefix(Self.mostShown).map { Terminal.printable(plan.questions[$0].place) }
        let more = numbers.count > Self.mostShown ? " and \(Words.grouped(numbers.count - Self.mostShown)) more" : ""
        Terminal.output.line(
            "The value of --set is not written where the database accepts a row without the reference: "
                + places.joined(separator: ", ") + more + ". If you want it there, write `set:` into the link.")
    }

    /// Says which answers stay because they were given before, and where nothing was asked for at all.
    ///
    /// - Parameters:
    ///   - plan: Before the answers.
    ///   - decided: After them. A question that they opened again keeps no answer.
    private func tellSettled(_ plan: Plan, _ decided: Plan, _ selection: QuestionSelection) throws {
        let others = QuestionSelection(tables: notPersonal)
        let wanted = try notPersonal.isEmpty ? answer.map(Self.word) : .unrelated
        let named = plan.questions.filter {
            (notPersonal.isEmpty ? selection : others).contains($0, among: plan.questions)
        }
        let kept = Set(decided.questions.filter { !$0.isOpen })
        let settled = named.filter { question in
            guard !question.isOpen, kept.contains(question) else { return false }
            return question.answer != wanted || question.answer == .reference && keepsValue(question)
        }
        let terminal = Terminal.output
        if named.isEmpty, !plan.questions.isEmpty {
            terminal.line("No question matches these tables and columns; `farewell decide --list` shows all.")
        }
        guard !settled.isEmpty else { return }
        let places = settled.prefix(Self.mostShown).map { question in
            "\(Terminal.printable(question.place)) (\(question.answer?.rawValue ?? ""))"
        }
        let more = settled.count > Self.mostShown ? " and \(Words.grouped(settled.count - Self.mostShown)) more" : ""
        terminal.line(
            "\(Words.count(settled.count, "question")) \(settled.count == 1 ? "keeps its" : "keep their") answer: "
                + places.joined(separator: ", ") + more + ". To change it, add --again.")
    }

    /// Whether a reference has another value than that of `--set`.
    private func keepsValue(_ question: PlanQuestion) -> Bool {
        guard let replacement else { return false }
        return question.links.contains { $0.replacement != nil && $0.replacement != replacement }
    }

    private static let mostShown = 5

    /// The answers by question, and the questions that do not offer theirs. A question that would be asked again needs
    /// no `--again`, and neither does a reference that lacks the value of `--set`.
    private func chosen(
        _ plan: Plan, _ selection: QuestionSelection, _ following: AnswerFollowing, _ text: String
    ) async throws -> ChosenAnswers {
        let others = QuestionSelection(tables: notPersonal)
        let word = try answer.map(Self.word)
        let wanted = { (question: PlanQuestion) -> PlanQuestion.Answer? in
            if !notPersonal.isEmpty, others.contains(question, among: plan.questions) { return .unrelated }
            return selection.contains(question, among: plan.questions) ? word : nil
        }
        var contradicted: Set<Int> = []
        if !again, ChosenAnswers.changeAnswers(plan, wanted), let schema = try await following.read().schema {
            contradicted = try AnswerConsequences(text, path: path, schema).contradicted(schema)
        }
        var incomplete: Set<Int> = []
        if !again, replacement != nil, let schema = try await following.read().schema {
            let references = plan.questions.indices.filter { number in
                plan.questions[number].answer == .reference && wanted(plan.questions[number]) == .reference
            }
            incomplete = Set(try await following.missing(in: references, plan, schema).of(references))
        }
        return ChosenAnswers(plan, contradicted: contradicted, incomplete: incomplete, again: again, wanted)
    }

    private static func word(_ text: String) throws -> PlanQuestion.Answer {
        if let answer = PlanQuestion.Answer(rawValue: text.replacingOccurrences(of: "-", with: " ")) { return answer }
        throw misuse(
            "command.unknown-answer", "There is no answer \(Shown.name(text)).",
            remedy: "Write --answer owner, --answer reference, --answer anonymise or --answer \"not personal\".")
    }

    private struct Outcome: Encodable {
        let answered: Int
        let implied: Int
        let unfit: Int
        let added: Int
        /// The number of questions whose answers others contradict: they are open again.
        let reopened: Int
        let open: Int
        /// The number of the check's errors beside questions; left out where no database was read.
        let errors: Int?
    }

    // MARK: Listing

    private func report(_ plan: Plan, _ numbers: [Int]) throws {
        let output = Terminal.output
        guard !json else {
            return try output.deliver(json: numbers.map { QuestionEntry(plan.questions[$0], number: $0 + 1) })
        }
        let open = numbers.count { plan.questions[$0].isOpen }
        try output.deliver { terminal in
            for group in QuestionGroup.of(numbers, in: plan.questions) {
                QuestionWalk.show(group.numbers.map { plan.questions[$0] }, on: terminal)
                terminal.line()
            }
            terminal.line(
                open == 0
                    ? "No question is open."
                    : "\(Words.count(open, "question")) \(open == 1 ? "is" : "are") open: answer them in a terminal "
                        + "with `farewell decide`, "
                        + "many at once with --table, --column and --answer, or write `answer:` beside each.")
        }
    }
}

/// A question for programs.
private struct QuestionEntry: Encodable {
    let number: Int
    let table: String
    let columns: [String]
    let reason: String
    let link: String?
    /// All links that an answer declares; left out where `link` is the only one.
    let links: [String]?
    /// The link that finds the rows for the answer `anonymise`; left out where that is no answer.
    let through: String?
    let answers: [String]
    let answer: String?
    /// Whether the answer only follows from others; left out where it does not.
    let implied: Bool?

    init(_ question: PlanQuestion, number: Int) {
        self.number = number
        table = question.table.description
        columns = question.columns
        reason = question.reason
        link = question.link.map { PlanFile.text(of: $0) }
        links = question.others.isEmpty ? nil : question.links.map { PlanFile.text(of: $0) }
        through = question.through.map { PlanFile.text(of: $0) }
        answers = question.answers.map(\.rawValue)
        answer = question.answer?.rawValue
        implied = question.isImplied ? true : nil
    }
}
