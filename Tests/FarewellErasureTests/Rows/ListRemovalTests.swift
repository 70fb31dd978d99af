// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("The subject is removed from lists")
struct ListRemovalTests {
    private static let large = ErasureOptions(largeAccount: 1, residue: .leave)

    private static func list(
        _ plan: Plan, _ column: String, _ form: Link.ListForm, path: [String] = [], target: String = "people",
        role: Link.Role? = nil, where condition: [String: [String]] = [:]
    ) -> Link {
        Link(
            columns: [column], path: path, target: plan.name(target), targetColumns: ["id"], role: role,
            condition: LinkCondition(condition.map { .init(column: $0.key, values: $0.value) }), list: form)
    }

    @Test("PL-9 SCH-04 arrays of numbers, UUIDs and text lose the subject's member and keep the order of the rest")
    func arrays() async throws {
        let (one, two) = ("00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b")
        let script = """
            CREATE TABLE people (id bigint PRIMARY KEY, code uuid UNIQUE, email text);
            CREATE TABLE posts (id bigint PRIMARY KEY, author bigint REFERENCES people);
            CREATE TABLE rooms (id integer PRIMARY KEY, members bigint[], small integer[] NOT NULL, names text[], pinned bigint[]);
            CREATE TABLE codes (id integer PRIMARY KEY, codes uuid[]);
            INSERT INTO people VALUES (1, '\(one)', 'x'), (2, '\(two)', 'y');
            INSERT INTO posts VALUES (10, 1), (20, 2);
            INSERT INTO rooms VALUES (1, '{3,1,2,1}', '{1}', '{b,1,a}', '{20,10}'), (2, '{2,11}', '{11}', '{11}', '{20}'),
                (3, NULL, '{}', NULL, NULL), (4, '{1,NULL,2}', '{2}', '{}', '{}');
            INSERT INTO codes VALUES (1, '{\(two),\(one)}'), (2, '{\(two)}');
            """
        for options in [ErasureOptions(), Self.large] {
            try await EngineFixture.with(.postgresql, script) { house in
                let plan = try await house.plan { plan in
                    plan.set("rooms", .anonymise)
                    plan.link(
                        "rooms", Self.list(plan, "members", .array), Self.list(plan, "small", .array),
                        Self.list(plan, "names", .array), Self.list(plan, "pinned", .array, target: "posts"))
                    plan.set("codes", .anonymise)
                    plan.link(
                        "codes",
                        Link(columns: ["codes"], target: plan.name("people"), targetColumns: ["code"], list: .array))
                }
                let engine = try await house.engine(plan)
                let preview = try await engine.preview("1")
                #expect(preview.places.filter(\.isOthers).map(\.count) == [1, 2], "\(preview.places)")
                let outcome = try await engine.erase(["1"], options: options)
                #expect(outcome.first?.receipt?.anonymised == ["rooms": 2, "codes": 1], "\(outcome)")
                #expect(
                    try await house.rows("SELECT id, members::text, small::text, names::text, pinned::text FROM rooms")
                        == ["1 {3,2} {} {b,a} {20}", "2 {2,11} {11} {11} {20}", "3 - {} - -", "4 {NULL,2} {2} {} {}"])
                #expect(try await house.rows("SELECT id, codes::text FROM codes") == ["1 {\(two)}", "2 {\(two)}"])
            }
        }
    }

    @Test("PL-9 JSON arrays and comma lists lose the subject's member and nothing else", arguments: SQLDialect.allCases)
    func jsonAndText(_ dialect: SQLDialect) async throws {
        let json = dialect == .postgresql ? "::jsonb" : ""
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE rooms (id integer PRIMARY KEY, kind text, members {json}, settings {json}, names text);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO rooms VALUES
                (1, 'user', '[3, 1, "1", true, null, {"id": 1}, [1], 2.5, "a,b"]'\(json),
                    '{"a": {"who": [2, 1]}, "b": 1}'\(json), '1, 2,11'),
                (2, 'user', '[11, 2]'\(json), '{"a": {"who": [2]}}'\(json), '11,21'),
                (3, 'user', '{"id": 1}'\(json), '{"a": 1}'\(json), ''), (4, 'team', '[1]'\(json), '{}'\(json), '2,1'),
                (5, 'user', NULL, NULL, NULL), (6, 'user', '[1]'\(json), '{"a": {"who": [1]}}'\(json), ' 1 ');
            """
        for options in [ErasureOptions(), Self.large] {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    plan.set("rooms", .anonymise)
                    plan.link(
                        "rooms", Self.list(plan, "members", .json, where: ["kind": ["user"]]),
                        Self.list(plan, "settings", .json, path: ["a", "who"]), Self.list(plan, "names", .comma))
                }
                let engine = try await house.engine(plan)
                #expect(try await engine.preview("1").places.filter(\.isOthers).map(\.count) == [3])
                let outcome = try await engine.erase(["1"], options: options)
                #expect(outcome.first?.receipt?.anonymised == ["rooms": 3], "\(outcome)")
                func read(_ column: String) async throws -> [String] {
                    try await house.rows("SELECT id, \(column) FROM rooms").map { $0.replacing(", ", with: ",").replacing(": ", with: ":") }
                }
                #expect(
                    try await read("members") == [
                        #"1 [3,true,null,{"id":1},[1],2.5,"a,b"]"#, "2 [11,2]", #"3 {"id":1}"#, "4 [1]", "5 -", "6 []",
                    ])
                #expect(
                    try await read("settings") == [
                        #"1 {"a":{"who":[2]},"b":1}"#, #"2 {"a":{"who":[2]}}"#, #"3 {"a":1}"#, "4 {}", "5 -",
                        #"6 {"a":{"who":[]}}"#,
                    ])
                #expect(try await house.rows("SELECT id, names FROM rooms") == ["1 2,11", "2 11,21", "3 ", "4 2", "5 -", "6 "])
                #expect(try await engine.verify("1", extent: .none).isClean)
            }
        }
    }

    @Test("PL-9 a list that owns its rows erases them, whatever other members they have", arguments: SQLDialect.allCases)
    func owning(_ dialect: SQLDialect) async throws {
        let json = dialect == .postgresql ? "::jsonb" : ""
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE chats (id integer PRIMARY KEY, members {json});
            CREATE TABLE lines (id integer PRIMARY KEY, chat integer NOT NULL REFERENCES chats ON DELETE CASCADE);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO chats VALUES (1, '[1, 2]'\(json)), (2, '[2]'\(json)), (3, '[]'\(json)), (4, '[1]'\(json));
            INSERT INTO lines VALUES (1, 1), (2, 2), (3, 4);
            """
        for options in [ErasureOptions(), Self.large] {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    plan.set("chats", .erase)
                    plan.link("chats", Self.list(plan, "members", .json, role: .owner))
                    plan.set("lines", .erase)
                    plan.link(
                        "lines",
                        Link(columns: ["chat"], target: plan.name("chats"), targetColumns: ["id"], onDelete: .cascade))
                }
                let outcome = try await house.engine(plan).erase(["1"], options: options)
                #expect(outcome.first?.receipt?.erased == ["people": 1, "chats": 2, "lines": 2], "\(outcome)")
                #expect(try await house.rows("SELECT id FROM chats") == ["2", "3"])
            }
        }
    }
}
