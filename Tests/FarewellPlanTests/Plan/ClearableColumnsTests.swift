// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// The columns of a key of two that rows which stay can lose.
struct ClearableColumnsTests {
    private static let link = Link(columns: ["project", "assignee"], target: TableName("members"), targetColumns: ["project", "user_id"])

    private static func key(_ columns: [String], to table: String, isFull: Bool = false) -> ForeignKey {
        ForeignKey(columns: columns, target: TableName(table), targetColumns: columns, matchesFull: isFull)
    }

    private static func table(_ project: String, _ assignee: String, _ keys: ForeignKey...) -> SchemaTable {
        var table = SchemaSketch.table("tasks", "id int pk", "project int \(project)", "assignee int \(assignee)", "team int")
        table.foreignKeys = keys
        return table
    }

    private static func lost(_ table: SchemaTable) -> [String] {
        let target = ReferenceTarget(nil, naming: ["user_id", "project"], person: ["user_id"]) { _ in true }
        return ReferenceChange.columns(of: link, in: table, to: target)
    }

    @Test("PL-3 a column that another key has is lost only if there is no other, and the subject's own before others")
    func shared() {
        let (whole, users, projects) = (
            Self.key(["project", "assignee"], to: "members"), Self.key(["assignee"], to: "users"),
            Self.key(["project"], to: "projects")
        )
        #expect(Self.lost(Self.table("not-null", "", whole)) == ["assignee"])
        #expect(Self.lost(Self.table("", "", whole, projects)) == ["assignee"])
        #expect(Self.lost(Self.table("", "not-null", whole, users)) == ["project"])
        #expect(Self.lost(Self.table("not-null", "", whole, users)) == ["assignee"])
        #expect(Self.lost(Self.table("", "", whole, users, projects)) == ["assignee"])
        #expect(Self.lost(Self.table("", "not-null", whole, users, projects)) == ["project"])
        #expect(Self.lost(Self.table("not-null", "not-null", whole, users, projects)) == [])
    }

    @Test("PL-3 SQL-26 of a key with MATCH FULL all columns are lost or none, and no other such key is lost in part")
    func full() {
        let whole = Self.key(["project", "assignee"], to: "members", isFull: true)
        let teams = Self.key(["assignee", "team"], to: "teams", isFull: true)
        func cause(_ table: SchemaTable) -> String { LostValue(Self.link, in: table).obstacle?.cause ?? "" }
        #expect(Self.lost(Self.table("", "", whole)) == ["project", "assignee"])
        #expect(Self.lost(Self.table("", "", whole, Self.key(["project"], to: "projects"))) == ["project", "assignee"])
        #expect(Self.lost(Self.table("not-null", "", whole)) == [] && cause(Self.table("not-null", "", whole)).contains("project"))
        let both = Self.table("", "", whole, teams)
        #expect(Self.lost(both) == [] && cause(both).contains("Another key with MATCH FULL has “assignee”"))
        let other = Self.table("not-null", "", Self.key(["project", "assignee"], to: "members"), teams)
        #expect(Self.lost(other) == [] && cause(other).contains("Another key with MATCH FULL has “assignee”"))
        #expect(LostValue(Self.link, in: other).remedy.contains("without MATCH FULL"))
        #expect(LostValue(Self.link, in: Self.table("", "", whole)).isClearable)
    }

    @Test("PL-3 PL-9 a value replaces the user's column, not the tenant's behind it, where a member is found by both")
    func tenants() throws {
        var members = SchemaSketch.table("members", "user_id int pk", "tenant int pk")
        let user = Link(columns: ["user_id", "tenant"], target: TableName("users"), targetColumns: ["id", "tenant"])
        members.foreignKeys = [ForeignKey(columns: user.columns, target: user.target, targetColumns: user.targetColumns)]
        var editor = Link(
            columns: ["user_id", "tenant"], target: members.name, targetColumns: ["user_id", "tenant"], role: .reference)
        editor.replacement = "0"
        let notes = SchemaSketch.table("notes", "id int pk", "user_id int not-null", "tenant int not-null")
        let schema = Schema(
            dialect: .postgresql, tables: [SchemaSketch.table("users", "id int pk", "tenant int not-null"), members, notes])
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        plan.edit("members") { ($0.rule, $0.links) = (.erase, [user]) }
        plan.edit("notes") { ($0.rule, $0.links) = (.anonymise, [editor]) }
        let target = CheckContext(plan, schema).referenceTarget(editor)
        #expect(ReferenceChange.replaced(by: editor, to: target) == "user_id")
        #expect(try RowGraph(plan: plan, schema: schema).standIns == ["0"])
    }

    @Test("PL-3 a value that replaces a reference has to fit each key that has its column, which question and check say")
    func replaced() throws {
        var tasks = SchemaSketch.table("tasks", "id int pk", "project int not-null", "assignee_id int not-null -> users.id", "body text")
        tasks.foreignKeys.append(
            ForeignKey(columns: ["project", "assignee_id"], target: TableName("members"), targetColumns: ["project", "user_id"]))
        let schema = Schema(
            dialect: .postgresql,
            tables: [
                SchemaSketch.table("users", "id int pk", "email text unique"),
                SchemaSketch.table("members", "project int pk", "user_id int pk -> users.id cascade"), tasks,
            ])
        var plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        let question = try #require(plan.questions.first { $0.columns == ["assignee_id"] }, "\(plan.questions)")
        #expect(question.reason.contains("the key (project, assignee_id) to members has the column as well"), "\(question)")
        plan = plan.answeringAll(.reference)
        plan.edit("tasks") { entry in
            for place in entry.links.indices where entry.links[place].columns == ["assignee_id"] {
                entry.links[place].replacement = "0"
            }
        }
        let found = PlanCheck.findings(plan, schema).filter { $0.code == "link.set-shared" }
        #expect(found.map(\.column) == ["assignee_id"] && found.first?.severity == .warning, "\(found)")
    }
}
