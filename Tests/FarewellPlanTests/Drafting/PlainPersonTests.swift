// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Persons whom a row names by plain nouns and by their offices: none of their first answers deletes another's row.
struct PlainPersonTests {
    private static func plan(_ subject: String = "users.id", _ tables: SchemaTable...) throws -> Plan {
        let users = SchemaSketch.table("users", "id int pk", "email text unique")
        let all = tables.contains { "\($0.name).id" == subject } ? tables : [users] + tables
        return try PlanDerivation.draft(from: Schema(dialect: .sqlite, tables: all), subject: ColumnName(parsing: subject)).plan
    }

    private static func first(_ table: String, _ column: String, in plan: Plan) throws -> PlanQuestion.Answer? {
        try #require(plan.questions.first { $0.table.name == table && $0.columns == [column] }, "\(plan.questions)").answers.first
    }

    @Test("PL-1 SCH-04 from_id alone is asked about in messages that have a text")
    func authors() throws {
        let messages = SchemaSketch.table("messages", "id int pk", "from_id int", "body text")
        #expect(try Self.first("messages", "from_id", in: Self.plan("users.id", messages)) == .owner)
        let bare = SchemaSketch.table("messages", "id int pk", "from_id int", "size int")
        let parcels = SchemaSketch.table("parcels", "id int pk", "from_id int", "label text")
        #expect(try Self.plan("users.id", bare, parcels).questions.isEmpty)
    }

    @Test("PL-1 PL-3 a match stays first if the user who recorded it leaves, and so does an event without its winner or referee")
    func events() throws {
        let duels = SchemaSketch.table("duels", "id int pk", "winner int", "recorded_by int")
        let plan = try Self.plan("users.id", duels)
        #expect(try Self.first("duels", "winner", in: plan) == .owner)
        #expect(try Self.first("duels", "recorded_by", in: plan) == .reference)
        // Nothing else in the row names a user.
        let alone = try Self.plan("users.id", SchemaSketch.table("duels", "id int pk", "recorded_by int"))
        #expect(try Self.first("duels", "recorded_by", in: alone) == .owner)
        let cups = SchemaSketch.table("cups", "id int pk", "user_id int not-null -> users.id cascade")
        let rounds = SchemaSketch.table("rounds", "id int pk", "cup_id int not-null -> cups.id", "mvp int", "referee int")
        let held = try Self.plan("users.id", cups, rounds)
        for column in ["mvp", "referee"] { #expect(try Self.first("rounds", column, in: held) == .reference) }
    }

    @Test("PL-1 PL-3 a co-author is one of several: a row that names another person stays first")
    func joint() throws {
        let articles = SchemaSketch.table("articles", "id int pk", "lead_author_id int -> users.id", "coauthor_id int")
        #expect(try Self.first("articles", "coauthor_id", in: Self.plan("users.id", articles)) == .reference)
        let bound = SchemaSketch.table("articles", "id int pk", "coauthor_id int -> users.id")
        #expect(try Self.first("articles", "coauthor_id", in: Self.plan("users.id", bound)) == .reference)
    }

    @Test("PL-1 PL-3 what several users have by its name, such as a school, is asked about where a nullable key names one of them")
    func groups() throws {
        let plan = try Self.plan("users.id", SchemaSketch.table("schools", "id int pk", "principal_id int -> users.id", "title text"))
        #expect(try Self.first("schools", "principal_id", in: plan) == .reference)
        #expect(plan[TableName("schools")]?.rule.erasesRows == false)
        for key in ["owner_id int not-null -> users.id", "user_id int -> users.id"] {
            let owned = try Self.plan("users.id", SchemaSketch.table("schools", "id int pk", key))
            #expect(owned[TableName("schools")]?.rule.erasesRows == true, "\(key)")
        }
    }

    @Test("PL-1 PL-3 a row that may have its own user by a guess is not first deleted with another user's row")
    func guessedOwner() throws {
        let members = SchemaSketch.table("members", "id int pk", "nick text unique")
        let posts = SchemaSketch.table("posts", "id int pk", "member_id int not-null -> members.id cascade")
        let memos = SchemaSketch.table("memos", "id int pk", "title text")
        let drafts = SchemaSketch.table("drafts", "id int pk", "m_id int not-null", "post_id int", "body text")
        let plan = try Self.plan("members.id", members, posts, memos, drafts)
        #expect(try Self.first("drafts", "m_id", in: plan) == .unrelated)
        #expect(try Self.first("drafts", "post_id", in: plan) == .reference)
    }

    @Test(
        "PL-1 PL-7 nouns for acting and concerned persons are questions without the ending of a key, also as sides and as the last",
        arguments: [
            ("flagger", "not personal"), ("rater", "not personal"), ("offender", "owner"), ("player_in", "owner"),
            ("player_out", "owner"), ("last_poster", "reference"), ("reimbursed_to", "not personal"),
        ])
    func nouns(_ column: String, _ first: String) throws {
        let plan = try Self.plan("users.id", SchemaSketch.table("things", "id int pk", "\(column) int", "body text"))
        #expect(try Self.first("things", column, in: plan)?.rawValue == first)
        let texts = try Self.plan("users.id", SchemaSketch.table("things", "id int pk", "\(column) text", "body text"))
        #expect(texts.questions.isEmpty)
    }
}
