// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("Columns of numbers that lead to texts")
struct NumberOfTextTests {
    private static let options = [ErasureOptions(residue: .leave), ErasureOptions(largeAccount: 1, residue: .leave)]

    @Test("PL-3 a row with the number 7 belongs to the user 7, and is kept when the user 07 is erased", arguments: SQLDialect.allCases)
    func users(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id text PRIMARY KEY, email text);
            CREATE TABLE notes (id integer PRIMARY KEY, user_id integer);
            CREATE TABLE seats (id integer PRIMARY KEY, seat numeric(10, 0));
            INSERT INTO people VALUES ('7', 'one@example.org'), ('07', 'two@example.org'), ('ann', 'ann@example.org');
            INSERT INTO notes VALUES (1, 7), (2, 7), (3, 8);
            INSERT INTO seats VALUES (1, 7), (2, 8);
            """
        for options in Self.options {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    plan.set("seats", .erase)
                    plan.link("seats", Link(columns: ["seat"], target: plan.name("people"), targetColumns: ["id"]))
                }
                let engine = try await house.engine(plan)
                for key in ["07", "ann"] {
                    let outcome = try await engine.erase([key], options: options)
                    #expect(outcome.first?.receipt != nil, "\(key): \(outcome)")
                    #expect(try await house.rows("SELECT id FROM notes ORDER BY id") == ["1", "2", "3"], "\(key)")
                    #expect(try await house.count("seats") == 2, "\(key)")
                }
                let outcome = try await engine.erase(["7"], options: options)
                #expect(outcome.first?.receipt?.erased["notes"] == 2, "\(outcome)")
                #expect(try await house.rows("SELECT id FROM notes") == ["3"])
                #expect(try await house.rows("SELECT id FROM seats") == ["2"])
                #expect(try await house.count("people") == 0)
            }
        }
    }

    @Test(
        "PL-3 a row with the number 7 belongs to the project 7, and is kept when the owner of the project 07 is erased",
        arguments: SQLDialect.allCases)
    func projects(_ dialect: SQLDialect) async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE projects (code text PRIMARY KEY, owner_id integer NOT NULL REFERENCES people ON DELETE CASCADE);
            CREATE TABLE tasks (id integer PRIMARY KEY, project_code integer);
            CREATE TABLE sites (
                org integer, code text, owner_id integer NOT NULL REFERENCES people ON DELETE CASCADE, PRIMARY KEY (org, code));
            CREATE TABLE visits (id integer PRIMARY KEY, org integer, site_code integer);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO projects VALUES ('7', 1), ('07', 2), ('web', 2);
            INSERT INTO tasks VALUES (1, 7), (2, 7), (3, 8);
            INSERT INTO sites VALUES (1, '7', 1), (1, '07', 2);
            INSERT INTO visits VALUES (1, 1, 7), (2, 1, 8);
            """
        for options in Self.options {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    plan.set("tasks", .erase)
                    plan.set("visits", .erase)
                    plan.link(
                        "visits",
                        Link(columns: ["org", "site_code"], target: plan.name("sites"), targetColumns: ["org", "code"]))
                    plan.link("tasks", Link(columns: ["project_code"], target: plan.name("projects"), targetColumns: ["code"]))
                }
                let engine = try await house.engine(plan)
                let other = try await engine.erase(["2"], options: options)
                #expect(other.first?.receipt != nil, "\(other)")
                #expect(try await house.rows("SELECT id FROM tasks ORDER BY id") == ["1", "2", "3"])
                #expect(try await house.count("visits") == 2)
                let outcome = try await engine.erase(["1"], options: options)
                #expect(outcome.first?.receipt?.erased["tasks"] == 2, "\(outcome)")
                #expect(try await house.rows("SELECT id FROM tasks") == ["3"])
                #expect(try await house.rows("SELECT id FROM visits") == ["2"])
            }
        }
    }

    @Test("PL-4 PL-5 check names a key of SQLite from a number to texts that are equal as numbers, and the erasure changes nothing")
    func keyed() async throws {
        let script = """
            CREATE TABLE people (id text PRIMARY KEY, email text);
            CREATE TABLE notes (id integer PRIMARY KEY, user_id integer NOT NULL REFERENCES people ON DELETE CASCADE);
            INSERT INTO people VALUES ('7', 'one@example.org'), ('8', 'two@example.org');
            INSERT INTO notes VALUES (1, 7), (2, 8);
            """
        try await EngineFixture.with(.sqlite, script) { house in
            let plan = try await house.plan()
            func found() async throws -> [Finding] {
                try await house.findings(of: plan).filter { $0.code == "key.number-of-text" }
            }
            #expect(try await found().isEmpty)
            try await house.run("INSERT INTO people VALUES ('07', 'seven@example.org'), ('09', 'nine@example.org')")
            let findings = try await found()
            #expect(findings.map(\.column) == ["user_id"] && findings.first?.message.hasPrefix("1 value of") == true, "\(findings)")
            let engine = try await house.engine(plan)
            #expect(try await engine.erase(["07"]).first?.receipt == nil)
            #expect(try await house.rows("SELECT id FROM notes ORDER BY id") == ["1", "2"])
            #expect(try await engine.erase(["09"]).first?.receipt != nil)
        }
    }
}
