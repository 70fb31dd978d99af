// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import LinearGrowth
import Testing
import Yams

@testable import FarewellPlan
@testable import FarewellKeys

@Suite("Plans with many missing names", .serialized)
struct UnknownNamesTests {
    /// A table of many columns, and a plan that names as many others in its columns, links and expressions.
    private struct Hostile {
        let plan: Plan
        let schema: Schema

        init(_ count: Int) {
            let table = TableName("users")
            let live = ["id"] + (0..<count).map { "a_name_of_a_column_that_is_there_\($0)" }
            let unknown = (0..<count).map { "a_name_of_a_column_that_is_here_\($0)" }
            schema = Schema(
                dialect: .sqlite,
                tables: [
                    SchemaTable(
                        name: table, columns: live.map { SchemaColumn(name: $0, type: "text", kind: .text) },
                        primaryKey: ["id"])
                ])
            let columns = live.map { TablePlan.PlannedColumn($0) } + unknown.map { TablePlan.PlannedColumn($0) }
            let links = unknown.prefix(count / 4).map { Link(columns: [$0], target: table, targetColumns: ["id"]) }
            plan = Plan(
                subject: SubjectRoot(table: table, key: "id"),
                tables: [TablePlan(table: table, rule: .erase, links: links, columns: columns)])
        }
    }

    @Test("SC-2 a check suggests names for the first few unknown ones, and for no more of thousands")
    func bounded() {
        let hostile = Hostile(400)
        let findings = PlanCheck.findings(hostile.plan, hostile.schema)
        #expect(findings.count { $0.code == "column.unknown" } == 400)
        #expect(findings.count { $0.code == "link.unknown-column" } == 100)
        #expect(findings.count { $0.message.contains("did you mean") } == NameHints.most)
    }

    @Test("SC-2 a plan file with many unknown keys and words gets a bounded number of suggestions")
    func boundedInFiles() throws {
        let keys = (0..<100).map { "subjekt\($0 % 10)\($0 / 10): 1" }
        let tables = (0..<100).map { "  t\($0): {rule: eraze, columns: {id: hush}}" }
        let text = (keys + ["farewell: 1", "subjekt: {table: t0, key: id}", "tables:"] + tables).joined(separator: "\n")
        var reader = PlanReader()
        let node = try #require(try compose(yaml: text))
        #expect(reader.plan(node) == nil)
        #expect(reader.problems.count > 200)
        #expect(reader.problems.count { $0.message.contains("did you mean") } == NameHints.most)
    }

    @Test("SC-2 a plan with ever more missing columns and links is checked in linear time")
    func linear() {
        let growth = LinearGrowth.of("unknown names", { Hostile($0 / 128) }, { _ = PlanCheck.findings($0.plan, $0.schema) })
        #expect(growth.isLinear, "\(growth)")
    }

    @Test("a name beyond the edit limit gets no suggestion, and of equally close names the first in order is suggested")
    func nearest() {
        #expect(NearestName.of("messages", in: ["massages", "message", "nothing"]) == "massages")
        #expect(NearestName.of("emial", in: ["email", "emails"]) == "email")
        #expect(NearestName.of("abcdefghi", in: ["abcxyzghi", "abcxyzwhi"]) == "abcxyzghi")
        #expect(NearestName.of("abcdefghi", in: ["abcxyzwhi"]) == nil)
        #expect(NearestName.of("a", in: []) == nil)
    }
}
