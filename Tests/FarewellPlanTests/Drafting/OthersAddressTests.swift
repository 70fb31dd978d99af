// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Addresses of other persons in rows that have their own user, or may have one: they delete no row by the first answer.
struct OthersAddressTests {
    private static func schema(_ tables: SchemaTable...) -> Schema {
        Schema(dialect: .sqlite, tables: [SchemaSketch.table("users", "id int pk", "email text unique", "name text")] + tables)
    }

    private static func draft(_ schema: Schema) throws -> Plan {
        try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
    }

    @Test(
        "PL-1 PL-3 an address of another person in a row whose own user is only suspected is offered as a reference first",
        arguments: [
            ["invitations", "id int pk", "user_id int not-null", "email text not-null"],
            ["invitations", "id int pk", "user_id int", "email text"],
            ["invitations", "id int pk", "sender_type text not-null", "sender_id int not-null", "email text"],
            ["shares", "id int pk", "owner_id int not-null", "recipient_email text not-null"],
            ["shares", "id int pk", "owner_id int", "recipient_email text"],
            ["bookings", "id int pk", "user_id int", "guest_email text"],
        ])
    func suspected(_ words: [String]) throws {
        let schema = Self.schema(SchemaSketch.table(words[0], Array(words.dropFirst())))
        let plan = try Self.draft(schema)
        let address = try #require(plan.questions.first { $0.link?.targetColumns == ["email"] }, "\(plan.questions)")
        #expect(address.answers == [.reference, .owner, .unrelated], "\(address)")
        #expect(plan.questions.count == 2 && plan.questions.contains { $0.link?.targetColumns == ["id"] }, "\(plan.questions)")
        let refused = PlanCheck.findings(plan.answeringAll(.owner), schema).filter { $0.severity == .error }
        // Rows that become a user's may lead to a further question, which is no refusal.
        let first = refused.filter { $0.code != "column.unasked" }
        #expect(first.isEmpty, "\(first)")
    }

    @Test("PL-1 PL-3 an address that alone says whose a row is, or that is its own user's, is still offered as the owner first")
    func own() throws {
        let plan = try Self.draft(
            Self.schema(
                SchemaSketch.table("bookings", "id int pk", "guest_email text", "room text"),
                SchemaSketch.table("comments", "id int pk", "user_id int", "author_email text", "body text")))
        let first = plan.questions.map { "\($0.table).\($0.columns[0]) \($0.answers[0].rawValue)" }
        #expect(first == ["bookings.guest_email owner", "comments.user_id owner", "comments.author_email owner"])
    }

    @Test("PL-1 PL-3 a copy's address deletes no row that another address may say is another user's")
    func copies() throws {
        let schema = Self.schema(
            SchemaSketch.table("mail_log", "id int pk", "from_email text", "to_email text", "cc_email text", "subject text"))
        let first = try Self.draft(schema).questions.map { "\($0.columns[0]) \($0.answers[0].rawValue)" }
        #expect(Set(first) == ["from_email owner", "to_email reference", "cc_email reference"], "\(first)")
    }

    private static let mails = ["sent_to text not-null", "cc text", "bcc text", "reply_to text", "body text"]

    @Test("PL-1 PL-6 the receivers of a user's mails are asked about as references, and only when the row certainly has its own user")
    func receivers() throws {
        let declared = try Self.draft(
            Self.schema(
                SchemaSketch.table("emails", ["id int pk", "user_id int not-null -> users.id cascade"] + Self.mails),
                SchemaSketch.table("invoices", "id int pk", "user_id int not-null -> users.id cascade", "to_email text", "cc text")))
        #expect(declared.questions.map { $0.columns[0] } == ["sent_to", "cc", "bcc", "to_email"], "\(declared.questions)")
        #expect(declared.questions.allSatisfy { $0.answers == [.reference, .unrelated] }, "\(declared.questions)")

        let schema = Self.schema(
            SchemaSketch.table("emails", ["id int pk", "user_id int not-null"] + Self.mails),
            SchemaSketch.table("invoices", "id int pk", "user_id int not-null", "to_email text"))
        let plan = try Self.draft(schema)
        #expect(plan.questions.map(\.columns) == [["user_id"], ["user_id"]], "\(plan.questions)")
        let following = FollowingQuestions.of(plan.answeringAll(.owner), schema)
        #expect(following.map { $0.columns[0] } == ["sent_to", "cc", "bcc", "to_email"], "\(following)")
        #expect(following.allSatisfy { $0.answers == [.reference, .unrelated] }, "\(following)")
    }

    @Test("PL-1 PL-3 no receiver of a row decides while the row may still belong to other rows of a user")
    func throughOthers() throws {
        let plan = try Self.draft(
            Self.schema(
                SchemaSketch.table("orders", "id int pk", "buyer_id int", "title text"),
                SchemaSketch.table(
                    "transfers", "id int pk", "order_id int not-null -> orders.id", "from_user_id int -> users.id set null",
                    "to_email text")))
        #expect(!plan.questions.contains { $0.columns == ["to_email"] }, "\(plan.questions)")
    }
}
