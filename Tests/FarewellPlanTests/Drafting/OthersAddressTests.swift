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

    @Test("PL-1 PL-3 where users' addresses are not unique, those of other persons and of guests are asked about all the same")
    func ambiguous() throws {
        var users = SchemaSketch.table("users", "id int pk", "tenant_id int not-null", "email text not-null")
        users.uniqueKeys = [["tenant_id", "email"], ["id", "tenant_id"]]
        var orders = SchemaSketch.table("orders", "id int pk", "tenant_id int not-null", "user_id int", "email text not-null")
        orders.foreignKeys = [
            ForeignKey(
                columns: ["user_id", "tenant_id"], target: users.name, targetColumns: ["id", "tenant_id"], onDelete: .cascade)
        ]
        let key = "user_id int not-null -> users.id cascade"
        let schema = Schema(
            dialect: .postgresql,
            tables: [
                users, orders, SchemaSketch.table("invites", "id int pk", key, "email text not-null"),
                SchemaSketch.table("logins", "id int pk", key, "email text not-null"),
                SchemaSketch.table("proofs", "id int pk", "login_id int not-null -> logins.id cascade", "email text not-null"),
                SchemaSketch.table("offers", "id int pk", "inviter_email text", "customer_email text", "phone text", "title text"),
            ])
        let questions = try Self.draft(schema).questions
        let alone = try #require(questions.first { $0.table.name == "offers" }, "\(questions)")
        #expect(alone.columns == ["inviter_email", "customer_email"] && alone.answers == [.unrelated], "\(alone)")
        #expect(alone.reason.hasPrefix("inviter_email, customer_email contain e-mail addresses"), "\(alone)")
        #expect(alone.reason.contains("users.email is not unique, so rows with an equal value may be another user's"), "\(alone)")
        let asked = questions.filter { $0.columns == ["email"] }
        #expect(Set(asked.map(\.table.name)) == ["orders", "invites", "proofs"], "\(asked)")
        for question in asked {
            #expect(question.answers == [.unrelated] && question.reason.contains("users.email is not unique"), "\(question)")
        }
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

    private static let openTables = [
        SchemaSketch.table("emails", "id int pk", "user_id int -> users.id", "sent_to text", "cc text", "body text"),
        SchemaSketch.table("invoices", "id int pk", "user_id int -> users.id", "from_email text", "to_email text"),
        SchemaSketch.table("email_logs", "id int pk", "user_id int -> users.id", "destination text"),
    ]

    @Test("PL-1 PL-6 receivers are asked about in rows of other users and in rows without a user; a copy's address owns none")
    func openRows() throws {
        let plan = try Self.draft(Schema(dialect: .sqlite, tables: Self.schema().tables + Self.openTables))
        let asked = plan.questions.map { question in
            let rows = question.link?.condition.isEmpty == true ? "all" : "no user"
            return "\(question.columns[0]) \(rows) \(question.answers.map(\.rawValue).joined(separator: ","))"
        }
        #expect(
            Set(asked) == [
                "sent_to all reference,not personal", "sent_to no user owner,reference,not personal",
                "cc all reference,not personal", "from_email no user owner,reference,not personal",
                "to_email all reference,not personal", "to_email no user reference,owner,not personal",
                "destination all reference,not personal", "destination no user owner,reference,not personal",
            ] && asked.count == 8, "\(asked)")
    }

    @Test("PL-1 PL-6 receivers in rows with and without a user are asked about when the answer about the user is known")
    func openAnswers() throws {
        let schema = Self.schema(SchemaSketch.table("emails", "id int pk", "user_id int", "sent_to text", "body text"))
        let plan = try Self.draft(schema)
        #expect(plan.questions.map(\.columns) == [["user_id"]], "\(plan.questions)")
        let following = FollowingQuestions.of(plan.answeringAll(.owner), schema)
        #expect(following.map(\.columns) == [["sent_to"], ["sent_to"]], "\(following)")
        #expect(following.map { $0.link?.condition.isEmpty } == [true, false], "\(following)")
    }

    @Test("PL-6 check warns of addresses in rows of other users, also beside a link for rows without a user")
    func openLinks() throws {
        let schema = Schema(dialect: .sqlite, tables: Self.schema().tables + Self.openTables.prefix(1))
        var plan = try Self.draft(schema)
        let questions = plan.questions
        plan.questions = []
        func remedies() -> [String] {
            PlanCheck.findings(plan, schema).filter { $0.code == "table.contacts" }
                .map { "\($0.column ?? "") \($0.remedy?.contains("role: reference") == true ? "reference" : "owner")" }
        }
        #expect(remedies() == ["sent_to reference", "sent_to owner", "cc reference"], "\(remedies())")
        let place = try #require(plan.tables.firstIndex { $0.table.name == "emails" })
        for question in questions {
            guard var link = question.link, question.answers[0] == .owner else { continue }
            link.role = .owner
            plan.tables[place].links.append(link)
        }
        #expect(remedies() == ["sent_to reference", "cc reference"], "\(remedies())")
        for question in questions where question.answers[0] == .reference {
            guard var link = question.link else { continue }
            link.role = .reference
            plan.tables[place].links.append(link)
        }
        #expect(remedies().isEmpty, "\(remedies())")
    }
}
