// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import Testing

/// Keys to rows that stay, which an answer settled.
struct SettledKeyTests {
    private static let schema = SchemaSketch.schema(
        .postgresql, SchemaSketch.table("users", "id int pk", "email text unique"),
        SchemaSketch.table("projects", "id int pk", "owner_id int -> users.id no action", "email text"),
        SchemaSketch.table(
            "activities", "id int pk", "creator_id int not-null -> users.id cascade",
            "project_id int not-null -> projects.id cascade", "body text"))

    private static func key(_ columns: String, _ target: String, _ action: DeleteAction) -> Link {
        Link(columns: [columns], target: TableName(target), targetColumns: ["id"], onDelete: action)
    }

    private static func plan(_ rule: Rule) -> Plan {
        var owner = key("owner_id", "users", .noAction)
        owner.role = .owner
        var creator = key("creator_id", "users", .cascade)
        creator.role = .owner
        let isErased = rule == .erase
        return Plan(
            subject: SubjectRoot(table: TableName("users"), key: "id"),
            tables: [
                TablePlan(table: TableName("users"), rule: .erase, links: [], columns: [.init("id"), .init("email")]),
                TablePlan(
                    table: TableName("projects"), rule: rule, links: [owner],
                    columns: isErased
                        ? [.init("id"), .init("owner_id"), .init("email")]
                        : [.init("id", .notPersonal), .init("owner_id", .null), .init("email", .null)]),
                TablePlan(
                    table: TableName("activities"), rule: .erase, links: [creator],
                    columns: [.init("id"), .init("creator_id"), .init("project_id"), .init("body")]),
            ])
    }

    private static func codes(_ plan: Plan) -> [String] {
        let found = PlanCheck.findings(plan, schema).filter { $0.table?.name == "activities" && $0.column == "project_id" }
        return found.map(\.code.rawValue).filter(RepeatedAnswer.codes.contains)
    }

    @Test("PL-1 a key answered with not personal is no finding while the rows that it refers to only become anonymous")
    func settled() throws {
        var plan = Self.plan(.anonymise)
        #expect(Self.codes(plan) == ["key.added"])
        let link = Self.key("project_id", "projects", .cascade)
        let question = PlanQuestion(
            table: TableName("activities"), columns: ["project_id"], reason: "a reason", link: link,
            answers: [.unrelated, .owner, .reference], answer: .unrelated)
        plan.questions = [question]
        #expect(Self.codes(plan) == [], "nothing is deleted there")
        var deleting = Self.plan(.erase)
        deleting.questions = [question]
        #expect(Self.codes(deleting).contains("key.added"))
        var other = Self.plan(.anonymise)
        other.questions = [question]
        other.questions[0].link?.targetColumns = ["email"]
        #expect(Self.codes(other) == ["key.added"], "the answer is about another link")
    }
}
