// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Persons under names of several words, under words for several people, and under words that also mean things.
struct CompoundPersonTests {
    private static func plan(_ key: String, _ tables: SchemaTable...) throws -> Plan {
        let users = SchemaSketch.table("users", "id \(key) pk", "email text unique")
        let schema = Schema(dialect: .postgresql, tables: [users] + tables)
        return try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
    }

    private static func first(_ column: String, in plan: Plan) -> String? {
        plan.questions.first { $0.columns == [column] }?.answers.first?.rawValue
    }

    @Test(
        "PL-1 PL-7 a noun for a person behind words that say which is a question, and so are both ends of a message",
        arguments: [
            "homeroom_teacher", "head_coach", "lead_photographer", "msg_from", "fwd_from", "fwd_from_id", "message_to", "surgeon_id",
        ])
    func compounds(_ column: String) throws {
        let table = { (type: String) in SchemaSketch.table("things", "id int pk", "\(column) \(type)", "body text") }
        // A small number may be anything.
        #expect(try Self.first(column, in: Self.plan("int", table("int"))) == "not personal")
        let uuid = try #require(try Self.first(column, in: Self.plan("uuid", table("uuid"))))
        #expect(uuid != "not personal")
        for other in ["bool", "timestamptz"] {
            #expect(try Self.plan("int", table(other)).questions.isEmpty, "\(other)")
        }
    }

    @Test(
        "PL-1 PL-7 counts, limits, flags, defaults and ends of periods are no persons",
        arguments: [
            "max_speaker int", "price_per_passenger int", "with_coach int", "valid_from int", "year_to int", "sort_teacher_count int",
            "render_owner int", "cost_driver int", "total_winner int",
        ])
    func others(_ column: String) throws {
        #expect(try Self.plan("int", SchemaSketch.table("things", "id int pk", column, "body text")).questions.isEmpty)
    }

    @Test("PL-1 PL-7 a number with a default is no person")
    func counted() throws {
        var things = SchemaSketch.table("things", "id int pk", "head_coach int")
        things.columns[1].defaultExpression = "0"
        #expect(try Self.plan("int", things).questions.isEmpty)
    }

    @Test("PL-1 PL-7 a peer is another user in conversations and beside a user, and a computer elsewhere")
    func peers() throws {
        let dialogs = SchemaSketch.table("dialogs", "id uuid pk", "peer_id uuid", "unread int")
        let visits = SchemaSketch.table("visits", "id uuid pk", "user_id uuid not-null -> users.id cascade", "peer_id uuid")
        let routes = SchemaSketch.table("routes", "id uuid pk", "peer_id uuid", "cost int")
        #expect(try Self.plan("uuid", dialogs).questions.map(\.columns) == [["peer_id"]])
        #expect(try Self.first("peer_id", in: Self.plan("uuid", visits)) == "reference")
        #expect(try Self.plan("uuid", routes).questions.isEmpty)
    }

    @Test("PL-1 SCH-04 lists under words for several people are questions: acting persons, and groups of them")
    func lists() throws {
        var games = SchemaSketch.table("games", "id uuid pk", "scorers jsonb", "bench jsonb", "tags jsonb", "strikers uuid[]")
        games.columns[4].elementType = "uuid"
        let plan = try Self.plan("uuid", games)
        #expect(Set(plan.questions.map { $0.columns[0] }) == ["scorers", "bench", "strikers"], "\(plan.questions)")
        #expect(plan.questions.allSatisfy { !$0.answers.contains(.owner) && $0.answers.contains(.reference) })
        #expect(Self.first("bench", in: plan) == "not personal")
        // Numbers in JSON without a word for a list may be anything; so may the colours of a crew.
        #expect(try Self.plan("text", SchemaSketch.table("games", "id int pk", "bench jsonb", "scorers jsonb")).questions.isEmpty)
    }

    @Test("PL-1 PL-7 a subject that a school teaches is first no person, and a subject of a study is")
    func subjects() throws {
        let timetable = SchemaSketch.table("timetable", "id uuid pk", "subject_id uuid not-null", "room text", "weekday int")
        #expect(try Self.first("subject_id", in: Self.plan("uuid", timetable)) == "not personal")
        let marks = SchemaSketch.table("marks", "id uuid pk", "subject_id uuid", "grade int")
        #expect(try Self.first("subject_id", in: Self.plan("uuid", marks)) == "not personal")
        let doses = SchemaSketch.table("doses", "id uuid pk", "subject_id uuid not-null", "milligrams int")
        #expect(try Self.first("subject_id", in: Self.plan("uuid", doses)) == "owner")
    }

    @Test("PL-1 the name of an acting person is personal, and that of a thing is not")
    func names() {
        for name in ["surgeon_name", "contact_name", "photographerName"] { #expect(StayingColumns.soundsPersonal(name)) }
        for name in ["product_name", "bench_name", "room_name"] { #expect(!StayingColumns.soundsPersonal(name)) }
    }

    @Test("PL-1 PL-7 a document that may have a member for each user is a question, and one with settings is not")
    func documents() throws {
        var posts = SchemaSketch.table("posts", "id uuid pk", "reactions jsonb", "poll_votes jsonb", "options jsonb", "seen_by jsonb")
        for place in 2...4 { posts.columns[place].defaultExpression = "'{}'::jsonb" }
        let plan = try Self.plan("uuid", posts)
        #expect(plan.questions.map(\.columns) == [["reactions"], ["poll_votes"], ["seen_by"]], "\(plan.questions)")
        #expect(plan.questions.allSatisfy { $0.answers == [.unrelated] && $0.link == nil })
    }

    @Test("PL-1 PL-7 a UUID under a noun that ends like one for a person is a question, and a number is none")
    func endings() throws {
        func asked(_ type: String) throws -> [[String]] {
            try Self.plan(type, SchemaSketch.table("doses", "id int pk", "prescriber \(type)", "container \(type)", "drug text"))
                .questions.map(\.columns)
        }
        #expect(try asked("uuid") == [["prescriber"]])
        #expect(try asked("int").isEmpty)
    }
}
