// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import Foundation
import Testing

struct AnswerEditorTests {
    private static let text = """
        # A comment of mine.
        farewell: 1
        subject: {table: users, key: id}

        questions:
          # about roles
          - table: user_roles   # mine
            column: granter_id
            reason: "The key is nullable."
            link: {from: granter_id, to: users.id, key: no action}
            answers: [owner, reference]

          - {table: todos, column: target_id, reason: "Why?", link: {from: target_id, to: users.id},
             answers: [owner, reference, not personal]}   # in one piece
          - answers:
            - owner
            - not personal
            table: votes
            column: voter_id
            reason: Named like a key.
            link: {from: voter_id, to: users.id}
            answer:   # not yet
          - table: pages
            column: editor_id
            reason: "Named like a key."
            answer: 'reference'   # as agreed
            answers: [reference,
                      not personal]   # two
            link: {from: editor_id, to: users.id}
        # The tables.
        tables:
          users: {rule: erase, columns: [id]}
          user_roles: {rule: not personal, columns: [id, granter_id]}
          todos: {rule: not personal, columns: [id, target_id]}
          votes: {rule: not personal, columns: [id, voter_id]}
          pages: {rule: not personal, columns: [id, editor_id]}

        """

    @Test("PL-1 PL-8 an answer is one inserted or replaced line; comments, order and layout stay")
    func minimal() throws {
        let answers: [Int: PlanQuestion.Answer] = [0: .owner, 1: .unrelated, 2: .owner, 3: .unrelated]
        let changed = try AnswerEditor(Self.text, path: "p").answering(answers)
        let expected = Self.text
            .replacing("[owner, reference]\n", with: "[owner, reference]\n    answer: owner\n")
            .replacing("- {table: todos", with: "- {answer: not personal, table: todos")
            .replacing("answer:   # not yet", with: "answer: owner   # not yet")
            .replacing("answer: 'reference'   # as agreed", with: "answer: not personal   # as agreed")
        #expect(changed == expected)
        #expect(try PlanFile.read(Array(changed.utf8), path: "p").questions.map(\.answer) == [.owner, .unrelated, .owner, .unrelated])
        #expect(try AnswerEditor(changed, path: "p").answering(answers) == changed)
    }

    @Test("PL-8 each question is answered alone, and with the line endings of another system", arguments: 0..<4, ["\n", "\r\n"])
    func alone(_ number: Int, _ ending: String) throws {
        let text = Self.text.replacing("\n", with: ending)
        let answer: PlanQuestion.Answer = number == 0 ? .reference : .unrelated
        let changed = try AnswerEditor(text, path: "p").answering([number: answer])
        let before = text.components(separatedBy: ending)
        let after = changed.components(separatedBy: ending)
        #expect(after.count - before.count == (number == 0 ? 1 : 0))
        #expect(after.filter { !before.contains($0) }.count == 1)
        #expect(try PlanFile.read(Array(changed.utf8), path: "p").questions[number].answer == answer)
    }

    @Test("PL-8 a plan as JSON is edited, too")
    func json() throws {
        let text = """
            {"farewell": 1, "subject": {"table": "users", "key": "id"}, "questions": [{"table": "votes", "column": "voter_id",
            "reason": "r", "link": {"from": "voter_id", "to": "users.id"}, "answers": ["owner", "not personal"]}],
            "tables": {"users": {"rule": "erase", "columns": ["id"]},
            "votes": {"rule": "not personal", "columns": ["voter_id"]}}}
            """
        let changed = try AnswerEditor(text, path: "p").answering([0: .owner])
        #expect(try PlanFile.read(Array(changed.utf8), path: "p").questions[0].answer == .owner)
        let implied = try AnswerEditor(text, path: "p").answering([:], implied: [0: .owner])
        #expect(try PlanFile.read(Array(implied.utf8), path: "p").questions[0].isImplied)
        let open = try AnswerEditor(implied, path: "p").reopening([0])
        #expect(try PlanFile.read(Array(open.utf8), path: "p").questions[0].isOpen)
    }

    @Test("PL-1 PL-8 an implied answer has its own word; an answer takes its place, and without it the question is open")
    func impliedLines() throws {
        let implied: [Int: PlanQuestion.Answer] = [0: .owner, 1: .unrelated, 2: .owner, 3: .unrelated]
        let changed = try AnswerEditor(Self.text, path: "p").answering([:], implied: implied)
        let expected = Self.text
            .replacing("[owner, reference]\n", with: "[owner, reference]\n    implied: owner\n")
            .replacing("- {table: todos", with: "- {implied: not personal, table: todos")
            .replacing("answer:   # not yet", with: "implied: owner   # not yet")
            .replacing("answer: 'reference'   # as agreed", with: "implied: not personal   # as agreed")
        #expect(changed == expected)
        let read = try PlanFile.read(Array(changed.utf8), path: "p")
        #expect(read.questions.allSatisfy { $0.isImplied })
        #expect(try PlanFile.read(Array(PlanFile.text(for: read).utf8), path: "p").questions == read.questions)
        let given = try AnswerEditor(changed, path: "p").answering(implied)
        #expect(given == expected.replacing("implied:", with: "answer:"))
        let open = try AnswerEditor(changed, path: "p").reopening([0, 1, 2, 3])
        #expect(try PlanFile.read(Array(open.utf8), path: "p").questions.allSatisfy { $0.isOpen && !$0.isImplied })
        // The line of a decision that was only that goes; comments stay.
        #expect(open.contains("[owner, reference]\n\n") && open.contains("answer:    # as agreed"), "\(open)")
        let again = try AnswerEditor(open, path: "p").answering(implied)
        #expect(try PlanFile.read(Array(again.utf8), path: "p").questions.allSatisfy { !$0.isOpen && !$0.isImplied })
        let both = changed.replacing("    implied: owner\n", with: "    implied: owner\n    answer: owner\n")
        #expect(throws: FarewellError.self) { try PlanFile.read(Array(both.utf8), path: "p") }
    }

    @Test("PL-1 PL-8 reasons and the order of answers change in their layout; a reason in several lines stays")
    func restated() throws {
        let questions = try PlanFile.read(Array(Self.text.utf8), path: "p").questions.map { question in
            var question = question
            question.answers.reverse()
            question.reason = "It's \"so\"."
            return question
        }
        let changes = Dictionary(uniqueKeysWithValues: questions.enumerated().map { ($0.offset, $0.element) })
        let reason = "\"It's \\\"so\\\".\""
        let expected = Self.text.replacing("\"The key is nullable.\"", with: reason).replacing("\"Why?\"", with: reason)
            .replacing("\"Named like a key.\"", with: reason).replacing("Named like a key.", with: reason)
            .replacing("[owner, reference]", with: "[reference, owner]")
            .replacing("[reference,\n", with: "[not personal,\n").replacing("not personal]   # two", with: "reference]   # two")
            .replacing("[owner, reference, not personal]", with: "[not personal, reference, owner]")
            .replacing("    - owner\n    - not personal\n", with: "    - not personal\n    - owner\n")
        #expect(try AnswerEditor(Self.text, path: "p").restating(changes) == expected)
        #expect(try PlanFile.read(Array(expected.utf8), path: "p").questions == questions)
        let folded = Self.text.replacing("\"Why?\"", with: "\"Why\n     not?\"")
        let order = folded.replacing("[owner, reference, not personal]", with: "[not personal, reference, owner]")
        #expect(try AnswerEditor(folded, path: "p").restating([1: questions[1]]) == order)
    }

    @Test("PL-8 names are chosen by patterns, by code points and in bounded time")
    func patterns() {
        let table = TableName(schema: "public", "audit_log")
        for pattern in ["public.audit_*", "audit_*", "*", "public.*", "*_log", "audit?log", "*.audit_log"] {
            #expect(NamePattern(pattern).matches(table), "\(pattern)")
        }
        for pattern in ["audit", "private.*", "audit_??", "AUDIT_*", ""] {
            #expect(!NamePattern(pattern).matches(table), "\(pattern)")
        }
        #expect(!NamePattern("cafe").matches("cafe\u{301}"))
        #expect(!NamePattern(String(repeating: "*a", count: 40)).matches(String(repeating: "a", count: 2_000) + "b"))
    }

    @Test("PL-8 a consequence that an answer has by a declared key needs no answer of its own")
    func implied() throws {
        let text = """
            farewell: 1
            subject: {table: users, key: id}
            questions:
              - {table: posts, column: user_id, reason: r, link: {from: user_id, to: users.id}, answers: [owner, reference, not personal]}
              - {table: photos, column: post_id, reason: r, link: {from: post_id, to: posts.id, key: cascade},
                 answers: [owner, reference, not personal]}
              - {table: pins, column: post_id, reason: r, link: {from: post_id, to: posts.id, key: set null},
                 answers: [reference, not personal]}
              - {table: tags, column: photo_id, reason: r, link: {from: photo_id, to: photos.id, key: cascade},
                 answers: [owner, reference, not personal]}
            tables:
              users: {rule: erase, columns: [id]}
              posts: {rule: not personal, columns: [id, user_id]}
              photos: {rule: not personal, columns: [id, post_id]}
              pins: {rule: not personal, columns: [id, post_id]}
              tags: {rule: not personal, columns: [id, photo_id]}
            """
        var plan = try PlanFile.read(Array(text.utf8), path: "p")
        #expect(ImpliedAnswers.of(plan).isEmpty)
        plan.questions[0].answer = .owner
        #expect(ImpliedAnswers.of(plan) == [1: .owner, 2: .reference, 3: .owner])
        plan.questions[0].answer = .unrelated
        #expect(ImpliedAnswers.of(plan) == [1: .unrelated, 2: .unrelated, 3: .unrelated])
    }
}
