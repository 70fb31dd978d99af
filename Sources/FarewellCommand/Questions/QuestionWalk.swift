// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// Asks the open questions of a plan in a terminal, one after the other, and saves each answer at once.
struct QuestionWalk {
    private var file: EditedFile
    private let path: String
    private var plan: Plan
    /// The database's schema, if it is known.
    private let schema: Schema?
    /// Questions that answers of this walk led to.
    private var due: [Int] = []
    /// Questions that were opened again because the check refuses their answers: the next answer stays.
    private var retried: Set<Int>
    private let terminal = Terminal.output

    /// - Parameter retried: Questions that were already opened again.
    init(file: EditedFile, path: String, plan: Plan, _ schema: Schema?, retried: Set<Int> = []) {
        self.retried = retried
        self.file = file
        self.path = path
        self.plan = plan
        self.schema = schema
    }

    /// States the meaning of the answers, asks, and then asks the questions that the answers lead to.
    ///
    /// - Throws: `ExitStatus.findings` where questions are left.
    mutating func ask(_ numbers: [Int], _ following: AnswerFollowing) async throws {
        var outcome = AnswerFollowing.Outcome(reading: .unknown([], nil))
        var numbers = numbers
        for line in PlanQuestion.Answer.legend where !numbers.isEmpty { terminal.line(terminal.dim("  \(line)")) }
        while try await walk(numbers, following) {
            outcome = try await following.ask(in: &file, keeping: retried)
            plan = try PlanFile.read(Array(file.text.utf8), path: path)
            retried.formUnion(outcome.refused.keys)
            follow(outcome, following)
            numbers = due.filter { plan.questions[$0].isOpen }
            due = []
            guard !numbers.isEmpty else { break }
            terminal.line()
            terminal.line("\(AnswerFollowing.kept):")
        }
        let left = plan.questions.count { $0.isOpen }
        terminal.line()
        guard left == 0 else {
            terminal.line("\(Words.count(left, "question")) \(left == 1 ? "is" : "are") still open.")
            throw ExitStatus.findings
        }
        terminal.line(
            terminal.green("✓ ") + "No question is open. Compare the plan with the database: "
                + terminal.bold("farewell check"))
        following.say(outcome, on: terminal)
    }

    /// Asks questions with one cause together.
    ///
    /// - Returns: Whether every question was shown; the user may end before.
    private mutating func walk(_ numbers: [Int], _ following: AnswerFollowing) async throws -> Bool {
        var left = QuestionGroup.of(numbers, in: plan.questions)[...]
        var asked = 0
        while let group = left.popFirst() {
            // Answers to others may have answered some.
            let open = group.numbers.filter { plan.questions[$0].isOpen }
            defer { asked += group.numbers.count }
            guard !open.isEmpty else { continue }
            let (first, last) = (asked + 1, asked + group.numbers.count)
            let place = first == last ? "Question \(first)" : "Questions \(first) to \(last)"
            terminal.line()
            terminal.line(terminal.bold("\(place) of \(numbers.count)"))
            Self.show(open.map { plan.questions[$0] }, on: terminal)
            let targets = schema.map { LinkTargets(plan, $0).of(plan.questions[open[0]]) } ?? []
            switch choice(plan.questions[open[0]], of: open.count, targets) {
            case .answer(let answer):
                guard try await supply(answer, open, following) else {
                    left.insert(group, at: left.startIndex)
                    asked -= group.numbers.count
                    continue
                }
                try save(answer, open)
            case .target(let target):
                try file.replace(by: try AnswerEditor(file.text, path: path).leading(open, to: target))
                plan = try PlanFile.read(Array(file.text.utf8), path: path)
                left.insert(group, at: left.startIndex)
                asked -= group.numbers.count
            case .each:
                left = (open.map { QuestionGroup($0) } + left)[...]
                asked -= open.count
            case .skip: continue
            case .quit: return false
            }
        }
        return true
    }

    private enum Choice {
        case answer(PlanQuestion.Answer)
        /// The link leads to this column.
        case target(ColumnName)
        /// Asks each question of a group separately.
        case each
        case skip, quit
    }

    /// - Parameter targets: The columns to which the link may lead, its own first.
    private func choice(_ question: PlanQuestion, of count: Int, _ targets: [ColumnName]) -> Choice {
        let others = targets.dropFirst().enumerated().map { "\($0 + 1) = \(Terminal.printable($1.description))" }
        if !others.isEmpty { terminal.line("  other targets of the link: \(others.joined(separator: ", "))") }
        let letters =
            question.answers.map { "\(Self.letter($0)) = \($0.rawValue)\(count > 1 ? " for all" : "")" }
            + (count > 1 ? ["e = one by one"] : []) + ["s = skip", "q = quit"]
        while true {
            terminal.write("  \(letters.joined(separator: ", ")): ")
            // The end of the input is the end of the walk.
            guard let line = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() else { return .quit }
            switch line {
            case "s", "skip": return .skip
            case "q", "quit": return .quit
            case "e" where count > 1, "each" where count > 1: return .each
            default:
                if let number = Int(line), number > 0, number < targets.count { return .target(targets[number]) }
                let found = question.answers.first { line == Self.letter($0) || line == $0.rawValue }
                if let found { return .answer(found) }
                if !line.isEmpty { terminal.line("  This is none of the letters and words.") }
            }
        }
    }

    private static func letter(_ answer: PlanQuestion.Answer) -> String { String(answer.rawValue.prefix(1)) }

    /// Asks for the value that an answer needs, if it needs one, and saves it.
    ///
    /// - Returns: Whether the answer has all that it needs; without, the question is asked again.
    private mutating func supply(
        _ answer: PlanQuestion.Answer, _ numbers: [Int], _ following: AnswerFollowing
    ) async throws -> Bool {
        guard answer == .reference, let schema else { return true }
        let missing = try await following.missing(in: numbers, plan, schema)
        let needed = missing.of(numbers)
        guard !needed.isEmpty else { return true }
        guard let value = try await replacement(in: needed, missing, schema, following) else { return false }
        try file.replace(by: try AnswerEditor(file.text, path: path).replacing(needed, by: value))
        plan = try PlanFile.read(Array(file.text.utf8), path: path)
        return true
    }

    private func replacement(
        in numbers: [Int], _ missing: MissingReplacement, _ schema: Schema, _ following: AnswerFollowing
    ) async throws -> String? {
        let question = plan.questions[numbers[0]]
        let target = question.links.first { $0.onDelete != nil }.map { "the key of a row of \($0.target)" }
        let words =
            "\(question.place) \(missing.obstacle(in: numbers[0])). Which value replaces the reference? It is "
            + "\(target ?? "a text such as deleted, or the key of a row") that represents deleted rows. "
            + "An empty line asks for another answer."
        Paragraph.marked("  ", Terminal.printable(words), width: terminal.width).forEach { terminal.line($0) }
        while true {
            terminal.write("  set: ")
            guard let value = readLine()?.trimmingCharacters(in: .whitespaces), !value.isEmpty else { return nil }
            var problem = missing.problem(value, in: numbers)
            if problem == nil {
                problem = try await following.refusing(value, in: numbers, plan, schema).values.first
            }
            guard let problem else { return value }
            terminal.line("  This value does not fit: \(problem).")
        }
    }

    private mutating func save(_ answer: PlanQuestion.Answer, _ numbers: [Int]) throws {
        let answers = Dictionary(uniqueKeysWithValues: numbers.map { ($0, answer) })
        try file.replace(by: try AnswerEditor(file.text, path: path).answering(answers))
        plan = try PlanFile.read(Array(file.text.utf8), path: path)
        // Without either, what follows can wait until all questions are shown.
        guard !ImpliedAnswers.of(plan).isEmpty || !ImpliedAnswers.contradicted(plan).isEmpty else { return }
        let found = try AnswerConsequences(file.text, path: path, schema)
        try file.replace(by: found.text)
        plan = found.plan
        show(found.implied)
        for number in found.reopened.sorted() {
            terminal.line(terminal.dim("  \(AnswerFollowing.again(plan.questions[number]))"))
        }
        due += found.reopened.sorted() + found.added
    }

    /// Shows what answers led to, and notes the questions that have to be asked.
    private mutating func follow(_ outcome: AnswerFollowing.Outcome, _ following: AnswerFollowing) {
        show(outcome.implied)
        following.sayReopened(outcome, in: plan) { terminal.paragraph("  ", $0) }
        due += outcome.reopened.union(outcome.refused.keys).sorted() + outcome.added
    }

    private func show(_ implied: [Int: PlanQuestion.Answer]) {
        for (number, answer) in implied.sorted(by: { $0.key < $1.key }) {
            terminal.line(
                terminal.dim("  It follows: \(Terminal.printable(plan.questions[number].place)): \(answer.rawValue)"))
        }
    }

    /// Questions of one group: the places, each reason once and each of its clauses on lines of its own, the link, and
    /// the answer or the possible ones.
    static func show(_ questions: [PlanQuestion], on terminal: Terminal) {
        guard let question = questions.last else { return }
        for (place, one) in questions.enumerated() {
            terminal.line(terminal.bold(Terminal.printable(one.place)))
            if place + 1 < questions.count, questions[place + 1].reason == one.reason { continue }
            let clauses = Terminal.printable(one.reason).split(separator: "; ").map(String.init)
            for clause in clauses {
                Paragraph.marked(clauses.count > 1 ? "  · " : "  ", clause, width: terminal.width)
                    .forEach { terminal.line($0) }
            }
        }
        for link in question.links {
            Paragraph.marked("  link: ", Terminal.printable(PlanFile.text(of: link)), width: terminal.width)
                .forEach { terminal.line(terminal.dim($0)) }
        }
        if let answer = question.answer {
            terminal.line("  answer: \(answer.rawValue)\(question.isImplied ? " (follows from other answers)" : "")")
        } else {
            terminal.line(terminal.dim("  answers: \(question.answers.map(\.rawValue).joined(separator: ", "))"))
        }
    }
}

extension PlanQuestion {
    /// The table and its columns: `public.user_roles.granter_id`.
    var place: String {
        guard columns.count > 1 else { return ColumnName(table, columns.first ?? "").description }
        return "\(table) (\(columns.joined(separator: ", ")))"
    }
}
