// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Questions with one cause, which one answer settles.
struct QuestionGroupTests {
    private static func question(_ table: String, _ columns: [String], answer: PlanQuestion.Answer? = nil) -> PlanQuestion {
        PlanQuestion(
            table: TableName(table), columns: columns, reason: "Whose row is it?",
            link: Link(columns: [columns[columns.count - 1]], target: TableName("users"), targetColumns: ["id"]), answer: answer)
    }

    @Test("PL-1 PL-8 columns of one name in many tables are asked about together if they lead alike and offer the same answers")
    func groups() {
        var questions = [
            Self.question("orders", ["created_by_id"]), Self.question("orders", ["user_id"]),
            Self.question("bills", ["created_by_id"]), Self.question("carts", ["created_by_id"]),
            Self.question("notes", ["created_by_id"], answer: .owner),
        ]
        #expect(QuestionGroup.of([0, 1, 2, 3, 4], in: questions).map(\.numbers) == [[0, 2, 3], [1], [4]])
        #expect(QuestionGroup.of([1, 3, 2], in: questions).map(\.numbers) == [[1], [3, 2]])
        // Another target or fewer answers are another question.
        questions[2].answers = [.reference, .unrelated]
        questions[3].link?.target = TableName("admins")
        #expect(QuestionGroup.of([0, 1, 2, 3], in: questions).map(\.numbers) == [[0], [1], [2], [3]])
        // A command chooses columns by their names alone.
        let byColumn = QuestionGroup.byColumn([1, 0, 2, 3], in: questions)
        #expect(byColumn.map(\.numbers) == [[0, 2, 3], [1]])
        #expect(byColumn.map { $0.answers(in: questions) } == [[.reference, .unrelated], [.owner, .reference, .unrelated]])
    }
}
