// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import Testing

@Suite("Rows that stay and belong to two people")
struct TwoPersonRowTests {
    private static let people = SchemaSketch.table("public.people", "id uuid pk", "email text")
    private static let sales = SchemaSketch.table(
        "public.sales", "id int pk", "buyer_id uuid -> public.people.id set null", "buyer_name text",
        "seller_id uuid -> public.people.id set null", "seller_name text")

    private static func plan(_ rule: Rule, _ change: (inout TablePlan) -> Void = { _ in }) -> Plan {
        func link(_ column: String) -> Link {
            Link(columns: [column], target: people.name, targetColumns: ["id"], onDelete: .setNull, role: .owner)
        }
        let other: ColumnRule = rule.retention == nil ? .notPersonal : .retain
        var entry = TablePlan(
            table: sales.name, rule: rule, links: [link("buyer_id"), link("seller_id")],
            columns: [
                .init("id", other), .init("buyer_id", .notPersonal), .init("buyer_name", .null),
                .init("seller_id", .notPersonal), .init("seller_name", .constant("removed")),
            ])
        change(&entry)
        return Plan(
            subject: SubjectRoot(table: people.name, key: "id"),
            tables: [TablePlan(table: people.name, rule: .erase, columns: [.init("id"), .init("email")]), entry])
    }

    private static func found(_ plan: Plan) -> [Finding] {
        PlanCheck.findings(plan, SchemaSketch.schema(.postgresql, people, sales))
            .filter { $0.code == "column.touches-neighbour" }
    }

    @Test(
        "PL-3 PL-1 a rule that would change the other person's values in a row of two is an error of the check",
        arguments: [Rule.anonymise, .retain(Retention(reason: "Law.", period: Period(10, .year)))])
    func otherValues(_ rule: Rule) throws {
        let found = Self.found(Self.plan(rule))
        #expect(found.map(\.severity) == [.error], "\(found)")
        let finding = try #require(found.first)
        #expect(finding.column == "buyer_name" && finding.message.contains("seller_name"))
    }

    @Test("PL-3 each remedy for values of two people settles the check")
    func remedies() {
        let remedies: [(inout TablePlan) -> Void] = [
            { $0.links[1].role = .reference },
            { entry in for place in entry.links.indices { entry.links[place].shared = .erase } },
            { entry in for place in entry.columns.indices { entry.columns[place].rule = .notPersonal } },
            { entry in
                entry.links[0].condition = LinkCondition([.init(column: "buyer_name", values: ["x"])])
                entry.links[1].condition = LinkCondition([.init(column: "buyer_name", values: ["y"])])
            },
        ]
        for remedy in remedies {
            let found = Self.found(Self.plan(.anonymise, remedy))
            #expect(found.isEmpty, "\(found)")
        }
    }
}
