// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellPlan
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Names that differ in their bytes alone")
struct ExactNameTests {
    /// "é" as one scalar, and as two: Unicode treats the texts as equal, databases do not.
    private static let (whole, parts) = ("\u{E9}", "e\u{301}")
    /// How Farewell spells the second.
    private static let spelled = #"e\u{301}"#

    private static let script = """
        CREATE TABLE people (id integer PRIMARY KEY, email text);
        CREATE TABLE "caf\(whole)" (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
        CREATE TABLE "caf\(parts)" (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES people (id) ON DELETE CASCADE);
        CREATE TABLE stays (id integer PRIMARY KEY, "\(whole)" integer REFERENCES people (id) ON DELETE SET NULL,
            "\(parts)" integer REFERENCES people (id) ON DELETE SET NULL);
        CREATE TABLE bills (id integer PRIMARY KEY, owner integer REFERENCES people (id), "n\(whole)" text, "n\(parts)" text,
            "m\(parts)" text,
            CHECK ("n\(parts)" <> ''));
        INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
        INSERT INTO "caf\(whole)" VALUES (1, 1), (2, 2);
        INSERT INTO "caf\(parts)" VALUES (1, 2), (2, 1), (3, 1);
        INSERT INTO stays VALUES (1, 1, 2), (2, 2, 1), (3, 2, 2);
        INSERT INTO bills VALUES (1, 1, 'a', 'b', 'e'), (2, 2, 'c', 'd', 'f');
        """

    @Test(
        "SY-2 tables and columns whose names differ in their bytes alone are two in a plan, an erasure and an export",
        arguments: SQLDialect.allCases)
    func apart(_ dialect: SQLDialect) async throws {
        for options in [ErasureOptions(deepScan: .complete, residue: .leave), ErasureOptions(largeAccount: 1, residue: .leave)] {
            try await EngineFixture.with(dialect, Self.script) { house in
                let plan = try await house.plan { plan in
                    plan.set("bills", .anonymise, ["owner": .null, "n\(Self.whole)": .constant("gone")])
                }
                #expect(plan.tables.count == 5 && plan[house.name("caf\(Self.spelled)")]?.rule == .erase)
                let links = plan[house.name("stays")]?.links.map(\.columns) ?? []
                #expect(links.count == 2 && Set(links) == [[Self.whole], [Self.spelled]])
                let schema = try await Schema.read(from: house.database)
                #expect(PlanCheck.findings(plan, schema).filter { $0.severity == .error } == [])
                #expect(try PlanFile.read(Array(PlanFile.text(for: plan, notes: []).utf8), path: "p") == plan)
                let engine = try await house.engine(plan)
                let export = try await engine.export("1", to: house.folder + "/out")
                #expect(Set(export.tables.map(\.csv)).count == export.tables.count)
                #expect(try await engine.preview("1").erased == 4)
                let outcome = try await engine.erase(["1"], options: options)
                let receipt = try #require(outcome.first?.receipt, "\(outcome)")
                #expect(receipt.erased == ["people": 1, "caf\(Self.whole)": 1, "caf\(Self.spelled)": 2] && receipt.isComplete)
                #expect(try await house.rows("SELECT * FROM \"caf\(Self.whole)\"") == ["2 2"])
                #expect(try await house.rows("SELECT * FROM \"caf\(Self.parts)\"") == ["1 2"])
                #expect(try await house.rows("SELECT * FROM stays") == ["1 - 2", "2 2 -", "3 2 2"])
                #expect(try await house.rows("SELECT * FROM bills") == ["1 - gone b e", "2 2 c d f"])
            }
        }
    }

    @Test("SY-2 EX-2 an export has the names as the database has them")
    func exported() async throws {
        try await EngineFixture.with(.sqlite, Self.script) { house in
            let plan = try await house.plan { plan in
                plan.set("bills", .anonymise, ["owner": .null, "n\(Self.spelled)": .constant("gone")])
                plan.at("bills") { entry in
                    for place in entry.columns.indices where entry.columns[place].name == "m\(Self.spelled)" {
                        entry.columns[place].export = false
                    }
                }
            }
            let engine = try await house.engine(plan)
            let export = try await engine.export("1", to: house.folder + "/out")
            let bills = try #require(export.tables.first { $0.place.contains("bills") })
            let text = try Data(contentsOf: URL(fileURLWithPath: "\(house.folder)/out/\(bills.csv)"))
            #expect(text.firstRange(of: Data("n\(Self.parts)".utf8)) != nil && text.firstRange(of: Data("u{301}".utf8)) == nil)
            #expect(bills.omitted.contains { $0.about.utf8.elementsEqual("m\(Self.parts)".utf8) }, "\(bills.omitted)")
            #expect(!export.tables.contains { $0.csv.contains("301") || $0.json.contains("301") })
        }
    }
}
