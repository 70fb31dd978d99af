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
                    SchemaSketch.table("api_clients", "id int pk", "identifier text"),
                    SchemaSketch.table("flights", "id int pk", "destination text"),
                ]), subject: ColumnName(TableName("users"), "id")
        ).plan
        let asked = Dictionary(uniqueKeysWithValues: plan.questions.map { ("\($0.table).\($0.columns[0])", $0) })
        for place in ["VerificationToken.identifier", "verification.identifier", "email_logs.destination"] {
            let question = try #require(asked[place], "\(place)")
            #expect(question.answers.first == .owner && question.link?.targetColumns == ["email"], "\(question)")
        }
        #expect(asked["sms_messages.destination"]?.link?.targetColumns == ["phone"])
        #expect(asked["api_clients.identifier"] == nil && asked["flights.destination"] == nil)
    }
}
