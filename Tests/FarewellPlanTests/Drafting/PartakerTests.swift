// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Testing

/// Rows in which other users take part, under a key that is never null: no first answer deletes these users' rows.
struct PartakerTests {
    private static func plan(_ tables: SchemaTable...) throws -> Plan {
        let users = SchemaSketch.table("users", "id int pk", "email text unique")
        let schema = Schema(dialect: .postgresql, tables: [users] + tables)
        return try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
    }

    private static func first(_ table: String, _ column: String, in plan: Plan) -> PlanQuestion.Answer? {
        plan.questions.first { $0.table.name == table && $0.columns == [column] }?.answers.first
    }

    @Test(
        "PL-1 PL-3 what other users take part in does not go first with the user whom a key that is never null names",
        arguments: [
            ("cups", "organizer_id", "cup_players", "player_id"), ("homerooms", "teacher_id", "homeroom_students", "student_id"),
            ("carpools", "driver_id", "carpool_riders", "rider_id"), ("meetups", "user_id", "meetup_attendees", "attendee_id"),
            ("courses", "teacher_id", "course_enrollments", "user_id"),
        ])
    func partakers(_ table: String, _ maker: String, _ list: String, _ partaker: String) throws {
        let row = "\(table.dropLast())_id"
        let plan = try Self.plan(
            SchemaSketch.table(table, "id int pk", "\(maker) int not-null -> users.id", "title text"),
            SchemaSketch.table(list, "\(row) int not-null -> \(table).id", "\(partaker) int not-null -> users.id", "place int"))
        #expect(Self.first(table, maker, in: plan) == .reference, "\(plan.questions)")
        #expect(Self.first(list, row, in: plan) == .unrelated, "\(plan.questions)")
        #expect(plan[TableName(table)]?.rule.erasesRows == false)
    }

    @Test(
        "PL-1 PL-3 what a user leads stays for the users who booked it, whatever the table of their bookings is called",
        arguments: [
            ("courses", "coach_id", "bookings", PlanQuestion.Answer.reference), ("lessons", "tutor_id", "enrolments", .reference),
            ("tours", "host_id", "registrations", .reference), ("courses", "user_id", "bookings", nil),
            ("posts", "author_id", "comments", nil),
        ] as [(String, String, String, PlanQuestion.Answer?)])
    func led(_ table: String, _ leader: String, _ list: String, _ answer: PlanQuestion.Answer?) throws {
        let row = "\(table.dropLast())_id"
        let below = SchemaSketch.table(
            list, "id int pk", "\(row) int not-null -> \(table).id", "user_id int not-null -> users.id", "place int")
        func plan(_ key: String) throws -> Plan {
            try Self.plan(SchemaSketch.table(table, "id int pk", "\(leader) int not-null -> users.id\(key)", "title text"), below)
        }
        for key in ["", " cascade"] {
            #expect(Self.first(table, leader, in: try plan(key)) == answer, "\(key)")
            #expect(try plan(key)[TableName(table)]?.rule.erasesRows == (answer == nil), "\(key)")
        }
    }

    @Test(
        "PL-1 PL-3 a table named after rows and users with words for the connection lists members of the rows",
        arguments: [
            ("body_has_users", true), ("user_body_permissions", true), ("users_to_bodies", true), ("bodies_users", true),
            ("body_user_ratings", false), ("user_notes", false),
        ])
    func connected(_ list: String, _ isOfMembers: Bool) throws {
        let plan = try Self.plan(
            SchemaSketch.table("bodies", "id int pk", "user_id int -> users.id", "title text"),
            SchemaSketch.table(
                list, "id int pk", "body_id int not-null -> bodies.id", "user_id int not-null -> users.id", "points int"))
        let question = plan.questions.first { $0.table.name == "bodies" && $0.columns == ["user_id"] }
        #expect(question?.answers.first == (isOfMembers ? .reference : nil), "\(plan.questions)")
        #expect(plan[TableName("bodies")]?.rule.erasesRows == !isOfMembers)
    }

    @Test("PL-1 PL-3 a league with other users' entries does not go first with its maker, and a story with comments goes with its author")
    func places() throws {
        func below(_ table: String) -> SchemaTable {
            SchemaSketch.table(
                "\(table)_entries", "id int pk", "\(table)_id int not-null -> \(table)s.id", "user_id int not-null -> users.id",
                "points int")
        }
        for table in ["league", "survey", "cup"] {
            let plan = try Self.plan(
                SchemaSketch.table("\(table)s", "id int pk", "created_by int not-null -> users.id", "title text"), below(table))
            #expect(Self.first("\(table)s", "created_by", in: plan) == .reference, "\(plan.questions)")
            #expect(Self.first("\(table)_entries", "\(table)_id", in: plan) == .unrelated, "\(plan.questions)")
        }
        let alone = try Self.plan(SchemaSketch.table("leagues", "id int pk", "created_by int not-null -> users.id", "title text"))
        #expect(Self.first("leagues", "created_by", in: alone) == .owner)
        let posts = SchemaSketch.table("posts", "id int pk", "author_id int not-null -> users.id", "body text")
        #expect(try Self.plan(posts, below("post"))[posts.name]?.rule.erasesRows == true)
    }

    @Test(
        "PL-1 PL-3 what a user has only for a time stays, and so does a row that names one of many; a loan goes with its borrower",
        arguments: [
            ("beds", "occupant", PlanQuestion.Answer.reference), ("books", "borrower_id", .reference),
            ("auctions", "highest_bidder_id", .reference), ("loans", "borrower_id", .owner),
        ] as [(String, String, PlanQuestion.Answer)])
    func temporary(_ table: String, _ column: String, _ answer: PlanQuestion.Answer) throws {
        let open = try Self.plan(SchemaSketch.table(table, "id int pk", "title text", "\(column) int"))
        #expect(Self.first(table, column, in: open) == answer, "\(open.questions)")
        let keyed = try Self.plan(SchemaSketch.table(table, "id int pk", "title text", "\(column) int -> users.id"))
        #expect(keyed[TableName(table)]?.rule.erasesRows == (answer == .owner), "\(keyed.questions)")
        if answer == .reference { #expect(Self.first(table, column, in: keyed) == .reference) }
    }

    @Test("PL-1 PL-3 a question about another user's row under a user's row says that owner deletes it")
    func told() throws {
        let plan = try Self.plan(
            SchemaSketch.table("shifts", "id int pk", "doctor_id int not-null -> users.id", "day int"),
            SchemaSketch.table(
                "appointments", "id int pk", "shift_id int not-null -> shifts.id", "patient_id int not-null -> users.id"))
        let question = try #require(plan.questions.first { $0.columns == ["shift_id"] }, "\(plan.questions)")
        #expect(question.reason.contains("owner deletes the row with either"), "\(question.reason)")
    }

    @Test("PL-1 PL-3 a question names columns of other users for whom owner deletes the row, but not those of users that handled it")
    func named() throws {
        func reason(_ columns: String..., of column: String) throws -> String {
            let plan = try Self.plan(
                SchemaSketch.table("tasks", "id int pk", "owner_id int", "title text"),
                SchemaSketch.table("comments", ["id int pk", "task_id int not-null -> tasks.id cascade", "body text"] + columns))
            let place = { (question: PlanQuestion) in question.table.name == "comments" && question.columns == [column] }
            return try #require(plan.questions.first(where: place), "\(plan.questions)").reason
        }
        #expect(try reason("user_id int", of: "task_id").contains("user_id may name another user, and owner deletes the row"))
        #expect(try reason("user_id int", "sender_id int", of: "task_id").contains("sender_id, user_id may name other users"))
        for handled in ["approved_by int", "approved_by int -> users.id", "points int"] {
            #expect(try !reason(handled, of: "task_id").contains("owner deletes the row"))
        }
    }

    @Test("PL-1 PL-3 a match of a league stays without one of its sides, and a match of two users goes with either")
    func sides() throws {
        let leagues = SchemaSketch.table("leagues", "id int pk", "owner_id int not-null -> users.id cascade")
        let columns = ["id int pk", "home_player_id int", "away_player_id int", "score text"]
        let held = try Self.plan(leagues, SchemaSketch.table("matches", columns + ["league_id int not-null -> leagues.id"]))
        let alone = try Self.plan(SchemaSketch.table("matches", columns))
        for column in ["home_player_id", "away_player_id"] {
            #expect(Self.first("matches", column, in: held) == .reference, "\(held.questions)")
            #expect(Self.first("matches", column, in: alone) == .owner, "\(alone.questions)")
        }
    }
}
