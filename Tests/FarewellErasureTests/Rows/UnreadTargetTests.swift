// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The check where the role may not look for the keys that columns are set to")
struct UnreadTargetTests {
    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE SCHEMA staff;
        CREATE TABLE staff.desks (id integer PRIMARY KEY);
        CREATE TABLE posts (id integer PRIMARY KEY, author integer REFERENCES people ON DELETE SET NULL,
            desk integer NOT NULL REFERENCES staff.desks);
        CREATE TABLE notes (id integer PRIMARY KEY, author integer REFERENCES people ON DELETE SET NULL,
            desk integer NOT NULL REFERENCES staff.desks);
        """

    private static let unknown: [Finding.Code] = ["link.set-unknown", "column.constant-leads-nowhere"]

    private func findings(_ plan: Plan, on database: any SQLDatabase) async throws -> [Finding] {
        try await PlanCheck.findings(plan, try await Schema.read(from: database), on: database)
    }

    @Test("OP-2 a role without USAGE on a schema gets one finding with the schema and the GRANT, and the check goes on")
    func usage() async throws {
        try await EngineFixture.with(.postgresql, Self.script) { fixture in
            let schema = try await Schema.read(from: fixture.database)
            let desks = try #require(schema.tables.first { $0.name.name == "desks" }).name
            let plan = try await fixture.plan { plan in
                plan.set("desks", .notPersonal)
                plan.set("notes", .anonymise, ["desk": .constant("0")])
                plan.set("posts", .anonymise)
                plan.at("posts") { entry in
                    entry.links.append(
                        Link(
                            columns: ["desk"], target: desks, targetColumns: ["id"], onDelete: .noAction, role: .reference,
                            replacement: "0"))
                }
            }
            let all = try await findings(plan, on: fixture.database)
            #expect(Set(all.map(\.code)).isSuperset(of: Self.unknown), "\(all)")
            let role = "no-usage-\(UInt64.random(in: .min ... .max))"
            try await fixture.run(
                "CREATE ROLE \"\(role)\" LOGIN; GRANT SELECT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \"\(role)\"")
            let name = try await fixture.rows("SELECT current_database()")[0]
            let other = try PostgreSQLDatabase(url: try TestPostgreSQL.address(database: name, user: role))
            for (right, grant) in [("the schema “staff”", #"USAGE ON SCHEMA "staff""#), ("select", #"SELECT ON "staff"."desks""#)] {
                let found = try await findings(plan, on: other)
                #expect(!found.contains { Self.unknown.contains($0.code) }, "\(found)")
                let lacking = found.filter { $0.code == "right.missing" && $0.message.contains("cannot find out") }
                #expect(lacking.count == 1 && lacking[0].message.contains(right), "\(found)")
                let remedy = lacking.first?.remedy ?? ""
                #expect(remedy == "Grant it: GRANT \(grant) TO \"\(role)\".", "\(remedy)")
                try await fixture.run(String(remedy.replacing("Grant it: ", with: "").dropLast()))
            }
            let found = try await findings(plan, on: other)
            #expect(Set(found.map(\.code)).isSuperset(of: Self.unknown), "\(found)")
            await other.close()
            try await fixture.run("DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\";")
        }
    }
}
