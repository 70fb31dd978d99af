// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

@Suite("Questions that are asked again, because other answers contradict their answers")
struct ContradictedAnswerTests {
    private static let schema = SchemaSketch.schema(
        .sqlite, SchemaSketch.table("users", "id int pk"),
        SchemaSketch.table("projects", "id int pk", "lead_id int -> users.id no action"),
        SchemaSketch.table("assignments", "id int pk", "project_id int not-null -> projects.id no action"),
        SchemaSketch.table("notes", "id int pk", "assignment_id int not-null -> assignments.id no action"))

    /// - Parameter answers: Of the questions about projects, assignments and notes; `nil`: open.
    private static func text(_ answers: PlanQuestion.Answer?...) -> String {
        let lines = answers.map { $0.map { "\n    answer: \($0.rawValue)" } ?? "" }
        return """
            farewell: 1
            subject: {table: users, key: id}
            questions:
              - table: projects
                column: lead_id
                reason: "Whose is the row?"
                link: {from: lead_id, to: users.id, key: no action}
                answers: [owner, reference]\(lines[0])
              - table: assignments
                column: project_id
                reason: "Whose is the row?"
                link: {from: project_id, to: projects.id, key: no action}
                answers: [not personal, owner]\(lines[1])
              - table: notes
                column: assignment_id
                reason: "Whose is the row?"
                link: {from: assignment_id, to: assignments.id, key: no action}
                answers: [not personal, owner]\(lines[2])
            tables:
              users: {rule: erase, columns: [id]}
              projects: {rule: not personal, columns: [id, lead_id]}
              assignments: {rule: not personal, columns: [id, project_id]}
              notes: {rule: not personal, columns: [id, assignment_id]}

            """
    }

    private static func read(_ text: String) throws -> Plan { try PlanFile.read(Array(text.utf8), path: "p") }

    /// The text with what follows from its answers, without those that the check refuses.
    private static func decided(_ text: String) throws -> AnswerConsequences {
        var found = try AnswerConsequences(text, path: "p", schema)
        try found.reopenRefused(schema, keeping: [])
        return found
    }

    private static func due(_ text: String) throws -> [Int] {
        RefusedAnswers.due(try read(text), schema, keeping: []).keys.sorted()
    }

    @Test(
        "PL-1 PL-8 the refused answer of a question that is asked again comes last, and the reason says why",
        arguments: ["[not personal, owner]", "['not personal', \"owner\"]", "\n      - not personal\n      - owner"])
    func last(_ answers: String) throws {
        let text = Self.text(.owner, .unrelated, .unrelated).replacing("[not personal, owner]", with: answers)
        let found = try Self.decided(text)
        let question = found.plan.questions[1]
        #expect(found.refused.keys.sorted() == [1] && question.isOpen && question.answers == [.owner, .unrelated])
        let words =
            "The answer `not personal` contradicted others, by which rows of projects are the subject's, and this key "
            + "leads to them. Whose is the row?"
        #expect(question.reason == words)
        #expect(try Self.read(found.text).questions == found.plan.questions)
        // Said twice, it is still said once.
        var given = question
        given.answer = .unrelated
        let again = try #require(ContradictedAnswer(given, in: found.plan))
        #expect(again.applied(to: question) == question)
        // First answers come to an end: then the notes are asked about, too.
        let second = try Self.decided(try AnswerEditor(found.text, path: "p").answering([1: question.answers[0]]))
        #expect(second.refused.keys.sorted() == [2] && second.plan.questions[1].answer == .owner)
        let answered = try AnswerEditor(second.text, path: "p").answering([2: second.plan.questions[2].answers[0]])
        let ended = try Self.decided(answered)
        #expect(ended.refused.isEmpty && ended.plan.questions[2].answer == .owner)
        #expect(!FollowingQuestions.errors(ended.plan, Self.schema).contains { $0.code == "key.added" || $0.code == "key.blocks" })
    }

    @Test("PL-1 PL-8 a question is not asked again while an open one may settle the contradiction")
    func settled() throws {
        // Rows of projects may become the subject's.
        #expect(try Self.due(Self.text(nil, .owner, .owner)).isEmpty)
        #expect(try Self.due(Self.text(.reference, .owner, .owner)) == [1])
        // Rows of projects may no longer be the subject's, if their own link is open.
        let linked = "projects: {rule: erase, links: [{from: lead_id, to: users.id, key: no action}], columns: [id, lead_id]}"
        func drafted(_ text: String) -> String {
            text.replacing("projects: {rule: not personal, columns: [id, lead_id]}", with: linked)
        }
        #expect(try Self.due(drafted(Self.text(nil, .unrelated, .unrelated))).isEmpty)
        #expect(try Self.due(drafted(Self.text(.owner, .unrelated, .unrelated))) == [1])
        // An open question that gives no rows of projects changes nothing.
        #expect(try Self.due(Self.text(.owner, .unrelated, nil)) == [1])
        // Of two refused answers the one comes first to whose rows the other leads.
        #expect(try Self.due(Self.text(.reference, .owner, .unrelated)) == [1])
        // The answer that follows for it contradicts that of the notes in turn.
        let chain = try Self.decided(Self.text(.reference, .owner, .owner))
        #expect(chain.refused.isEmpty && chain.implied == [1: .unrelated, 2: .unrelated], "\(chain.plan.questions)")
        #expect(RefusedAnswers.due(try Self.read(Self.text(.owner, .unrelated, nil)), Self.schema, keeping: [1]).isEmpty)
    }

    @Test("PL-1 PL-3 a key that the database empties may be settled by a question about its own rows")
    func emptied() throws {
        let tables = ["users", "projects", "assignments"].map { TableName($0) }
        func question(_ column: String, _ target: TableName, _ answer: PlanQuestion.Answer?, _ action: DeleteAction) -> PlanQuestion {
            PlanQuestion(
                table: tables[2], columns: [column], reason: "Whose is the row?",
                link: Link(columns: [column], target: target, targetColumns: ["id"], onDelete: action), answer: answer)
        }
        let actions: [(DeleteAction, Bool)] = [(.setNull, true), (.setDefault, true), (.cascade, false), (.noAction, false)]
        for (action, isSettled) in actions {
            var plan = try Self.read(Self.text(.owner, nil, nil))
            plan.questions = [question("project_id", tables[1], .unrelated, action), question("user_id", tables[0], nil, .noAction)]
            #expect(OpenAnswers(plan, SchemaMap(Self.schema)).maySettle(0) == isSettled, "\(action)")
        }
    }

    @Test("PL-8 an answer to a question that is asked again anyway needs no --again; other answers stay")
    func chosen() throws {
        let text = Self.text(.owner, .unrelated, .unrelated)
        let plan = try Self.read(text)
        let again = try AnswerConsequences(text, path: "p", Self.schema).contradicted(Self.schema)
        #expect(again == [1])
        let given = ChosenAnswers(plan, contradicted: again, again: false) { _ in .owner }
        #expect(given.answers == [1: .owner] && given.unfit.isEmpty)
        #expect(ChosenAnswers(plan, contradicted: [], again: false) { _ in .owner }.answers.isEmpty)
        #expect(ChosenAnswers(plan, contradicted: again, again: false) { _ in .unrelated }.answers.isEmpty)
        #expect(ChosenAnswers(plan, contradicted: again, again: false) { _ in .reference }.unfit == [1])
        let lacking = ChosenAnswers(plan, contradicted: [], incomplete: [2], again: false) { $0.answer }
        #expect(lacking.answers == [2: .unrelated], "the answer stays, and its value is added")
        let changed = ChosenAnswers(plan, contradicted: again, again: true) { $0.table.name == "notes" ? .owner : nil }
        #expect(changed.answers == [2: .owner])
        #expect(ChosenAnswers.changeAnswers(plan) { _ in .owner } && !ChosenAnswers.changeAnswers(plan) { $0.answer })
    }
}
