// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// First answers about rows of other users that are about a row of the subject's, such as the notification of a comment.
struct RowOfAnotherTests {
    private static let user = "user_id int not-null -> users.id cascade"

    private static func first(_ table: SchemaTable, _ column: String = "comment_id") throws -> PlanQuestion.Answer? {
        let users = SchemaSketch.table("users", "id int pk", "email text unique")
        let comments = SchemaSketch.table("comments", "id int pk", user, "body text")
        let schema = Schema(dialect: .postgresql, tables: [users, comments, table])
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        let question = plan.questions.first { $0.table == table.name && $0.columns == [column] }
        return try #require(question, "\(plan.questions)").answers.first
    }

    private static func notices(_ condition: String?, _ action: String = "cascade") -> SchemaTable {
        var table = SchemaSketch.table(
            "notices", "id int pk", user, "comment_id int -> comments.id \(action)", "kind text", "room_id int")
        table.checks = condition.map { [SchemaCheck(name: "of_kind", condition: $0, columns: ["kind", "comment_id", "room_id"])] } ?? []
        return table
    }

    @Test("PL-1 PL-3 a row that a check may keep from losing its comment goes with it first, if the database deletes it so")
    func checked() throws {
        #expect(try Self.first(Self.notices(nil)) == .reference)
        let conditions = [
            "((kind <> 'reply') OR (comment_id IS NOT NULL))", "((kind = 'room') OR (num_nonnulls(comment_id, room_id) >= 1))",
        ]
        for condition in conditions { #expect(try Self.first(Self.notices(condition)) == .owner, "\(condition)") }
        // The check says nothing about null.
        #expect(try Self.first(Self.notices("((kind <> 'reply') OR (comment_id > 0))")) == .reference)
    }

    @Test("PL-1 PL-3 a row goes with its comment first where two nulls would be equal in a unique index")
    func unique() throws {
        for areNullsEqual in [false, true] {
            var table = SchemaSketch.table("saved_items", "id int pk", Self.user, "comment_id int -> comments.id cascade", "post_id int")
            table.indexes.append(
                SchemaIndex(
                    name: "once", columns: ["user_id", "comment_id", "post_id"], isUnique: true, areNullsEqual: areNullsEqual))
            let expected: PlanQuestion.Answer = areNullsEqual ? .owner : .reference
            #expect(try Self.first(table) == expected)
        }
    }

    @Test("PL-1 PL-3 a vote for a comment goes with it first, as the database says; a note about it loses the comment")
    func acts() throws {
        let cases: [(name: String, first: PlanQuestion.Answer)] = [
            ("votes", .owner), ("reactions", .owner), ("notes", .reference),
        ]
        for (name, first) in cases {
            let table = SchemaSketch.table(
                name, "id int pk", Self.user, "comment_id int -> comments.id cascade", "value int", "at timestamptz")
            #expect(try Self.first(table) == first, "\(name)")
        }
    }
}
