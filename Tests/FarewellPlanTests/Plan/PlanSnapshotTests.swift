// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellPlan
import FarewellSQL
import FarewellSample
import TestFixtures
import Testing

struct PlanSnapshotTests {
    @Test(
        "a plan of the examples is written, checked, drawn and described to the database as recorded",
        arguments: PlanDatabase.allCases)
    func examples(_ kind: PlanDatabase) async throws {
        let folder = try ExampleFolder(near: [#filePath])
        for profile in SamplePeople.Profile.allCases {
            try await kind.with { database in
                try await ExampleSchema.make(profile, kind, in: database)
                let schema = try await Schema.read(from: database)
                let plan = try PlanFile.load(path: "\(folder.path)/\(profile.rawValue)/farewell.\(kind.rawValue).yaml")
                let probed = try await Self.probed(plan, schema, database)
                var snapshot = PlanSnapshot(plan, schema, probed: probed)
                let draft = try PlanDerivation.draft(from: schema)
                snapshot.add("draft", PlanFile.text(for: draft.plan, notes: draft.notes))
                try snapshot.expect(as: "\(profile.rawValue) \(kind.rawValue)")
            }
        }
    }

    @Test(
        "a plan with every rule is written, checked, drawn and described to the database as recorded",
        arguments: PlanDatabase.allCases)
    func everyRule(_ kind: PlanDatabase) async throws {
        let example = EveryRule(kind: kind)
        try await kind.with { database in
            try await database.withConnection { connection in
                for table in example.tables { _ = try await connection.run(SQLStatement(table)) }
            }
            let schema = try await Schema.read(from: database)
            for (name, text) in [("right", example.right), ("wrong", example.wrong)] {
                let plan = try PlanFile.read(Array(text.utf8), path: "farewell.yaml")
                let probed = try await Self.probed(plan, schema, database)
                try PlanSnapshot(plan, schema, probed: probed).expect(as: "\(name) \(kind.rawValue)")
            }
        }
    }

    private static func probed(_ plan: Plan, _ schema: Schema, _ database: any SQLDatabase) async throws -> [Finding] {
        try await database.withConnection { try await ConstantProbe(plan, schema).findings(on: $0) }
    }

    @Test("the error of an unreadable plan, and its description for editors, are as recorded")
    func unreadable() throws {
        var snapshot = PlanSnapshot()
        snapshot.add("JSON schema", PlanJSONSchema.text)
        do {
            _ = try PlanFile.read(Array(EveryRule(kind: .sqlite).unreadable.utf8), path: "farewell.yaml")
        } catch {
            snapshot.add("problems", "\(error.message)\n\(error.remedy ?? "")")
        }
        #expect(snapshot.sections.count == 2)
        try snapshot.expect(as: "unreadable")
    }
}
