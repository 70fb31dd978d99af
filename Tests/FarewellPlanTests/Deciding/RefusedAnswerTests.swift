// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

@Suite("Answers that other answers contradict, and answers that need a value")
struct RefusedAnswerTests {
    private static let schema = SchemaSketch.schema(
        .sqlite, SchemaSketch.table("users", "id int pk"),
        SchemaSketch.table("projects", "id int pk", "lead_id int -> users.id no action"),
        SchemaSketch.table("assignments", "id int pk", "project_id int not-null -> projects.id no action"))

    private static func text(_ project: String, _ assignment: String) -> String {
        """
        farewell: 1
        subject: {table: users, key: id}
        questions:
          - table: projects
            column: lead_id
            reason: "Whose is the row?"
            link: {from: lead_id, to: users.id, key: no action}
            answers: [owner, reference]
            answer: \(project)
          - table: assignments
            column: project_id
            reason: "Whose is the row?"
            link: {from: project_id, to: projects.id, key: no action}
            answers: [owner, not personal]
            answer: \(assignment)
        tables:
          users: {rule: erase, columns: [id]}
          projects: {rule: not personal, columns: [id, lead_id]}
          assignments: {rule: not personal, columns: [id, project_id]}

        """
    }

    @Test("PL-1 PL-8 a key that was called not personal before its rows became the subject's is asked about again, once")
    func reopened() throws {
        let text = Self.text("owner", "not personal")
        var found = try AnswerConsequences(text, path: "p", Self.schema)
        #expect(found.text == text, "the check alone contradicts an answer of the author's")
        var kept = found
        try kept.reopenRefused(Self.schema, keeping: [1])
        #expect(kept.refused.isEmpty && kept.text == text)
        try found.reopenRefused(Self.schema, keeping: [])
        #expect(found.refused.keys.sorted() == [1] && found.plan.questions[1].isOpen)
        #expect(found.refused[1]?.column == "project_id" && found.plan.questions[0].answer == .owner)
        #expect(try PlanFile.read(Array(found.text.utf8), path: "p").questions[1].isOpen)
    }

    @Test("PL-1 PL-8 an owner whose rows another answer takes away is asked about again, or the answer follows")
    func taken() throws {
        var found = try AnswerConsequences(Self.text("reference", "owner"), path: "p", Self.schema)
        try found.reopenRefused(Self.schema, keeping: [])
        let question = found.plan.questions[1]
        #expect(question.answer == .unrelated && question.isImplied && found.implied[1] == .unrelated, "\(question)")
        #expect(!FollowingQuestions.errors(found.plan, Self.schema).contains { $0.column == "project_id" })
        var fitting = try AnswerConsequences(Self.text("owner", "owner"), path: "p", Self.schema)
        try fitting.reopenRefused(Self.schema, keeping: [])
        #expect(fitting.refused.isEmpty && fitting.text == Self.text("owner", "owner"))
    }

    @Test("PL-1 PL-3 the answer reference needs a value only where the column may not be null and takes one in every row")
    func needed() throws {
        let table = SchemaSketch.table(
            "orders", "id int pk", "courier_id uuid not-null -> users.id no action", "clerk_id uuid -> users.id no action",
            "payer_id uuid not-null unique -> users.id no action", "note text not-null")
        let schema = SchemaSketch.schema(.postgresql, SchemaSketch.table("users", "id uuid pk"), table)
        let questions = ["courier_id", "clerk_id", "payer_id", "note"].map { column in
            PlanQuestion(
                table: table.name, columns: [column], reason: "Whose is the row?",
                link: Link(columns: [column], target: TableName("users"), targetColumns: ["id"]))
        }
        var plan = Plan(subject: SubjectRoot(table: TableName("users"), key: "id"), tables: [])
        plan.questions = questions
        #expect(MissingReplacement(plan, schema).of([0, 1, 2, 3]) == [0, 3])
        #expect(MissingReplacement(plan, schema).problem("deleted", in: [0]) == "it is not a UUID")
        #expect(MissingReplacement(plan, schema).problem("deleted", in: [3]) == nil)
        #expect(MissingReplacement(plan, schema).taking([0, 1, 2, 3]) == [0, 3])
        plan.questions[0].link?.replacement = "00000000-0000-0000-0000-000000000000"
        plan.questions[1].link?.replacement = "00000000-0000-0000-0000-000000000000"
        #expect(MissingReplacement(plan, schema).of([0, 1, 2, 3]) == [3])
        // An earlier value is replaced by one that fits.
        #expect(MissingReplacement(plan, schema).taking([0, 1, 2, 3]) == [0, 1, 3])
        #expect(MissingReplacement(plan, schema).problem("deleted", in: [1]) == "it is not a UUID")
    }

    @Test("PL-1 PL-3 the answer reference needs a value where a check always refuses null, and the reason names the check")
    func checked() throws {
        var alerts = SchemaSketch.table(
            "alerts", "id int pk", "acked_by int -> users.id no action", "acked_at timestamptz", "author_id int",
            "robot_id int", "closed_by int", "opened_by int")
        alerts.checks = [
            SchemaCheck(name: "acked", condition: "((acked_by IS NULL) = (acked_at IS NULL))", columns: ["acked_by", "acked_at"]),
            SchemaCheck(name: "", condition: "num_nonnulls(author_id, robot_id) = 1", columns: ["author_id", "robot_id"]),
            SchemaCheck(name: "closed", condition: "(COALESCE(closed_by, 0) > 0)", columns: ["closed_by"]),
        ]
        let schema = SchemaSketch.schema(.postgresql, SchemaSketch.table("users", "id int pk"), alerts)
        var plan = Plan(subject: SubjectRoot(table: TableName("users"), key: "id"), tables: [])
        plan.questions = ["acked_by", "author_id", "closed_by", "opened_by"].map { column in
            PlanQuestion(
                table: alerts.name, columns: [column], reason: "Whose is the row?",
                link: Link(columns: [column], target: TableName("users"), targetColumns: ["id"]))
        }
        let missing = MissingReplacement(plan, schema)
        #expect(missing.of([0, 1, 2, 3]) == [0, 1] && missing.taking([0, 1, 2, 3]) == [0, 1])
        #expect(missing.obstacle(in: 0) == "may not be null, because the check “acked” refuses that")
        #expect(missing.obstacle(in: 1) == "may not be null, because a check of the table refuses that")
        #expect(missing.problem("text", in: [0]) != nil && missing.problem("0", in: [0]) == nil)
        // Only the database knows what a check about values says of null.
        #expect(missing.undecided([0, 1, 2, 3]) == [2])
        let asked = MissingReplacement(plan, schema, refusals: [2: alerts.checks[2]])
        #expect(asked.of([0, 1, 2, 3]) == [0, 1, 2] && asked.obstacle(in: 2).contains("“closed”"))
        plan.questions[0].link?.replacement = "0"
        #expect(MissingReplacement(plan, schema).of([0]).isEmpty && MissingReplacement(plan, schema).taking([0]) == [0])
        // The check says that the table has no such column.
        plan.questions[0].link = Link(columns: ["nobody"], target: TableName("users"), targetColumns: ["id"])
        #expect(MissingReplacement(plan, schema).of([0]).isEmpty)
    }

    @Test("PL-1 PL-3 PL-8 no reference follows from other answers where it also needs a value", arguments: [true, false])
    func following(_ isNullable: Bool) throws {
        let key = "project_id int \(isNullable ? "" : "not-null ")-> projects.id no action"
        let schema = SchemaSketch.schema(
            .sqlite, SchemaSketch.table("users", "id int pk"),
            SchemaSketch.table("projects", "id int pk", "lead_id int -> users.id no action"),
            SchemaSketch.table("assignments", "id int pk", key))
        let open = Self.text("owner", "").replacing("    answer: \n", with: "")
            .replacing("answers: [owner, not personal]", with: "answers: [reference, not personal]")
        let found = try AnswerConsequences(open, path: "p", schema)
        #expect(found.plan.questions[1].answer == (isNullable ? .reference : nil), "\(found.plan.questions[1])")
        let implied: [Int: PlanQuestion.Answer] = isNullable ? [1: .reference] : [:]
        #expect(found.implied == implied)
        #expect(!FollowingQuestions.errors(found.plan, schema).contains { $0.code == "link.reference-not-null" })
        #expect(try AnswerConsequences(open, path: "p", nil).implied == [1: .reference])
    }

    @Test("PL-1 PL-8 the value of a reference is written into the link, with or without brackets, and the rest stays")
    func written() throws {
        let text = Self.text("owner", "not personal")
        let block = text.replacing(
            "    link: {from: project_id, to: projects.id, key: no action}\n",
            with: "    link:   # mine\n      from: project_id\n      to: projects.id\n      key: no action\n")
        let changed = try AnswerEditor(block, path: "p").replacing([0, 1], by: "a \"0\"")
        let expected = block.replacing("{from: lead_id", with: "{set: \"a \\\"0\\\"\", from: lead_id")
            .replacing("      from: project_id\n", with: "      from: project_id\n      set: \"a \\\"0\\\"\"\n")
        #expect(changed == expected)
        #expect(try PlanFile.read(Array(changed.utf8), path: "p").questions.map { $0.link?.replacement } == ["a \"0\"", "a \"0\""])
        // A link has one value: a later one takes its place, however the earlier one is written.
        for earlier in ["99", "'it''s'", "\"a \\\"0\\\"\""] {
            let text = changed.replacing("\"a \\\"0\\\"\"", with: earlier)
            let later = try AnswerEditor(text, path: "p").replacing([0, 1], by: "1")
            #expect(later == changed.replacing("\"a \\\"0\\\"\"", with: "\"1\""))
        }
    }
}
