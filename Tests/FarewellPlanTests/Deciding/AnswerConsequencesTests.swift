// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// The consequences that `decide` writes after answers: further questions, and answers that follow from others.
struct AnswerConsequencesTests {
    private static let media = TableName("media")
    private static let schema = Schema(
        dialect: .sqlite,
        tables: [
            SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("media", "id int pk", "uploader_id int", "file_name text"),
            SchemaSketch.table("posts", "id int pk", "user_id int not-null -> users.id cascade", "media_id int -> media.id"),
            SchemaSketch.table("captions", "id int pk", "media_id int not-null -> media.id", "body text"),
            SchemaSketch.table("thumbs", "id int pk", "media_id int", "body text"),
        ])

    private static func draft() throws -> String {
        PlanFile.text(for: try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan)
    }

    private static func read(_ text: String) throws -> Plan { try PlanFile.read(Array(text.utf8), path: "p") }

    /// The text with an answer and what it leads to.
    private static func decided(
        _ text: String, _ table: String, _ column: String, _ answer: PlanQuestion.Answer, _ schema: Schema?
    ) throws -> AnswerConsequences {
        let plan = try read(text)
        let number = try #require(plan.questions.firstIndex { $0.table.name == table && $0.columns == [column] })
        let answered = try AnswerEditor(text, path: "p").answering([number: answer])
        return try AnswerConsequences(answered, path: "p", schema)
    }

    /// The open questions, by table and column.
    private static func open(_ plan: Plan) -> [String] {
        plan.questions.filter(\.isOpen).map { "\($0.table.name).\($0.columns.joined(separator: ","))" }.sorted()
    }

    private static func unanswered(_ plan: Plan, _ schema: Schema) -> [String] {
        PlanCheck.findings(plan, schema).filter { $0.code == "question.open" }
            .map { "\($0.table?.name ?? "").\($0.column ?? "")" }.sorted()
    }

    @Test("PL-1 SCH-08 no answer follows from a table's rows while a question about them is due", arguments: [true, false])
    func due(_ isOwned: Bool) throws {
        let first = try Self.decided(Self.draft(), "media", "uploader_id", .unrelated, Self.schema)
        #expect(first.implied.isEmpty && first.added.count == 1)
        #expect(Self.open(first.plan) == ["captions.media_id", "media.id", "posts.media_id", "thumbs.media_id"])
        let second = try Self.decided(first.text, "media", "id", isOwned ? .owner : .unrelated, Self.schema)
        // The key by which posts own the row says nothing more.
        #expect(Self.open(second.plan) == (isOwned ? ["captions.media_id", "thumbs.media_id"] : []))
        #expect(second.plan[Self.media]?.rule.erasesRows == isOwned)
        #expect(try Self.read(second.text).questions == second.plan.questions)
        #expect(try AnswerConsequences(second.text, path: "p", Self.schema).text == second.text, "nothing follows twice")
    }

    @Test("PL-1 SCH-08 an implied answer that a later answer contradicts is an error of check, and is asked again")
    func contradicted() throws {
        // Without a database nothing shows that a question about media is due.
        let first = try Self.decided(Self.draft(), "media", "uploader_id", .unrelated, nil)
        #expect(first.implied.count == 3 && Self.open(first.plan).isEmpty)
        #expect(first.text.split(separator: "\n").filter { $0 == "    implied: not personal" }.count == 3)
        let second = try AnswerConsequences(first.text, path: "p", Self.schema)
        #expect(Self.open(second.plan) == ["media.id"] && second.implied.isEmpty)
        let number = try #require(second.plan.questions.firstIndex { $0.isOpen })
        let owned = try AnswerEditor(second.text, path: "p").answering([number: .owner])
        #expect(Self.unanswered(try Self.read(owned), Self.schema) == ["captions.media_id", "thumbs.media_id"])
        // A listed question is open or answered, and never both.
        let written = try Self.read(owned)
        let listed = ImpliedAnswers.reopened(written)
        #expect(Self.open(listed) == ["captions.media_id", "thumbs.media_id"] && listed.tables == written.tables)
        #expect(listed.questions.allSatisfy { !$0.isOpen || !$0.isImplied })
        for schema in [Self.schema, nil] {
            let third = try AnswerConsequences(owned, path: "p", schema)
            #expect(third.reopened.map { third.plan.questions[$0].table.name }.sorted() == ["captions", "thumbs"])
            #expect(Self.open(third.plan) == ["captions.media_id", "thumbs.media_id"])
        }
        // An answer of the author's own stands.
        let stated = owned.replacing("implied: not personal", with: "answer: not personal")
        #expect(try AnswerConsequences(stated, path: "p", Self.schema).reopened.isEmpty)
        #expect(Self.unanswered(try Self.read(stated), Self.schema) == [])
        // A changed answer contradicts others as well.
        let again = try Self.decided(second.text, "media", "uploader_id", .owner, nil)
        #expect(Self.open(again.plan).contains("captions.media_id"), "\(Self.open(again.plan))")
    }

    @Test(
        "PL-1 in whatever order the same answers come, the same tables are erased, and no answer is contradicted or missing",
        arguments: UInt64(1)...12)
    func order(_ seed: UInt64) throws {
        let walk = try AnswerOrder(seed)
        let (erased, first) = try walk.erased()
        let plans = try [first] + (0..<2).map { try walk.plan(erased, order: seed &* 31 &+ $0) }
        for plan in plans {
            #expect(ImpliedAnswers.contradicted(plan).isEmpty)
            #expect(FollowingQuestions.of(plan, walk.schema).isEmpty)
            for (entry, same) in zip(plan.tables, first.tables) {
                #expect(entry.rule == same.rule, "\(entry) \(same)")
            }
        }
    }
}
