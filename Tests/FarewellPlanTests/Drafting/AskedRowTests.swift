// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Rows whose user the schema says less clearly than it seems: vaults with members, settings of an app, sent mail.
struct AskedRowTests {
    private static let users = SchemaSketch.table("users", "id int pk", "email text unique")

    private static func plan(_ tables: SchemaTable...) throws -> Plan {
        let schema = Schema(dialect: .postgresql, tables: [users] + tables)
        return try PlanDerivation.draft(from: schema, subject: ColumnName(TableName("users"), "id")).plan
    }

    private static func answers(_ table: String, _ column: String, in plan: Plan) -> [PlanQuestion.Answer]? {
        plan.questions.first { $0.table.name == table && $0.columns == [column] }?.answers
    }

    private static let user = "user_id int not-null -> users.id cascade"

    @Test("PL-3 SCH-08 a vault whose members' table holds a third key or an inviter is asked about, and its list of roles is not")
    func members() throws {
        let plan = try Self.plan(
            SchemaSketch.table("contacts", "id int pk", "name text"), SchemaSketch.table("roles", "id int pk", "name text"),
            SchemaSketch.table("vaults", "id int pk", "name text"), SchemaSketch.table("journals", "id int pk", "title text"),
            SchemaSketch.table(
                "user_vault", "id int pk", Self.user, "vault_id int not-null -> vaults.id cascade", "permission int",
                "contact_id int -> contacts.id", "role_id int -> roles.id"),
            SchemaSketch.table(
                "journal_members", "id int pk", Self.user, "journal_id int not-null -> journals.id cascade", "nickname text",
                "invited_by int -> users.id set null"))
        for table in ["vaults", "journals"] {
            #expect(Self.answers(table, "id", in: plan) == [.unrelated, .owner], "\(table): \(plan.questions)")
        }
        #expect(Self.answers("roles", "id", in: plan) == nil)
        let link = plan.questions.first { $0.table.name == "vaults" }?.link
        #expect(link?.isOwnedParent == true && link?.target.name == "user_vault")
    }

    @Test("PL-1 PL-3 settings that may be the app's are asked about, and not first the user's where they hold what an app has once")
    func settings() throws {
        func answers(_ key: String, _ columns: String...) throws -> [PlanQuestion.Answer]? {
            let table = SchemaSketch.table("settings", ["id int pk", key] + columns)
            return Self.answers("settings", "user_id", in: try Self.plan(table))
        }
        #expect(try answers("user_id int -> users.id", "theme text") == [.owner, .reference])
        #expect(try answers("user_id int -> users.id", "site_name text") == [.reference, .owner])
        #expect(try answers("user_id int", "site_name text") == [.reference, .owner, .unrelated])
        #expect(try answers("user_id int not-null", "smtp_host text")?.first == .unrelated)
        #expect(try answers("user_id int not-null", "theme text")?.first == .owner)
        // Settings of each user are the user's.
        #expect(try answers("user_id int unique -> users.id", "site_name text") == nil)
        #expect(try answers("user_id int -> users.id", "name text", "value text") == nil)
        #expect(try answers(Self.user, "theme text") == nil)
    }
}
