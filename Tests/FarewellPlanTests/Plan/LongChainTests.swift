// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import Testing

@Suite("Tables that reference each other, one by one")
struct LongChainTests {
    /// So many tables, each of which leads to the one before by its own key; the first to `first`, where there is one.
    private static func chain(_ count: Int, first: Int? = nil) -> (plan: Plan, schema: Schema) {
        var (entries, tables): ([TablePlan], [SchemaTable]) = ([], [])
        for number in 0..<count {
            guard let target = number > 0 ? number - 1 : first else {
                tables.append(SchemaSketch.table("public.t\(number)", "id int pk", "email text"))
                entries.append(
                    TablePlan(table: tables[number].name, rule: .erase, columns: [.init("id"), .init("email")]))
                continue
            }
            tables.append(SchemaSketch.table("public.t\(number)", "id int pk -> public.t\(target).id cascade"))
            let link = Link(
                columns: ["id"], target: TableName(schema: "public", "t\(target)"), targetColumns: ["id"], onDelete: .cascade)
            entries.append(TablePlan(table: tables[number].name, rule: .erase, links: [link], columns: [.init("id")]))
        }
        let subject = SubjectRoot(table: TableName(schema: "public", "t0"), key: "id")
        return (Plan(subject: subject, tables: entries), Schema(dialect: .postgresql, tables: tables))
    }

    @Test("the fence and the rows' program follow a chain of ten thousand tables to the last one")
    func long() throws {
        let (plan, schema) = Self.chain(10_000)
        #expect(FenceScript(plan: plan).places.count == 9_999)
        let graph = try RowGraph(plan: plan, schema: schema)
        #expect(graph.nodes.indices.allSatisfy { graph.isCascaded($0) })
    }

    @Test("a chain of two thousand tables is rendered as text on a small stack")
    func drawn() async {
        let plan = Self.chain(2_000).plan
        let text: String = await withCheckedContinuation { ended in
            let thread = Thread { ended.resume(returning: PlanDrawing.draw(plan, as: .text)) }
            thread.stackSize = 256 << 10
            thread.start()
        }
        #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == 2_000)
        #expect(text.hasSuffix("└─ public.t1999  [erase]  by id cascade\n"))
    }

    @Test("a link of the chain without a cascade ends the cascade, also for all later links")
    func interrupted() throws {
        var (plan, schema) = Self.chain(6)
        schema.edit("public.t3") { $0.foreignKeys[0].isValidated = false }
        let graph = try RowGraph(plan: plan, schema: schema)
        #expect(graph.nodes.indices.filter { graph.isCascaded($0) } == [0, 1, 2])
        plan.edit("public.t2") { $0.links[0].path = ["id"] }
        #expect(FenceScript(plan: plan).places.map(\.table.name) == ["t1"])
    }

    @Test("in a circle the subject's own row is in the cascade, and a circle beside it is not")
    func circles() throws {
        let (plan, schema) = Self.chain(3, first: 2)
        let graph = try RowGraph(plan: plan, schema: schema)
        #expect(graph.nodes.indices.allSatisfy { graph.isCascaded($0) })
        #expect(FenceScript(plan: plan).places.map(\.table.name) == ["t1", "t2"])

        var (beside, tables) = Self.chain(4)
        let two = TableName(schema: "public", "t3")
        tables.edit("public.t2") { $0.foreignKeys[0].target = two }
        beside.edit("public.t2") { $0.links[0].target = two }
        let apart = try RowGraph(plan: beside, schema: tables)
        #expect(apart.nodes.indices.filter { apart.isCascaded($0) } == [0, 1])
        #expect(FenceScript(plan: beside).places.map(\.table.name) == ["t1"])
    }
}
