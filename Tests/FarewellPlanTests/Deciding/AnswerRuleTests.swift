// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

@Suite("Answers beside rules and links that the author wrote")
struct AnswerRuleTests {
    private static let users = SchemaSketch.table("users", "id int pk", "email text unique", "avatar_id int -> files.id")

    private static func schema(_ tables: SchemaTable...) -> Schema {
        Schema(dialect: .sqlite, tables: [users, SchemaSketch.table("files", "id int pk", "path text")] + tables)
    }

    private static func draft(_ schema: Schema) throws -> Plan {
        try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
    }

    private static func at(_ plan: Plan, _ table: String) throws -> Int {
        try #require(plan.tables.firstIndex { $0.table.name == table })
    }

    @Test("PL-1 PL-3 the answer not personal leaves the rule that the author wrote for the column, and the rule of its table")
    func rules() throws {
        let students = SchemaSketch.table("students", "id int pk", "user_id int -> users.id set null", "first_name text", "class text")
        var plan = try Self.draft(Self.schema(students))
        let place = try Self.at(plan, "students")
        let number = try #require(plan.questions.firstIndex { $0.columns == ["first_name"] }, "\(plan.questions)")
        plan.questions[number].answer = .unrelated
        for role in [nil, Link.Role.owner] {
            plan.tables[place].rule = .anonymise
            plan.tables[place].links[0].role = role
            let column = try #require(plan.tables[place].columns.firstIndex { $0.name == "first_name" })
            plan.tables[place].columns[column].rule = .null
            let answered = plan.answered()
            #expect(answered.tables[place].rule == .anonymise)
            #expect(answered.tables[place].columns[column].rule == .null)
            #expect(answered.answered() == answered)
        }
    }

    @Test("PL-1 an answer removes no link of another answer about the same column, in either order", arguments: [true, false])
    func sameColumn(isFirst: Bool) throws {
        let messages = SchemaSketch.table(
            "messages", "id int pk", "sender_id int not-null -> users.id cascade", "attachment_id int -> files.id", "body text")
        var plan = try Self.draft(Self.schema(messages))
        let numbers = plan.questions.indices.filter { plan.questions[$0].table.name == "files" }
        #expect(numbers.count == 2, "\(plan.questions)")
        for (place, number) in numbers.enumerated() {
            plan.questions[number].answer = (place == 0) == isFirst ? .owner : .unrelated
        }
        let owned = try #require(numbers.first { plan.questions[$0].answer == .owner })
        let entry = plan.answered().tables[try Self.at(plan, "files")]
        #expect(entry.rule.erasesRows && entry.links.count == 1 && entry.links[0].target == plan.questions[owned].link?.target)
    }

    @Test("PL-1 PL-6 each way to a file with an uploader is a question of its own")
    func uploaders() throws {
        let schema = Schema(
            dialect: .sqlite,
            tables: [
                Self.users, SchemaSketch.table("files", "id int pk", "path text", "uploaded_by int -> users.id set null"),
                SchemaSketch.table(
                    "messages", "id int pk", "sender_id int not-null -> users.id cascade", "attachment_id int -> files.id", "body text"),
                SchemaSketch.table(
                    "message_files", "message_id int pk -> messages.id cascade", "file_id int pk -> files.id cascade"),
            ])
        let asked = try Self.draft(schema).questions.filter { $0.table.name == "files" && $0.link?.isOwnedParent == true }
        let holders = Set(asked.compactMap { $0.link?.target.name })
        #expect(holders.isSuperset(of: ["users", "messages"]), "\(asked)")
        #expect(asked.allSatisfy { $0.answers.first == .unrelated && $0.reason.contains("uploaded_by") }, "\(asked)")
    }

    @Test("PL-3 PL-9 a unique key over an expression allows no value that replaces several users' addresses")
    func expressions() throws {
        var invites = SchemaSketch.table(
            "invites", "id int pk", "org_id int not-null", "inviter_id int not-null -> users.id cascade", "email text not-null")
        invites.indexes.append(
            SchemaIndex(name: "once", columns: ["org_id", ""], isUnique: true, definition: "org_id, lower(email)"))
        let question = try #require(try Self.draft(Self.schema(invites)).questions.first { $0.columns == ["email"] })
        #expect(!question.answers.contains(.reference), "\(question)")
    }

    @Test("PL-1 PL-6 what an answer gives to the subject is followed, whatever the draft wrote about columns of rows that stay")
    func followed() throws {
        let schema = Self.schema(
            SchemaSketch.table("households", "id int pk", "name text"),
            SchemaSketch.table(
                "household_members", "household_id int pk -> households.id cascade", "user_id int pk -> users.id cascade"),
            SchemaSketch.table(
                "devices", "id int pk", "household_id int not-null -> households.id cascade", "registered_by int -> users.id set null"),
            SchemaSketch.table("posts", "id int pk", "user_id int not-null -> users.id cascade", "media_id int unique -> media_assets.id"),
            SchemaSketch.table("media_assets", "id int pk", "file_name text"),
            SchemaSketch.table("ai_tags", "media_asset_id int pk", "tag text pk"))
        var plan = try Self.draft(schema)
        for table in ["households", "media_assets"] {
            let number = try #require(plan.questions.firstIndex { $0.table.name == table }, "\(plan.questions)")
            plan.questions[number].answer = .owner
        }
        let following = FollowingQuestions.of(plan.answered(), schema).map { "\($0.table.name).\($0.columns[0])" }
        for place in ["devices.household_id", "ai_tags.media_asset_id"] { #expect(following.contains(place), "\(following)") }
    }
}
