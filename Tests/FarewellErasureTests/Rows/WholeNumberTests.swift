// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import TestFixtures
import Testing

@Suite("Whole numbers in JSON, however they are written")
struct WholeNumberTests {
    private static let spellings = [
        "12345678", "12345678.0", "12345678.000", "12345678.00000000000000",
        "1.2345678e7", "1.23456780E+7", #""12345678""#,
    ]
    private static let others = [
        "12345678.5", "123456780", "1234567.80", "12345678.01", "1e300",
        "12345678.0000000001", #""1.2345678e7x""#, "null", "true",
    ]

    @Test(
        "PL-9 a list in JSON loses an integer key however the number is written, and other numbers stay",
        arguments: [(SQLDialect.sqlite, "json"), (.postgresql, "json"), (.postgresql, "jsonb")])
    func members(_ dialect: SQLDialect, _ type: String) async throws {
        let rows = Self.spellings.enumerated().map { "(\($0 + 1), '[7, \($1), 8]', '{\"a\": [\($1)]}')" }
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE rooms (id integer PRIMARY KEY, members \(type), settings \(type));
            INSERT INTO people VALUES (12345678, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO rooms VALUES \(rows.joined(separator: ", ")), (99, '[\(Self.others.joined(separator: ", "))]', '{"a": [5]}');
            """
        for options in [ErasureOptions(), ErasureOptions(largeAccount: 1, residue: .leave)] {
            try await EngineFixture.with(dialect, script) { house in
                let before = try await house.rows("SELECT members, settings FROM rooms WHERE id = 99")
                let plan = try await house.plan { plan in
                    plan.set("rooms", .anonymise)
                    plan.link(
                        "rooms",
                        Link(columns: ["members"], target: plan.name("people"), targetColumns: ["id"], list: .json),
                        Link(columns: ["settings"], path: ["a"], target: plan.name("people"), targetColumns: ["id"], list: .json))
                }
                let engine = try await house.engine(plan)
                let outcome = try await engine.erase(["12345678"], options: options)
                #expect(outcome.first?.receipt?.anonymised == ["rooms": Self.spellings.count], "\(type) \(outcome)")
                let rest = try await house.rows("SELECT members, settings FROM rooms WHERE id < 99 ORDER BY id")
                #expect(Set(rest.map { $0.replacing(" ", with: "") }) == [#"[7,8]{"a":[]}"#], "\(type) \(rest)")
                #expect(try await house.rows("SELECT members, settings FROM rooms WHERE id = 99") == before)
            }
        }
    }

    @Test(
        "PL-9 a value in JSON names its row by an integer key however the number is written",
        arguments: [(SQLDialect.sqlite, "text"), (.postgresql, "json"), (.postgresql, "jsonb")])
    func values(_ dialect: SQLDialect, _ type: String) async throws {
        // SQLite itself compares such values as rounded numbers.
        let others = Self.others.filter { dialect == .postgresql || $0 != "12345678.0000000001" }
        let rows = (Self.spellings + others).enumerated().map { "(\($0 + 1), '{\"by\": {\"id\": \($1)}}')" }
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE notes (id integer PRIMARY KEY, body \(type));
            INSERT INTO people VALUES (12345678, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO notes VALUES \(rows.joined(separator: ", "));
            """
        try await EngineFixture.with(dialect, script) { house in
            let plan = try await house.plan { plan in
                plan.set("notes", .erase)
                plan.link(
                    "notes", Link(columns: ["body"], path: ["by", "id"], target: plan.name("people"), targetColumns: ["id"]))
            }
            let outcome = try await house.engine(plan).erase(["12345678"])
            #expect(outcome.first?.receipt?.erased["notes"] == Self.spellings.count, "\(type) \(outcome)")
            let left = try await house.rows("SELECT id FROM notes")
            #expect(Set(left) == Set((1...others.count).map { String(Self.spellings.count + $0) }), "\(type)")
        }
    }

    @Test("PL-9 SQLite: a list that loses several members keeps every other member as it is written, whatever it is")
    func written() async throws {
        let others = #"1.50,12345678901234567890123,1e2,-0.0,"a\u0041b","it''s",{"a":[1.0,7.0]},[12345678],null,true,0,"","12 ""#
        let many = Array(repeating: "12345678,1.5,12345678.0", count: 9).joined(separator: ",")
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE rooms (id integer PRIMARY KEY, members json, settings json);
            INSERT INTO people VALUES (12345678, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO rooms VALUES (1, '[12345678,\(others),12345678.0]', '{"b":1.50,"a":["12345678",2.50]}'),
                (2, '[\(many)]', '{"a":[\(many)]}'), (3, '[12345678.0]', '{"a":[]}'), (4, '["x","y",12345678]', '{"a":[3]}');
            """
        try await EngineFixture.with(.sqlite, script) { house in
            let plan = try await house.plan { plan in
                plan.set("rooms", .anonymise)
                plan.link(
                    "rooms", Link(columns: ["members"], target: plan.name("people"), targetColumns: ["id"], list: .json),
                    Link(columns: ["settings"], path: ["a"], target: plan.name("people"), targetColumns: ["id"], list: .json))
            }
            let outcome = try await house.engine(plan).erase(["12345678"], options: ErasureOptions(residue: .leave))
            #expect(outcome.first?.receipt?.anonymised == ["rooms": 4], "\(outcome)")
            let halves = Array(repeating: "1.5", count: 9).joined(separator: ",")
            #expect(
                Set(try await house.rows("SELECT members, settings FROM rooms")) == [
                    "[\(others.replacing("''", with: "'"))] " + #"{"b":1.50,"a":[2.50]}"#,
                    "[\(halves)] {\"a\":[\(halves)]}", #"[] {"a":[]}"#, #"["x","y"] {"a":[3]}"#,
                ])
        }
    }

    /// A look at each written number would take hours: each passes all numbers before it.
    @Test("PL-9 SQLite: a long list of numbers with a point delays no erasure, with the subject in it or not", .timeLimit(.minutes(30)))
    func long() async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE rooms (id integer PRIMARY KEY, members json);
            INSERT INTO people VALUES (12345678, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO rooms VALUES (2, '[12345678.0,12345678.0000000001,2]');
            INSERT INTO rooms WITH RECURSIVE n (v) AS (SELECT 20000001 UNION ALL SELECT v + 1 FROM n WHERE v < 20100000)
                SELECT 3, '[12345678.0,' || group_concat(v || '.5') || ',12345678]' FROM n;
            INSERT INTO rooms WITH RECURSIVE n (v) AS (SELECT 20000001 UNION ALL SELECT v + 1 FROM n WHERE v < 20500000)
                SELECT 1, '[2,' || group_concat(v || '.0') || ']' FROM n;
            """
        try await EngineFixture.with(.sqlite, script) { house in
            let plan = try await house.plan { plan in
                plan.set("rooms", .anonymise)
                plan.link("rooms", Link(columns: ["members"], target: plan.name("people"), targetColumns: ["id"], list: .json))
            }
            let outcome = try await house.engine(plan).erase(["12345678"], options: ErasureOptions(residue: .leave))
            #expect(outcome.first?.receipt?.anonymised == ["rooms": 2], "\(outcome)")
            #expect(try await house.rows("SELECT members FROM rooms WHERE id = 2") == ["[12345678.0000000001,2]"])
            let rest = "json_array_length(members), members LIKE '[20000001.5,%,20100000.5]'"
            #expect(try await house.rows("SELECT \(rest) FROM rooms WHERE id = 3") == ["100000 1"])
        }
    }
}
