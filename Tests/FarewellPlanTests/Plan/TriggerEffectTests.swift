// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("The declarations of a plan about triggers")
struct TriggerEffectTests {
    private static let head = """
        farewell: 1
        subject: {table: people, key: id}
        tables:
          people: {rule: erase, columns: [id]}

        """

    private func read(_ effects: String) throws -> Plan { try PlanFile.read(Array((Self.head + effects).utf8), path: "farewell.yaml") }

    @Test("PL-5 effects are read and written")
    func both() throws {
        let plan = try read("effects:\n  - {on: posts, also: \"'odd name'\", inserts: 1, deletes: any}\n")
        #expect(plan.effects == [TriggerEffect(on: TableName("posts"), also: TableName("'odd name'"), inserts: .perRow(1), deletes: .any)])
        let text = PlanFile.text(for: plan)
        #expect(try PlanFile.read(Array(text.utf8), path: "farewell.yaml") == plan, "\(text)")
    }

    @Test(
        "PL-5 an empty, excessive or repeated effect is refused",
        arguments: [
            "- {on: posts, also: log}", "- {on: posts, also: log, inserts: 0}", "- {on: posts, also: log, inserts: many}",
            "- {on: posts, inserts: 1}", "- {on: posts, also: log, inserts: 1}\n  - {on: posts, also: log, updates: 1}",
            "- {on: posts, also: log, upserts: 1}",
        ])
    func wrong(_ effects: String) {
        #expect(throws: FarewellError.self) { try read("effects:\n  \(effects)\n") }
    }

    @Test("PL-5 check knows the tables of an effect, and reports where no trigger could cause it", arguments: PlanDatabase.allCases)
    func checked(_ kind: PlanDatabase) async throws {
        try await kind.with { database in
            try await database.script(
                "CREATE TABLE people (id integer PRIMARY KEY)", "CREATE TABLE log (n integer)")
            let schema = try await Schema.read(from: database)
            let people = try #require(schema.tables.first { $0.name.name == "people" }?.name)
            let log = try #require(schema.tables.first { $0.name.name == "log" }?.name)
            var plan = Plan(
                subject: SubjectRoot(table: people, key: "id"),
                tables: [
                    TablePlan(table: people, rule: .erase, columns: [.init("id")]),
                    TablePlan(table: log, rule: .notPersonal, columns: [.init("n")]),
                ])
            plan.effects = [
                TriggerEffect(on: people, also: log, inserts: .any),
                TriggerEffect(on: people, also: TableName(schema: people.schema, "nowhere"), inserts: .any),
            ]
            let codes = PlanCheck.findings(plan, schema).map(\.code.rawValue).filter { $0.hasPrefix("effect.") }
            #expect(codes.contains("effect.unknown-table") && codes.contains("effect.no-trigger"), "\(codes)")
        }
    }

    @Test("PL-4 the declared effect is the largest of several rehearsals")
    func merged() {
        let (posts, log) = (TableName("posts"), TableName("log"))
        let merged = TriggerEffect.merged([
            TriggerEffect(on: posts, also: log, inserts: .perRow(1)), TriggerEffect(on: posts, also: log, inserts: .perRow(2)),
            TriggerEffect(on: posts, also: log, updates: .any), TriggerEffect(on: log, also: posts, deletes: .perRow(1)),
        ])
        #expect(
            merged == [
                TriggerEffect(on: posts, also: log, inserts: .perRow(2), updates: .any),
                TriggerEffect(on: log, also: posts, deletes: .perRow(1)),
            ])
        #expect(TriggerEffectText.lines(for: merged).first == "effects:")
        #expect(TriggerEffect.Bound.perRow(3).limit(of: 2) == 6 && TriggerEffect.Bound.any.limit(of: 2) == nil)
    }
}
