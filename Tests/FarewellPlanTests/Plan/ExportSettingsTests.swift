// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("The statements of a plan about exports")
struct ExportSettingsTests {
    private static func plan(_ columns: String) -> String {
        """
        farewell: 1
        subject: {table: people, key: id}
        tables:
          people: {rule: erase, columns: [id, name]}
          reviews:
            label: Your reviews
            rule: anonymise
            links: [{from: author_id, to: people.id, key: no action}, {from: editor_id, to: people.id, role: reference}]
            columns: {id: not personal, author_id: null, editor_id: not personal, \(columns)}
        """
    }

    private static func parsed(_ text: String) throws -> Plan { try PlanFile.read(Array(text.utf8), path: "plan") }

    @Test("EX-2 export and label are read beside every kind of rule, and do not change the plan's fingerprint")
    func read() throws {
        let plain = try Self.parsed(Self.plan("body: {constant: gone}, peer: not personal, note: null"))
        let plan = try Self.parsed(
            Self.plan(
                "body: {constant: gone, export: yes}, peer: {rule: not personal, export: no, label: The peer}, "
                    + "note: {rule: null, label: Note}"))
        let columns = try #require(plan[TableName("reviews")]?.columns)
        #expect(columns.map(\.export) == [nil, nil, nil, true, false, nil])
        #expect(columns.map(\.label) == [nil, nil, nil, nil, "The peer", "Note"])
        #expect(columns.map(\.rule) == plain[TableName("reviews")]?.columns.map(\.rule))
        #expect(plan[TableName("reviews")]?.label == "Your reviews")
        #expect(PlanFingerprint.of(plan) == PlanFingerprint.of(plain))
        #expect(try Self.parsed(PlanFile.text(for: plan)) == plan)
        for wrong in ["{rule: null, constant: a}", "{rule: null, export: maybe}", "{export: no, other: 1}", "{rule: nil}"] {
            #expect(throws: (any Error).self, "\(wrong)") { try Self.parsed(Self.plan("note: \(wrong)")) }
        }
    }

    @Test("EX-2 check asks about the columns of a remaining shared row until the plan names their owner")
    func asked() async throws {
        try await PlanDatabase.sqlite.with { database in
            try await database.script(
                "CREATE TABLE people (id integer PRIMARY KEY, name text)",
                "CREATE TABLE reviews (id integer PRIMARY KEY, author_id integer REFERENCES people (id), "
                    + "editor_id integer REFERENCES people (id), peer text, note text)")
            let schema = try await Schema.read(from: database)
            func asked(_ columns: String) throws -> [Finding] {
                PlanCheck.findings(try Self.parsed(Self.plan(columns)), schema).filter { $0.code == "export.undecided" }
            }
            let found = try asked("peer: not personal, note: not personal")
            #expect(found.count == 1 && found[0].severity == .note && found[0].message.contains("peer, note"), "\(found)")
            #expect(try asked("peer: {rule: not personal, export: no}, note: null") == [])
        }
    }
}
