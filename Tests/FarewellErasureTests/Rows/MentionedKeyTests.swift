// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellPlan
import FarewellSQL
import TestFixtures
import Testing

@Suite("A key that is left in a list of another form")
struct MentionedKeyTests {
    private static let one = "ckann0001"

    private static let values = [
        ("text", #"["ckbob0002","ckann0001"]"#), ("text", "ckbob0002;ckann0001"), ("text", "ckbob0002 | ckann0001"),
        ("json", #"[{"id":"ckann0001"}]"#), ("json", #"{"ckann0001":true}"#),
    ]

    @Test(
        "PL-9 BX-2 an erasure is not done while a list still contains the subject's key, whatever its form and type are",
        arguments: SQLDialect.allCases, values)
    func left(_ dialect: SQLDialect, _ list: (type: String, value: String)) async throws {
        let type = list.type == "json" && dialect == .postgresql ? "jsonb" : list.type
        let script = """
            CREATE TABLE people (id text PRIMARY KEY, email text);
            CREATE TABLE events (id integer PRIMARY KEY, guests \(type));
            INSERT INTO people VALUES ('\(Self.one)', 'one@example.org'), ('ckcid0003', 'three@example.org');
            INSERT INTO events VALUES (1, '\(list.value)'), (2, '\(list.type == "json" ? #"["ckcid0003"]"# : "ckcid0003")');
            """
        try await EngineFixture.with(dialect, script) { house in
            let plan = try await house.plan { plan in
                plan.set("events", .anonymise)
                plan.link(
                    "events",
                    Link(
                        columns: ["guests"], target: plan.name("people"), targetColumns: ["id"],
                        list: list.type == "json" ? .json : .comma))
                plan.questions = []
            }
            let engine = try await house.engine(plan)
            let outcome = try await engine.erase([Self.one], options: ErasureOptions(residue: .leave))
            #expect(outcome.first?.receipt == nil, "the key is still in the list: \(outcome)")
            #expect(try await house.count("people") == 2, "SQL-01 identity stays")
            let other = try await engine.erase(["ckcid0003"], options: ErasureOptions(residue: .leave))
            #expect(try await house.rows("SELECT guests FROM events WHERE id = 2") == [list.type == "json" ? "[]" : ""], "\(other)")
        }
    }

    @Test(
        "PL-9 BX-2 an erasure is not done while a list that owns its rows contains the subject's key in another form",
        arguments: SQLDialect.allCases, values)
    func owning(_ dialect: SQLDialect, _ list: (type: String, value: String)) async throws {
        let isJSON = list.type == "json"
        let type = isJSON && dialect == .postgresql ? "jsonb" : list.type
        let script = """
            CREATE TABLE people (id text PRIMARY KEY, email text);
            CREATE TABLE drafts (id integer PRIMARY KEY, authors \(type));
            INSERT INTO people VALUES ('\(Self.one)', 'one@example.org'), ('ckcid0003', 'three@example.org');
            INSERT INTO drafts VALUES (1, '\(list.value)'), (2, '\(isJSON ? #"["ckcid0003"]"# : "ckcid0003")');
            """
        try await EngineFixture.with(dialect, script) { house in
            let plan = try await house.plan { plan in
                plan.set("drafts", .erase)
                plan.link(
                    "drafts",
                    Link(
                        columns: ["authors"], target: plan.name("people"), targetColumns: ["id"], role: .owner,
                        list: isJSON ? .json : .comma))
                plan.questions = []
            }
            let engine = try await house.engine(plan)
            let outcome = try await engine.erase([Self.one], options: ErasureOptions(residue: .leave))
            #expect(outcome.first?.receipt == nil, "the key is still in the list: \(outcome)")
            #expect(try await house.count("people") == 2, "SQL-01 identity stays")
            let other = try await engine.erase(["ckcid0003"], options: ErasureOptions(residue: .leave))
            #expect(other.first?.receipt?.erased == ["people": 1, "drafts": 1], "\(other)")
            #expect(try await house.rows("SELECT id FROM drafts") == ["1"])
        }
    }

    /// Documents with the key `KEY`, and whether it is a member of a list of another form.
    private static let documents = [
        ("[[9002], [KEY]]", true), (#""9002;KEY""#, true), (#"["9002, KEY"]"#, true), ("KEY", true), (#"[" KEY "]"#, true),
        (#"{"KEY": true}"#, false), (#"[{"n": KEY}]"#, false), (#"["v KEY"]"#, false), ("[KEY0, 7]", false), ("[KEY.5]", false),
        ("[-KEY]", false), ("[KEY]", false), (#"["KEY"]"#, false),
    ]

    @Test(
        "PL-9 BX-2 an integer key in JSON of numbers alone is found in any form of list, and a number beside a name is none",
        arguments: SQLDialect.allCases, [true, false])
    func numbers(_ dialect: SQLDialect, _ isOwning: Bool) async throws {
        let keys = Self.documents.indices.map { "\(7_001 + $0)" }
        let rows = zip(keys, Self.documents).map { "(\($0), '\($1.0.replacing("KEY", with: $0))')" }.joined(separator: ", ")
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE drafts (id integer PRIMARY KEY, authors \(dialect == .postgresql ? "jsonb" : "json"));
            INSERT INTO people VALUES \(keys.map { "(\($0), 'p\($0)@example.org')" }.joined(separator: ", "));
            INSERT INTO drafts VALUES \(rows);
            """
        try await EngineFixture.with(dialect, script) { house in
            let plan = try await house.plan { plan in
                plan.set("drafts", isOwning ? .erase : .anonymise)
                plan.link(
                    "drafts",
                    Link(
                        columns: ["authors"], target: plan.name("people"), targetColumns: ["id"], role: isOwning ? .owner : nil,
                        list: .json))
                plan.questions = []
            }
            let engine = try await house.engine(plan)
            for (key, (document, isLeft)) in zip(keys, Self.documents) {
                let outcome = try await engine.erase([key], options: ErasureOptions(residue: .leave))
                #expect((outcome.first?.receipt == nil) == isLeft, "\(document): \(outcome)")
            }
        }
    }
}
