// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// One question about a pair of columns of which one gives the table to which the other leads.
struct PairQuestionTests {
    private static let schema = Schema(
        dialect: .postgresql,
        tables: [
            SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("photos", "id int pk", "user_id int not-null -> users.id cascade"),
            SchemaSketch.table("posts", "id int pk", "user_id int not-null -> users.id cascade"),
            SchemaSketch.table("comments", "id int pk", "commentable_type text", "commentable_id int", "body text"),
        ])

    private static func text() throws -> String {
        PlanFile.text(for: try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan)
    }

    private static func read(_ text: String) throws -> Plan { try PlanFile.read(Array(text.utf8), path: "p") }

    @Test("PL-1 PL-2 PL-8 one question asks about a pair for all tables, and one answer declares a link for each")
    func answered() throws {
        let text = try Self.text()
        let plan = try Self.read(text)
        let asked = plan.questions.indices.filter { plan.questions[$0].table.name == "comments" }
        #expect(asked.count == 1 && plan.questions.count == 1, "\(plan.questions)")
        let question = plan.questions[0]
        #expect(question.links.map(\.target.name) == ["users", "photos", "posts"])
        #expect(question.reason.contains("that is users, photos or posts; "), "\(question.reason)")
        for (answer, role) in [(PlanQuestion.Answer.owner, Link.Role.owner), (.reference, .reference)] {
            let decided = try Self.read(AnswerEditor(text, path: "p").answering([0: answer]))
            let links = decided[TableName("comments")]?.links ?? []
            #expect(links.map(\.target.name) == ["users", "photos", "posts"] && links.allSatisfy { $0.role == role }, "\(links)")
            #expect(links.map { $0.condition.parts.first?.values.first } == ["User", "Photo", "Post"])
            let errors = PlanCheck.findings(decided, Self.schema).filter { $0.severity == .error }
            #expect(errors.isEmpty, "\(errors)")
        }
        let unrelated = try Self.read(AnswerEditor(text, path: "p").answering([0: .unrelated]))
        #expect(unrelated[TableName("comments")]?.links == [])
        #expect(PlanCheck.findings(unrelated, Self.schema).filter { $0.severity == .error }.isEmpty)
    }

    @Test("PL-1 PL-2 a link that the author removes from the question is declared by no answer")
    func removed() throws {
        let lines = try Self.text().split(separator: "\n", omittingEmptySubsequences: false)
        let line = try #require(lines.firstIndex { $0.contains("- {from: commentable_id, to: photos.id") })
        let text = (lines[..<line] + lines[(line + 1)...]).joined(separator: "\n")
        let decided = try Self.read(AnswerEditor(text, path: "p").answering([0: .owner]))
        #expect(decided[TableName("comments")]?.links.map(\.target.name) == ["users", "posts"])
        #expect(PlanCheck.findings(decided, Self.schema).filter { $0.severity == .error }.isEmpty)
        let both = text.replacing("    links:\n", with: "    link: {from: commentable_id, to: users.id}\n    links:\n")
        #expect(throws: FarewellError.self) { try Self.read(both) }
    }

    @Test("PL-1 PL-2 a pair leads to rows with a key of several columns by all of them, if the row has a column for each")
    func composite() throws {
        func draft(_ comments: String...) throws -> (plan: Plan, schema: Schema) {
            let schema = Schema(
                dialect: .postgresql,
                tables: [
                    SchemaSketch.table("users", "id int pk", "email text unique"),
                    SchemaSketch.table("posts", "org_id int pk", "id int pk", "user_id int not-null -> users.id cascade"),
                    SchemaSketch.table("pages", "user_id int pk -> users.id cascade", "id int pk"),
                    SchemaSketch.table("comments", ["id int pk", "commentable_type text", "commentable_id int"] + comments),
                ])
            return (try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan, schema)
        }
        let (plan, schema) = try draft("org_id int not-null", "body text")
        let question = try #require(plan.questions.first { $0.columns == ["commentable_type", "commentable_id"] }, "\(plan.questions)")
        #expect(question.links.map(\.target.name) == ["users", "posts"], "\(question)")
        #expect(question.others.first?.columns == ["org_id", "commentable_id"])
        #expect(question.others.first?.targetColumns == ["org_id", "id"])
        for answer in [PlanQuestion.Answer.owner, .reference, .unrelated] {
            let errors = PlanCheck.findings(plan.answeringAll(answer), schema).filter { $0.severity == .error }
            #expect(errors.isEmpty, "\(errors)")
        }
        // Without the other part of the key, equal numbers are those of other rows.
        let alone = try draft("body text").plan.questions.flatMap(\.links).map(\.target.name)
        #expect(alone == ["users"], "\(alone)")
    }
}
