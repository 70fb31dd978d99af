// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Keys that are named only after an end of what passes between two, and keys whose name ends in that of a table.
struct NamedEndTests {
    private static func draft(_ tables: SchemaTable...) throws -> Plan {
        let users = ColumnName(TableName("users"), "id")
        return try PlanDerivation.draft(from: Schema(dialect: .sqlite, tables: tables), subject: users).plan
    }

    /// `table.column -> target`.
    private static func asked(_ plan: Plan) -> [String] {
        plan.questions.compactMap { question in
            question.link.map { "\(question.table).\(question.columns.joined(separator: "+")) -> \($0.target)" }
        }
    }

    private static let users = SchemaSketch.table("users", "id int pk", "email text", "to_id int")

    @Test("PL-1 SCH-04 from_id and to_id are asked about beside a user's key, and as a pair in tables of exchanges between people")
    func ends() throws {
        let plan = try Self.draft(
            Self.users,
            SchemaSketch.table("dmails", "id int pk", "owner_id int", "from_id int", "to_id int not-null", "body text"),
            SchemaSketch.table("alerts", "id int pk", "user_id int not-null -> users.id cascade", "fromId int", "for_id text"),
            SchemaSketch.table("messages", "id int pk", "from_id int", "to_id int"),
            SchemaSketch.table("edges", "id int pk", "from_id int", "to_id int"),
            SchemaSketch.table("shipments", "id int pk", "from_id int", "editor_note text"),
            SchemaSketch.table("letters", "id int pk", "from_id int"))
        #expect(
            Self.asked(plan) == [
                "alerts.fromId -> users", "dmails.owner_id -> users", "dmails.from_id -> users", "dmails.to_id -> users",
                "messages.from_id -> users", "messages.to_id -> users",
            ])
        let from = try #require(plan.questions.first { $0.table == TableName("dmails") && $0.columns == ["from_id"] })
        #expect(from.reason.contains("to another user than the owner of the row"), "\(from.reason)")
    }

    @Test("PL-1 SCH-04 a table whose name ends a column's name has precedence over the subject, whatever precedes it in the name")
    func tables() throws {
        let plan = try Self.draft(
            Self.users,
            SchemaSketch.table("subjects", "id int pk", "title text", "parent_subject_id int"),
            SchemaSketch.table("workflows", "id int pk", "default_subject_id int", "tutorial_subject_id int", "lead_user_id int"),
            SchemaSketch.table("members", "id int pk", "user_id int not-null -> users.id cascade", "referring_member_id int"),
            SchemaSketch.table("badges", "id int pk", "first_member_id int", "last_editor_id int"),
            SchemaSketch.table("editors", "id int pk", "title text"))
        #expect(
            Self.asked(plan) == [
                "badges.first_member_id -> members", "badges.last_editor_id -> users", "members.referring_member_id -> members",
                "workflows.lead_user_id -> users",
            ])
        let member = try #require(plan.questions.first { $0.columns == ["first_member_id"] })
        #expect(member.reason.contains("the name may also refer to users"), "\(member.reason)")
        let editor = try #require(plan.questions.first { $0.columns == ["last_editor_id"] })
        #expect(editor.reason.contains("the name may also refer to editors"), "\(editor.reason)")
        let other = try #require(plan.questions.first { $0.columns == ["referring_member_id"] })
        #expect(other.answers.first == .reference, "a member who refers to another one is not deleted with it")
    }

    @Test("PL-1 reference is not offered where a value can neither be set to null nor replaced")
    func fixedValues() throws {
        let plan = try Self.draft(
            Self.users,
            SchemaSketch.table("seats", "id int pk", "holder_user_id int unique not-null", "clerk_user_id int not-null"),
            SchemaSketch.table("desks", "id int pk", "assigned_to_id int unique not-null -> users.id"))
        let answers = Dictionary(plan.questions.map { ($0.columns[0], $0.answers) }, uniquingKeysWith: { first, _ in first })
        #expect(answers["holder_user_id"] == [.owner, .unrelated])
        #expect(answers["clerk_user_id"]?.contains(.reference) == true)
        #expect(answers["assigned_to_id"]?.contains(.reference) != true)
    }
}
