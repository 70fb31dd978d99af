// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

@Suite("First answers about columns without a key in which a check refuses null")
struct CheckedColumnTests {
    private static func check(_ condition: String, _ columns: String...) -> SchemaCheck {
        SchemaCheck(name: "check", condition: condition, columns: columns)
    }

    private static func drafted(_ tables: SchemaTable...) throws -> (plan: Plan, schema: Schema) {
        let users = SchemaSketch.table("users", "id int pk", "email text unique")
        let schema = Schema(dialect: .postgresql, tables: [users] + tables)
        return (try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan, schema)
    }

    private static func answers(_ table: String, _ column: String, _ plan: Plan) throws -> [PlanQuestion.Answer] {
        try #require(plan.questions.first { $0.table.name == table && $0.columns == [column] }, "\(plan.questions)").answers
    }

    @Test("PL-1 PL-3 of two columns of which a check allows one, each names the owner of its row")
    func exclusive() throws {
        for condition in ["num_nonnulls(parent_user_id, user_id) = 1", "((parent_user_id IS NULL) <> (user_id IS NULL))"] {
            var gifts = SchemaSketch.table("gifts", "id int pk", "parent_user_id int", "user_id int", "body text")
            let free = try Self.drafted(gifts)
            #expect(try Self.answers("gifts", "parent_user_id", free.plan).first == .reference)
            gifts.checks = [Self.check(condition, "parent_user_id", "user_id")]
            let plan = try Self.drafted(gifts).plan
            for column in ["parent_user_id", "user_id"] {
                #expect(try Self.answers("gifts", column, plan) == [.owner, .reference, .unrelated], "\(column)")
            }
        }
    }

    @Test("PL-1 PL-3 a column that a check alone keeps from null is asked about as one that may not be null")
    func alone() throws {
        func order(_ words: String, _ checks: SchemaCheck...) throws -> [PlanQuestion.Answer] {
            var walls = SchemaSketch.table("walls", "id int pk", "user_id int not-null", "peer_user_id int\(words)", "body text")
            walls.checks = checks
            return try Self.answers("walls", "peer_user_id", Self.drafted(walls).plan)
        }
        #expect(try order("").first == .reference)
        let fixed = try order(" not-null")
        #expect(fixed == [.owner, .reference, .unrelated])
        #expect(try order("", Self.check("(peer_user_id IS NOT NULL)", "peer_user_id")) == fixed)
        var domain = Self.check("(VALUE IS NOT NULL)", "peer_user_id")
        domain.isOfDomain = true
        #expect(try order("", domain) == fixed)
        // Rows without the value are another user's, and so are those with it.
        let pair = Self.check("((peer_user_id IS NULL) = (body IS NULL))", "peer_user_id", "body")
        #expect(try order("", pair) == [.unrelated, .reference, .owner])
    }

    @Test("PL-1 PL-3 a reference takes a value where a check may refuse null in some rows, and needs none there")
    func sometimes() throws {
        var bookings = SchemaSketch.table("bookings", "id int pk", "booked_by int", "level int", "seen_by int")
        for condition in ["((booked_by IS NOT NULL) OR (level > 3))", "((booked_by IS NOT NULL) OR (level IS NOT NULL))"] {
            bookings.checks = [Self.check(condition, "booked_by", "level")]
            let (plan, schema) = try Self.drafted(bookings)
            let missing = MissingReplacement(plan, schema)
            let places = plan.questions.indices.filter { ["booked_by", "seen_by"].contains(plan.questions[$0].columns[0]) }
            #expect(places.count == 2 && missing.of(places).isEmpty)
            #expect(missing.taking(places).map { plan.questions[$0].columns } == [["booked_by"]], "\(condition)")
        }
    }

    @Test("PL-1 PL-3 no first answer about a column without a key is a reference that lacks a value")
    func possible() throws {
        var rooms = SchemaSketch.table("rooms", "id int pk", "owner_id int", "owned_at timestamptz", "member_ids jsonb")
        rooms.checks = [Self.check("((owner_id IS NULL) = (owned_at IS NULL))", "owner_id", "owned_at")]
        var alerts = SchemaSketch.table("alerts", "id int pk", "acked_by int", "acked_at timestamptz", "reviewer int")
        alerts.checks = [
            Self.check("((acked_by IS NULL) = (acked_at IS NULL))", "acked_by", "acked_at"),
            Self.check("num_nonnulls(reviewer, acked_by) = 1", "reviewer", "acked_by"),
        ]
        var files = SchemaSketch.table("files", "id int pk", "handler_type text", "handler_id int")
        files.checks = [Self.check("((handler_id IS NULL) = (handler_type IS NULL))", "handler_id", "handler_type")]
        let (plan, schema) = try Self.drafted(rooms, alerts, files)
        #expect(plan.questions.count >= 4, "\(plan.questions)")
        let first = plan.questions.indices.filter { plan.questions[$0].answers.first == .reference }
        #expect(MissingReplacement(plan, schema).of(first).isEmpty, "\(plan.questions)")
        #expect(try Self.answers("rooms", "owner_id", plan) == [.unrelated, .owner, .reference])
        #expect(try Self.answers("alerts", "acked_by", plan) == [.unrelated, .reference, .owner], "a deed is no owner")
    }
}
