// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

struct PlanMergeTests {
    private static let text = """
        # mine
        farewell: 1
        subject: {table: users, key: id}   # as agreed
        questions:
        - table: votes
          column: voter_id
          reason: r
          link: {from: voter_id, to: users.id}
          answers: [owner, not personal]
          answer: owner   # decided
        tables:
            # comment
            votes: {rule: not personal, columns: [id, voter_id]}
            gone: {rule: not personal, columns: [id]}
            users: {rule: erase, columns: [id]}

        # folders below
        folders: {pictures: {root: files, folder: "{subject}/"}}
        """

    private static let schema = SchemaSketch.schema(
        .sqlite, SchemaSketch.table("users", "id int pk", "email text"),
        SchemaSketch.table("votes", "id int pk", "voter_id int", "editor_id int"),
        SchemaSketch.table("posts", "id int pk", "user_id int not-null -> users.id cascade"),
        SchemaSketch.table("notes", "id int pk", "user_id int"), SchemaSketch.table("colours", "id int pk"))

    @Test("PL-8 new tables and their questions are added to a plan, and everything in it stays unchanged")
    func merged() throws {
        let draft = try PlanDerivation.draft(from: Self.schema, subject: ColumnName(TableName("users"), "id"))
        let merge = try PlanMerge(draft, into: Self.text, path: "p", Self.schema)
        #expect(merge.added.map(\.name) == ["colours", "notes", "posts"])
        #expect(merge.questions == 2)
        #expect(merge.removed.map(\.name) == ["gone"])
        #expect(merge.changed.map(\.description) == ["users.email", "votes.editor_id"])
        var rest = merge.text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        for line in Self.text.split(separator: "\n", omittingEmptySubsequences: false) {
            let place = try #require(rest.firstIndex(of: line), "\(line)")
            rest = rest[(place + 1)...]
        }
        let plan = try PlanFile.read(Array(merge.text.utf8), path: "p")
        #expect(plan[TableName("posts")]?.rule == .erase)
        #expect(plan.questions.map { "\($0.table.name).\($0.columns[0])" } == ["votes.voter_id", "notes.user_id", "votes.editor_id"])
        #expect(plan.questions.map(\.answer) == [.owner, nil, nil])
        // Nothing is added twice.
        let again = try PlanMerge(draft, into: merge.text, path: "p", Self.schema)
        #expect(again.added.isEmpty && again.questions == 0 && again.text == merge.text)
    }

    @Test("PL-8 PL-1 answers, and tables that are added at the end, make no comment of a draft untrue")
    func comments() throws {
        let users = ColumnName(TableName("users"), "id")
        let old = Schema(dialect: .sqlite, tables: Self.schema.tables.filter { $0.name.name != "posts" })
        let draft = try PlanDerivation.draft(from: old, subject: users)
        let text = PlanFile.text(for: draft.plan, notes: draft.notes)
        let head = try #require(text.firstRange(of: "An erasure keeps all rows below, unless an answer above says otherwise."))
        let votes = try #require(text.firstRange(of: "  votes:"))
        #expect(head.lowerBound < votes.lowerBound && !text.contains("Nothing below leads to a person"))
        let answers = Dictionary(uniqueKeysWithValues: draft.plan.questions.indices.map { ($0, PlanQuestion.Answer.owner) })
        let decided = try AnswerEditor(text, path: "p").answering(answers)
        #expect(try PlanFile.read(Array(decided.utf8), path: "p")[TableName("votes")]?.rule == .erase)
        let merge = try PlanMerge(try PlanDerivation.draft(from: Self.schema, subject: users), into: decided, path: "p", Self.schema)
        let added = try #require(merge.text.firstRange(of: "# Added later, with or without a way to a person."))
        let posts = try #require(merge.text.firstRange(of: "  posts:"))
        #expect(added.lowerBound < posts.lowerBound && posts.lowerBound > votes.lowerBound)
        let colours = try #require(merge.text.firstRange(of: "  colours:"))
        #expect(colours.lowerBound < added.lowerBound)
    }

    @Test("PL-8 init --merge writes the answers that follow from others, and counts the questions that decide asks")
    func implied() throws {
        let root = ColumnName(TableName("users"), "id")
        let users = SchemaSketch.table("users", "id int pk", "email text")
        let teams = SchemaSketch.table("teams", "id int pk", "user_id int")
        let boards = SchemaSketch.table("boards", "id int pk", "team_id int not-null -> teams.id", "title text")
        let old = Schema(dialect: .sqlite, tables: [users, teams])
        let grown = Schema(dialect: .sqlite, tables: [users, teams, boards])
        var plan = try PlanDerivation.draft(from: old, subject: root).plan
        func merged() throws -> (PlanMerge, Plan) {
            let draft = try PlanDerivation.draft(from: grown, subject: root)
            let merge = try PlanMerge(draft, into: PlanFile.text(for: plan), path: "p", grown)
            return (merge, try PlanFile.read(Array(merge.text.utf8), path: "p"))
        }
        let (open, asked) = try merged()
        #expect(open.questions == 1 && open.open == 2, "\(asked.questions)")
        plan = plan.answeringAll(.unrelated)
        let (merge, found) = try merged()
        #expect(merge.questions == 0 && merge.open == 0, "\(found.questions)")
        #expect(found.questions.last?.isImplied == true && found.questions.last?.answer == .unrelated, "\(found.questions)")
        let decided = try AnswerConsequences(merge.text, path: "p", grown)
        #expect(decided.text == merge.text && decided.implied.isEmpty && decided.added.isEmpty)
    }

    @Test("PL-8 a plan without questions receives them, and a layout without lines is refused and stays unchanged")
    func otherLayouts() throws {
        let draft = try PlanDerivation.draft(from: Self.schema, subject: ColumnName(TableName("users"), "id"))
        let plain = "farewell: 1\nsubject: {table: users, key: id}\ntables:\n  users:\n    rule: erase\n    columns: [id, email]"
        let merge = try PlanMerge(draft, into: plain, path: "p", Self.schema)
        let plan = try PlanFile.read(Array(merge.text.utf8), path: "p")
        #expect(plan.tables.count == 5 && plan.questions.count == 3)
        let flow = "{farewell: 1, subject: {table: users, key: id}, tables: {users: {rule: erase, columns: [id, email]}}}"
        let error = #expect(throws: FarewellError.self) { try PlanMerge(draft, into: flow, path: "p", Self.schema) }
        #expect(error?.code == "plan.merge-unplaced")
    }
}
