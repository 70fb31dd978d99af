// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Columns that may lead to the staff of an app as well as to its subjects, with equal numbers.
struct OtherAccountTests {
    private static func questions(_ subject: String, _ tables: [SchemaTable]) throws -> [String: PlanQuestion] {
        let schema = Schema(dialect: .postgresql, tables: tables)
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName(subject), "id")).plan
        return Dictionary(
            plan.questions.map { ("\($0.table).\($0.columns.last ?? "")", $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static let shop = [
        SchemaSketch.table("tax_regions", "id int pk", "created_by int", "title text"),
        SchemaSketch.table("refunds", "id int pk", "author_id int not-null", "cents int"),
        SchemaSketch.table("orders", "id int pk", "customer_id int not-null", "handled_by int"),
        SchemaSketch.table("carts", "id int pk", "region_id int not-null", "cents int"),
    ]
    private static let staff = SchemaSketch.table("users", "id int pk", "password_hash text not-null")
    private static let deeds = ["tax_regions.created_by", "refunds.author_id", "orders.handled_by"]

    @Test("PL-1 PL-3 who made or handled a row may be one of the staff, which the question names; no such first answer deletes")
    func handled() throws {
        let customers = SchemaSketch.table("customers", "id int pk", "label text")
        let asked = try Self.questions("customers", [customers, Self.staff] + Self.shop)
        for place in Self.deeds {
            let question = try #require(asked[place], "\(place)")
            #expect(question.link?.target == customers.name && question.answers.first == .unrelated, "\(question)")
            #expect(question.reason.contains("may also refer to users"), "\(question.reason)")
        }
        #expect(asked["orders.customer_id"]?.answers.first == .owner)
        // A link to rows that are probably the staff's deletes none either.
        #expect(asked["carts.region_id"].map { $0.answers.first == .unrelated } ?? true)
        let alone = try Self.questions("customers", [customers] + Self.shop)
        #expect(Self.deeds.map { alone[$0]?.answers.first } == [.owner, .owner, .reference])
    }

    @Test("PL-1 PL-3 subjects with passwords of their own write and own rows; an account that is theirs is no staff")
    func owned() throws {
        let people = SchemaSketch.table("customers", "id int pk", "password text not-null")
        let asked = try Self.questions("customers", [people, Self.staff] + Self.shop)
        #expect(asked["refunds.author_id"]?.answers.first == .owner)
        #expect(asked["tax_regions.created_by"]?.answers.first == .unrelated)
        let others = [
            [SchemaSketch.table("customers", "id int pk", "user_id int"), Self.staff],
            [SchemaSketch.table("customers", "id int pk", "login int -> users.id"), Self.staff],
            [
                SchemaSketch.table("customers", "id int pk", "label text"),
                SchemaSketch.table("users", "id int pk", "customer_id int unique -> customers.id cascade", "password text"),
            ],
        ]
        for tables in others {
            let asked = try Self.questions("customers", tables + Self.shop)
            let reason = asked["tax_regions.created_by"]?.reason
            #expect(reason?.contains("may also refer to users") != true, "\(reason ?? "")")
        }
    }

    @Test("PL-1 PL-2 a column that may tell users from the staff is named as a condition, and no first answer deletes")
    func tellers() throws {
        let tables = [
            SchemaSketch.table("users", "id int pk", "email text unique"),
            SchemaSketch.table("sessions", "id int pk", "user_id int not-null", "origin text not-null"),
            SchemaSketch.table("messages", "id int pk", "sender_id int not-null", "sender_role text"),
            SchemaSketch.table("notes", "id int pk", "user_id int not-null", "kind text"),
        ]
        let admins = SchemaSketch.table("admins", "id int pk", "login text unique")
        let places = ["sessions.user_id", "messages.sender_id", "notes.user_id"]
        let (alone, beside) = try (Self.questions("users", tables), Self.questions("users", tables + [admins]))
        #expect(places.map { alone[$0]?.answers.first } == [.owner, .owner, .owner])
        #expect(places.map { beside[$0]?.answers.first } == [.unrelated, .unrelated, .owner])
        #expect(beside["sessions.user_id"]?.reason.contains("where: {origin: VALUE}") == true)
        #expect(beside["messages.sender_id"]?.reason.contains("where: {sender_role: VALUE}") == true)
    }
}
