// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Columns with the address of a user who did something: they are no links to a key of another kind.
struct AddressOfAnotherKindTests {
    private static func draft(_ key: String, _ tables: SchemaTable...) throws -> Plan {
        let own = key == "uuid" ? ["uuid text pk", "email text unique not-null"] : ["email text pk", "name text"]
        let schema = Schema(dialect: .sqlite, tables: [SchemaSketch.table("users", own)] + tables)
        return try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), key)).plan
    }

    private static let user = "user_uuid text not-null -> users.uuid cascade"

    @Test(
        "PL-1 PL-3 the address of another user in a user's row is asked about by the subject's address and never by the key",
        arguments: ["invited_by_email", "created_by_email", "approved_by_email", "referred_by_mail"])
    func addresses(_ name: String) throws {
        let plan = try Self.draft("uuid", SchemaSketch.table("memberships", ["id int pk", Self.user, "\(name) text"]))
        let question = try #require(plan.questions.first { $0.columns == [name] }, "\(plan.questions)")
        #expect(question.link?.targetColumns == ["email"] && question.link?.ignoresCase == true, "\(question)")
        #expect(question.answers == [.reference, .unrelated], "the row is deleted with its own user")
        #expect(plan.questions.count == 1)
    }

    @Test("PL-1 PL-3 in the subject's own row, the address of the user who invited it is a question and no name of the subject")
    func own() throws {
        let users = SchemaSketch.table("users", "id text pk", "email text unique not-null", "invited_by_email text")
        let plan = try PlanDerivation.draft(
            from: Schema(dialect: .sqlite, tables: [users]), subject: ColumnName(TableName("users"), "id")
        ).plan
        let question = try #require(plan.questions.first, "\(plan.questions)")
        #expect(question.columns == ["invited_by_email"] && question.link?.targetColumns == ["email"])
        #expect(question.answers == [.reference, .unrelated])
        #expect(plan.subject.identifiers.map(\.column) == ["email"])
    }

    @Test("PL-1 where addresses are the subjects' keys, an address named after a deed leads to them, and a number does not")
    func keys() throws {
        let plan = try Self.draft(
            "email", SchemaSketch.table("rooms", "id int pk", "title text", "created_by_email text", "called_by_phone text"))
        #expect(plan.questions.map(\.columns) == [["created_by_email"]], "\(plan.questions)")
        #expect(plan.questions.first?.link?.targetColumns == ["email"])
    }
}
