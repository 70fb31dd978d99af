// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Addresses in columns whose own name does not say so.
struct AddressedColumnTests {
    @Test("PL-1 PL-6 the addresses of verification tables and of sent messages are questions, by the table's name")
    func addressed() throws {
        let plan = try PlanDerivation.draft(
            from: Schema(
                dialect: .postgresql,
                tables: [
                    SchemaSketch.table("users", "id int pk", "email text unique", "phone text unique"),
                    SchemaSketch.table("VerificationToken", "identifier text", "token text unique", "expires timestamp"),
                    SchemaSketch.table("verification", "id text pk", "identifier text not-null", "value text"),
                    SchemaSketch.table("email_logs", "id int pk", "destination text", "state text"),
                    SchemaSketch.table("sms_messages", "id int pk", "destination text"),
                    SchemaSketch.table("login_attempts", "id int pk", "identifier text", "ip text"),
                    SchemaSketch.table("password_resets", "email text", "token text"),
                    SchemaSketch.table("api_clients", "id int pk", "identifier text"),
                    SchemaSketch.table("flights", "id int pk", "destination text"),
                ]), subject: ColumnName(TableName("users"), "id")
        ).plan
        let asked = Dictionary(uniqueKeysWithValues: plan.questions.map { ("\($0.table).\($0.columns[0])", $0) })
        for place in [
            "VerificationToken.identifier", "verification.identifier", "email_logs.destination", "login_attempts.identifier",
            "password_resets.email",
        ] {
            let question = try #require(asked[place], "\(place)")
            #expect(question.answers.first == .owner && question.link?.targetColumns == ["email"], "\(question)")
        }
        #expect(asked["sms_messages.destination"]?.link?.targetColumns == ["phone"])
        #expect(asked["api_clients.identifier"] == nil && asked["flights.destination"] == nil)
    }

    @Test(
        "PL-1 PL-6 an address with a preposition after it is one, also in rows that stay",
        arguments: ["email_to", "emailTo", "mail_from", "e_mail_cc"])
    func prepositions(_ column: String) throws {
        let schema = Schema(
            dialect: .postgresql,
            tables: [
                SchemaSketch.table("users", "id int pk", "email text unique"),
                SchemaSketch.table("invitations", "id int pk", "created_by int -> users.id set null", "\(column) text not-null"),
                SchemaSketch.table("outbox", "id int pk", "\(column) text", "sent_on date"),
                SchemaSketch.table("rules", "id int pk", "routed_to text", "valid_from text"),
            ])
        let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
        let asked = plan.questions.filter { $0.columns == [column] }
        #expect(asked.map(\.table.name) == ["invitations", "outbox"], "\(plan.questions)")
        #expect(asked.allSatisfy { $0.link?.targetColumns == ["email"] }, "\(asked)")
        #expect(!plan.questions.contains { $0.table.name == "rules" }, "\(plan.questions)")
    }

    @Test(
        "PL-1 PL-6 rows are matched by an address that is unique in one form of letters, and not by one that is unique in some rows",
        arguments: [
            ("lower(email)", true), ("lower((email)::text)", true), ("(LOWER(\"email\"))", true), ("upper(email)", true),
            ("(lower(email) || tenant)", false), ("coalesce(email, '')", false), ("lower(name)", false),
        ])
    func uniqueForm(_ definition: String, _ isUnique: Bool) throws {
        for isPartial in [false, true] {
            var users = SchemaSketch.table("users", "id int pk", "email text", "name text", "tenant text")
            users.indexes.append(
                SchemaIndex(name: "email", columns: [""], isUnique: true, isPartial: isPartial, definition: definition))
            let resets = SchemaSketch.table("password_resets", "id int pk", "email text", "token text")
            let schema = Schema(dialect: .postgresql, tables: [users, resets])
            let plan = try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
            let question = try #require(plan.questions.first { $0.columns == ["email"] }, "\(plan.questions)")
            #expect((question.answers == [.owner, .reference, .unrelated]) == (isUnique && !isPartial), "\(question)")
            let codes = PlanCheck.findings(plan.answeringAll(.owner), schema).filter { $0.severity == .error }.map(\.code.rawValue)
            #expect(codes == [], "an answer that is offered passes the check")
        }
    }
}
