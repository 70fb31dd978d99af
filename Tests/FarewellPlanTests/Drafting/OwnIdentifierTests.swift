// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Testing

/// Columns that describe their own row, and questions that say the same.
struct OwnIdentifierTests {
    private static func questions(_ key: String, _ tables: SchemaTable...) throws -> [PlanQuestion] {
        let users = SchemaSketch.table("users", "id \(key) pk", "email text unique")
        let schema = Schema(dialect: .postgresql, tables: [users] + tables)
        return try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan.questions
    }

    @Test("PL-1 SCH-01 the unique uid of a calendar's event or of an app is no link to users; the only name of a user is")
    func unique() throws {
        let user = "user_id text not-null -> users.id cascade"
        let asked = try Self.questions(
            "text", SchemaSketch.table("events", "id text pk", user, "uid text unique not-null"),
            SchemaSketch.table("event_invites", "id text pk", "invitee_id text", "uid text unique not-null"),
            SchemaSketch.table("oauth_applications", "id int pk", "uid text unique not-null", "secret text not-null"),
            SchemaSketch.table("wallets", "id int pk", "uid text unique not-null", "amount int"),
            SchemaSketch.table("visits", "id int pk", "uid text not-null", "place text"))
        let tables = Set(asked.filter { $0.columns == ["uid"] }.map(\.table.name))
        #expect(tables == ["wallets", "visits"], "\(asked)")
    }

    @Test("PL-1 SCH-01 a unique uid of the form of users' keys is a question, unless another column names the row's owner")
    func form() throws {
        let asked = try Self.questions(
            "int", SchemaSketch.table("two_factor", "id int pk", "uid int unique", "secret text"),
            SchemaSketch.table("passes", "id int pk", "uid int unique", "approved_by int -> users.id set null", "number text"),
            SchemaSketch.table("cards", "id int pk", "user_id int not-null -> users.id cascade", "uid int unique"))
        let tables = Set(asked.filter { $0.columns == ["uid"] }.map(\.table.name))
        #expect(tables == ["two_factor", "passes"], "\(asked)")
    }

    @Test("PL-2 SCH-01 a type and a key under the row's own noun describe the row, unless its values name tables")
    func ownNoun() throws {
        let user = "user_id int not-null -> users.id cascade"
        var devices = SchemaSketch.table("devices", "id int pk", user, "device_type text not-null", "device_id text")
        let asked = try Self.questions(
            "int", SchemaSketch.table("mobile_devices", "id int pk", user, "device_type text", "device_id text"),
            SchemaSketch.table("plaid_accounts", "id int pk", "plaid_type text not-null", "plaid_id text not-null"), devices)
        #expect(!asked.contains { $0.columns.count == 2 }, "\(asked)")
        let views = SchemaSketch.table("page_views", "id int pk", "page_type text not-null", "page_id int not-null")
        #expect(try Self.questions("int", views).map(\.columns) == [["page_type", "page_id"]])
        devices.checks = [SchemaCheck(name: "known", condition: "device_type IN ('User','Org')", columns: ["device_type"])]
        #expect(try Self.questions("int", devices).map(\.columns) == [["device_type", "device_id"]])
    }

    @Test("PL-1 PL-8 rows that a table connects with users, and that others name, are asked about once")
    func once() throws {
        let user = "user_id int not-null -> users.id cascade"
        for names in [("auth_requests", "users_organizations"), ("sign_ins", "organization_users")] {
            let asked = try Self.questions(
                "int", SchemaSketch.table("organizations", "id int pk", "name text", "billing_email text"),
                SchemaSketch.table(names.0, "id int pk", user, "organization_id int -> organizations.id", "ip text"),
                SchemaSketch.table(names.1, "id int pk", user, "organization_id int not-null -> organizations.id", "status int"))
            let found = asked.filter { $0.table.name == "organizations" && $0.columns == ["id"] }
            #expect(found.map(\.answers) == [[.unrelated, .owner]], "\(asked)")
        }
    }
}
