// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The consequences of a plan's answers, in this order: implied answers that others contradict are open again, further
/// questions are asked, and only then do answers follow. While a question about a table is due, nothing follows from
/// its rows.
package struct AnswerConsequences {
    /// The text of the plan with all of it.
    package private(set) var text: String
    /// The answers that follow, by the numbers of their questions.
    package private(set) var implied: [Int: PlanQuestion.Answer] = [:]
    /// The questions whose implied answers other answers contradict, and that no answer follows for.
    package private(set) var reopened: Set<Int> = []
    /// The questions whose answers the check refuses beside others, with what it says: they are open again.
    package private(set) var refused: [Int: Finding] = [:]
    /// The numbers of the questions that were added; they are the last of the file.
    package private(set) var added: Range<Int>
    /// With its answers applied.
    package private(set) var plan: Plan
    private let path: String
    /// The questions whose implied answers were contradicted twice: no answer follows for them again.
    private var withheld: Set<Int> = []
    /// The answers that contradicted the implied answers of questions that were opened again.
    private var contradictions: [Int: ContradictedAnswer] = [:]

    /// - Parameter schema: `nil`: no further questions are looked for.
    /// - Throws: `plan.unreadable`; `plan.answer-unplaced` and `plan.merge-unplaced` where the layout of the file
    ///   allows no edit.
    package init(_ text: String, path: String, _ schema: Schema?) throws(FarewellError) {
        (self.text, self.path) = (text, path)
        plan = try PlanFile.read(Array(text.utf8), path: path)
        added = plan.questions.count..<plan.questions.count
        while true {
            let contradicted = ImpliedAnswers.contradicted(plan)
            guard contradicted.isEmpty else {
                withheld.formUnion(contradicted.intersection(reopened))
                try reopen(contradicted)
                continue
            }
            let known = Set(plan.questions.map(Place.init))
            var following = (schema.map { FollowingQuestions.of(plan, $0) } ?? []).filter { !known.contains(Place($0)) }
            // Pairs are asked about once it is known to which tables their rows may lead.
            if following.contains(where: { $0.answers.contains(.owner) && !PairQuestion.isOne($0) }) {
                following.removeAll(where: PairQuestion.isOne)
            }
            guard following.isEmpty else {
                for (number, question) in following.enumerated() where question.isImplied {
                    implied[plan.questions.count + number] = question.answer
                }
                plan.questions += following
                plan = plan.answered()
                added = added.lowerBound..<plan.questions.count
                continue
            }
            let next = ImpliedAnswers.next(plan).filter { !withheld.contains($0.key) }
            // A reference that also needs a value does not follow: the author gives the value.
            let references = next.filter { $0.value == .reference }.map(\.key)
            let incomplete = Set(schema.map { MissingReplacement(plan, $0).of(references) } ?? [])
            let fresh = next.filter { !incomplete.contains($0.key) }
            guard !fresh.isEmpty else { break }
            for (number, answer) in fresh {
                plan.questions[number].answer = answer
                plan.questions[number].isImplied = true
                implied[number] = answer
            }
            plan = plan.answered()
        }
        try write()
        reopened = reopened.filter { plan.questions[$0].isOpen }
        try restate(contradictions)
    }

    /// The questions whose answers the check refuses beside others, while no open question may settle that.
    package func contradicted(_ schema: Schema) -> Set<Int> {
        Set(RefusedAnswers.due(plan, schema, keeping: []).keys)
    }

    /// Opens the questions again whose answers the check refuses beside others, while no open question may settle that,
    /// and writes what follows then. The refused answer is offered last.
    ///
    /// - Parameter kept: The numbers of questions whose answers stay in any case.
    /// - Throws: As `init`.
    package mutating func reopenRefused(_ schema: Schema, keeping kept: Set<Int>) throws(FarewellError) {
        // The answers that follow may contradict further ones. Each turn leaves fewer answers of the author's.
        while true {
            let found = RefusedAnswers.due(plan, schema, keeping: kept)
            guard !found.isEmpty else { return }
            let reopening = try AnswerEditor(text, path: path).reopening(Set(found.keys))
            var next = try AnswerConsequences(reopening, path: path, schema)
            try next.restate(contradicting(Set(found.keys)))
            let questions = next.plan.questions
            implied = implied.filter { questions[$0.key].isImplied }.merging(next.implied) { _, later in later }
            reopened = reopened.union(next.reopened).filter { questions[$0].isOpen }
            refused = refused.merging(found) { _, later in later }.filter { questions[$0.key].isOpen }
            added = added.lowerBound..<questions.count
            (text, plan) = (next.text, next.plan)
        }
    }

    /// An answer changes rules, so the plan is read again without it.
    private mutating func reopen(_ numbers: Set<Int>) throws(FarewellError) {
        try write()
        text = try AnswerEditor(text, path: path).reopening(numbers)
        reopened.formUnion(numbers)
        contradictions.merge(contradicting(numbers)) { _, later in later }
        for number in numbers { implied[number] = nil }
        plan = try PlanFile.read(Array(text.utf8), path: path)
    }

    private func contradicting(_ numbers: Set<Int>) -> [Int: ContradictedAnswer] {
        numbers.reduce(into: [:]) { $0[$1] = ContradictedAnswer(plan.questions[$1], in: plan) }
    }

    /// Writes into those of these questions that are open what contradicted their answers.
    private mutating func restate(_ contradictions: [Int: ContradictedAnswer]) throws(FarewellError) {
        var questions: [Int: PlanQuestion] = [:]
        for (number, contradiction) in contradictions where plan.questions[number].isOpen {
            questions[number] = contradiction.applied(to: plan.questions[number])
        }
        guard !questions.isEmpty else { return }
        text = try AnswerEditor(text, path: path).restating(questions)
        let written = try PlanFile.read(Array(text.utf8), path: path).questions
        for number in questions.keys { plan.questions[number] = written[number] }
    }

    private struct Place: Hashable {
        let table: TableName
        let columns: [String]
        let links: [Link]

        init(_ question: PlanQuestion) {
            (table, columns, links) = (question.table, question.columns, question.links)
        }
    }

    private mutating func write() throws(FarewellError) {
        let written = try PlanFile.read(Array(text.utf8), path: path)
        let known = written.questions.count
        let fresh = implied.filter { $0.key < known && written.questions[$0.key].isOpen }
        text = try AnswerEditor(text, path: path).answering([:], implied: fresh)
        let questions = Array(plan.questions.dropFirst(known))
        text = try PlanInsertion(text, path).adding([], [], questions, [], to: written)
    }
}
