// SPDX-License-Identifier: Apache-2.0
import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Rows that their members own and that also go with another row, such as the teams of an organisation.
struct OwnedTwiceTests {
    private static let schema = SchemaSketch.schema(
        .sqlite, SchemaSketch.table("users", "id int pk"),
        SchemaSketch.table("organizations", "id int pk", "name text", "user_id int not-null -> users.id cascade"),
        SchemaSketch.table("teams", "id int pk", "name text", "organization_id int not-null -> organizations.id cascade"),
        SchemaSketch.table(
            "team_members", "id int pk", "team_id int not-null -> teams.id cascade", "user_id int not-null -> users.id cascade"))

    /// - Parameter owned: The link by which members own a team, with the words around it.
    private static func findings(_ owned: String, _ key: String = "") throws -> [Finding] {
        let text = """
            farewell: 1
            subject: {table: users, key: id}
            tables:
              users: {rule: erase, columns: [id]}
              organizations:
                rule: erase
                links: [{from: user_id, to: users.id, key: cascade}]
                columns: [id, name, user_id]
              teams:
                rule: erase
                links: [{from: organization_id, to: organizations.id, key: cascade}\(owned)]
                columns: [id, name, organization_id]
              team_members:
                rule: erase
                links: [{from: user_id, to: users.id, key: cascade}\(key)]
                columns: [id, team_id, user_id]
            """
        return PlanCheck.findings(try PlanFile.read(Array(text.utf8), path: "farewell.yaml"), schema)
    }

    @Test("PL-3 PL-1 the remedy for a new key owns no row that stays without it, and names init --merge if the plan lacks the column")
    func added() throws {
        let lists = SchemaSketch.schema(
            .sqlite, SchemaSketch.table("users", "id int pk"),
            SchemaSketch.table(
                "listings", "id int pk", "seller_id int not-null -> users.id cascade", "buyer_id int -> users.id"))
        var plan = Plan(
            subject: SubjectRoot(table: TableName("users"), key: "id"),
            tables: [
                TablePlan(table: TableName("users"), rule: .erase, columns: [.init("id")]),
                TablePlan(
                    table: TableName("listings"), rule: .erase,
                    links: [Link(columns: ["seller_id"], target: TableName("users"), targetColumns: ["id"], onDelete: .cascade)],
                    columns: [.init("id"), .init("seller_id"), .init("buyer_id")]),
            ])
        let found = PlanCheck.findings(plan, lists).first { $0.code == "key.added" }
        #expect(found?.column == "buyer_id")
        #expect(found?.remedy?.contains("key: no action, role: reference}") == true, "\(String(describing: found))")
        #expect(found?.remedy?.contains("init --merge") == false, "\(String(describing: found))")
        plan.tables[1].columns.removeLast()
        let new = PlanCheck.findings(plan, lists).first { $0.code == "key.added" }
        #expect(new?.remedy?.contains("init --merge") == true, "\(String(describing: new))")
        let bound = try Self.findings("").first { $0.code == "key.added" }
        #expect(bound?.remedy?.contains("key: cascade, role: owner}") == true, "\(String(describing: bound))")
    }

    @Test("PL-9 PL-3 of teams that go with an organisation and that members own, the remedy names one way, and it fits")
    func teams() throws {
        let twice = try Self.findings(", {from: id, to: team_members.team_id, parent: owned}")
        let added = try #require(twice.first { $0.code == "key.added" }, "\(twice)")
        #expect(added.remedy?.contains("--answer 'not personal' --again") == true, "\(added)")
        #expect(added.remedy?.contains("organization_id") == true, "\(added)")
        // Without the owned parent the key is a link like any other.
        let once = try Self.findings("")
        #expect(once.first { $0.code == "key.added" }?.remedy?.contains("Add {from: [team_id]") == true, "\(once)")
        let fitting = try Self.findings("", ", {from: team_id, to: teams.id, key: cascade, shared: erase}")
        #expect(!fitting.contains { $0.severity == .error }, "\(fitting)")
    }
}
