// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Names of persons in rows that stay without their link.
struct StayingNameTests {
    private static func asked(_ words: String, in name: String = "participants") throws -> [String] {
        let table = SchemaSketch.table(name, ["id int pk", "user_id int -> users.id set null", "title text", words])
        return try questions(table).map { $0.columns.joined(separator: "+") }
    }

    private static func questions(_ table: SchemaTable) throws -> [PlanQuestion] {
        let users = SchemaSketch.table("users", "id int pk", "email text unique")
        let schema = Schema(dialect: .sqlite, tables: [users, table])
        return try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan.questions
    }

    @Test("PL-1 PL-6 the plain name of a person in a row that stays is a question, beside an address and in tables of persons")
    func names() throws {
        let beside = SchemaSketch.table(
            "answers", "id int pk", "user_id int -> users.id set null", "name text not-null", "email text", "body text")
        let questions = try Self.questions(beside)
        #expect(questions.map(\.columns) == [["name"], ["email"]], "\(questions)")
        #expect(questions.first?.answers == [.anonymise, .unrelated] && questions.first?.replacement == "deleted")
        #expect(questions.first?.reason.contains("may describe the subject") == true, "\(questions)")
        #expect(try Self.asked("name text") == ["name"])
        #expect(try Self.asked("displayName text") == ["displayName"])
        #expect(try Self.asked("name text", in: "guests") == ["name"])
    }

    @Test("PL-1 PL-6 an address that is a part of the key of a row that stays is a question")
    func keyed() throws {
        let questions = try Self.questions(
            SchemaSketch.table(
                "invitations", "team_id int pk", "email text pk", "user_id int -> users.id set null", "state text"))
        #expect(questions.map(\.columns) == [["email"]], "\(questions)")
        #expect(questions.first?.answers == [.unrelated, .owner] && questions.first?.link?.targetColumns == ["email"])
    }

    @Test("PL-1 PL-6 beside another column for persons, a plain name is in the same question")
    func together() throws {
        let orders = SchemaSketch.table(
            "orders", "id int pk", "user_id int -> users.id set null", "name text", "street text", "total int")
        #expect(try Self.questions(orders).map(\.columns) == [["name", "street"]])
    }

    @Test("PL-1 PL-3 the names in a version of a row are not first those of the user that saved it")
    func versions() throws {
        let history = SchemaSketch.table(
            "historicaluser", "history_id int pk", "history_date timestamptz not-null", "history_user_id int -> users.id set null",
            "first_name text not-null", "last_name text not-null")
        let names = try #require(try Self.questions(history).first { $0.columns.contains("first_name") })
        #expect(names.answers == [.unrelated, .anonymise], "\(names)")
    }

    @Test("PL-1 the name of a thing or a team in a row that stays is no question, and a number is none")
    func things() throws {
        #expect(try Self.asked("name text", in: "products").isEmpty)
        #expect(try Self.asked("name text", in: "targets").isEmpty)
        #expect(try Self.asked("name int").isEmpty)
        let campaigns = SchemaSketch.table(
            "campaigns", "id int pk", "user_id int -> users.id set null", "name text", "from_email text")
        #expect(try !Self.questions(campaigns).flatMap(\.columns).contains("name"))
        let teams = SchemaSketch.table(
            "teams", "id int pk", "user_id int -> users.id set null", "name text", "email text")
        let asked = try Self.questions(teams).flatMap(\.columns)
        #expect(!asked.contains("name"), "\(asked)")
    }
}
