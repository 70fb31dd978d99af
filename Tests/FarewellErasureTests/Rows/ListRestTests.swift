// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellErasure
import FarewellSQL
import Foundation
import TestFixtures
import Testing

@Suite("Everything except the subject in a document or a list stays as written")
struct ListRestTests {
    private static let options = [ErasureOptions(), ErasureOptions(largeAccount: 1, residue: .leave)]

    private static func link(
        _ plan: Plan, _ column: String, path: [String] = [], list: Link.ListForm? = nil, role: Link.Role? = nil
    ) -> Link {
        Link(
            columns: [column], path: path, target: plan.name("people"), targetColumns: ["id"], role: role, list: list)
    }

    /// Documents without the spaces between their parts.
    private static func rows(_ query: String, in house: EngineFixture) async throws -> [String] {
        try await house.rows(query).map { $0.replacing(", ", with: ",").replacing(": ", with: ":") }
    }

    @Test(
        "PL-3 PL-9 a document keeps its other numbers, texts, repeated members and their order",
        arguments: SQLDialect.allCases)
    func documents(_ dialect: SQLDialect) async throws {
        // Older versions of SQLite find no member whose name is written with an escape.
        let name = dialect == .postgresql ? #"\u0061"# : "a"
        let rest = #"18446744073709551615,12345678901234567890123,1.10,1.0000000000000001,"\u00e9\u0000\"\\",{"b":1.0,"a":2,"b":3}"#
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE rooms (id integer PRIMARY KEY, members json, settings json, doc json);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO rooms VALUES (1, '[2,1,\(rest),"1"]', '{"z":[\(rest)],"\(name)":{"n":1.10,"who":[2,1,\(rest)]},"z":1.10}',
                '{"z":[\(rest)],"x":{"m":1.10,"owner":1,"k":2.50},"z":1.10}'),
                (2, '[2,\(rest)]', '{"a":{"who":[2]}}', '{"x":{"owner":2}}');
            """
        for options in Self.options {
            try await EngineFixture.with(dialect, script) { house in
                let plan = try await house.plan { plan in
                    plan.set("rooms", .anonymise)
                    plan.link(
                        "rooms", Self.link(plan, "members", list: .json),
                        Self.link(plan, "settings", path: ["a", "who"], list: .json),
                        Self.link(plan, "doc", path: ["x", "owner"], role: .reference))
                }
                let engine = try await house.engine(plan)
                let outcome = try await engine.erase(["1"], options: options)
                #expect(outcome.first?.receipt?.anonymised == ["rooms": 1], "\(outcome)")
                #expect(
                    try await Self.rows("SELECT id, members FROM rooms", in: house)
                        == ["1 [2,\(rest)]", "2 [2,\(rest)]"])
                #expect(
                    try await Self.rows("SELECT settings FROM rooms WHERE id = 1", in: house)
                        == [#"{"z":[\#(rest)],"\#(name)":{"n":1.10,"who":[2,\#(rest)]},"z":1.10}"#])
                #expect(
                    try await Self.rows("SELECT doc FROM rooms WHERE id = 1", in: house)
                        == [#"{"z":[\#(rest)],"x":{"m":1.10,"k":2.50},"z":1.10}"#])
                #expect(try await engine.verify("1", extent: .none).isClean)
            }
        }
    }

    @Test(
        "PL-9 a list keeps its other members as written, with and without escapes and quotes",
        arguments: SQLDialect.allCases)
    func members(_ dialect: SQLDialect) async throws {
        let plain = #""x y","ä🙂",7,-3,0,-0,1.10,1e2,18446744073709551615,true,false,null,{"a":1.0},[2,"1"],"","10""#
        let rests = [plain, plain + #","\u00e9""#, plain + ",\"it''s\""]
        let values = rests.enumerated().map { "(\($0 + 1), '[1,\($1),\"1\"]', '{\"who\":[\($1),1]}')" }
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE rooms (id integer PRIMARY KEY, members json, settings json);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO rooms VALUES \(values.joined(separator: ", "));
            """
        try await EngineFixture.with(dialect, script) { house in
            let plan = try await house.plan { plan in
                plan.set("rooms", .anonymise)
                plan.link(
                    "rooms", Self.link(plan, "members", list: .json),
                    Self.link(plan, "settings", path: ["who"], list: .json))
            }
            let outcome = try await house.engine(plan).erase(["1"])
            #expect(outcome.first?.receipt?.anonymised == ["rooms": 3], "\(outcome)")
            let expected = rests.map { $0.replacing("''", with: "'") }
            let found = try await Self.rows("SELECT members, settings FROM rooms ORDER BY id", in: house)
            #expect(found.sorted() == expected.map { "[\($0)] {\"who\":[\($0)]}" }.sorted())
        }
    }

    @Test("SY-3 SY-13 text that jsonb refuses in another user's document stops no erasure, and hides no row of the subject")
    func refusedText() async throws {
        // The last one is a backslash and half of a pair, which together look like a whole one.
        let refused = [#""\u0000""#, #""\ud83d""#, #""\ude00x""#, "1e999999", #""\\ud83d\ude00""#]
        var values: [String] = []
        for (place, text) in refused.enumerated() {
            let (other, own) = (10 + place, 20 + place)
            values.append(#"(\#(other), '[2, \#(text)]', '{"who":[2, \#(text)], "k":\#(text)}', '{"owner":2, "k":\#(text)}')"#)
            values.append(#"(\#(own), '[1, \#(text)]', '{"who":[1, \#(text)], "k":\#(text)}', '{"owner":2, "k":\#(text)}')"#)
            values.append(#"(\#(own + 10), '[]', '{"k":\#(text)}', '{"k":\#(text), "owner":"1"}')"#)
        }
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE rooms (id integer PRIMARY KEY, members json, settings json);
            CREATE TABLE docs (id integer PRIMARY KEY, doc json);
            CREATE TABLE source (id integer, members json, settings json, doc json);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO source VALUES \(values.joined(separator: ", "));
            INSERT INTO rooms SELECT id, members, settings FROM source WHERE id < 30;
            INSERT INTO docs SELECT id, doc FROM source;
            DROP TABLE source;
            """
        for options in Self.options {
            try await EngineFixture.with(.postgresql, script) { house in
                let plan = try await house.plan { plan in
                    plan.set("rooms", .anonymise)
                    plan.link(
                        "rooms", Self.link(plan, "members", list: .json),
                        Self.link(plan, "settings", path: ["who"], list: .json))
                    plan.set("docs", .erase)
                    plan.link("docs", Self.link(plan, "doc", path: ["owner"], role: .owner))
                }
                let engine = try await house.engine(plan)
                #expect(try await engine.preview("1").places.filter(\.isOthers).map(\.count) == [refused.count])
                let outcome = try await engine.erase(["1"], options: options)
                #expect(
                    outcome.first?.receipt?.erased == ["people": 1, "docs": refused.count], "\(outcome)")
                let kept = refused.enumerated().flatMap { place, text in
                    [
                        #"\#(10 + place) [2,\#(text)] {"who":[2,\#(text)],"k":\#(text)}"#,
                        #"\#(20 + place) [\#(text)] {"who":[\#(text)],"k":\#(text)}"#,
                    ]
                }
                #expect(
                    try await Self.rows("SELECT id, members::text, settings::text FROM rooms ORDER BY id", in: house)
                        == kept.sorted())
                #expect(try await house.rows("SELECT count(*) FROM docs") == ["\(2 * refused.count)"])
                #expect(try await engine.verify("1", extent: .none).isClean)
            }
        }
    }

    @Test("PL-3 PL-9 arrays keep their lower bound, and arrays of arrays keep the positions of their members")
    func shapes() async throws {
        let script = """
            CREATE TABLE people (id integer PRIMARY KEY, email text);
            CREATE TABLE rooms (id integer PRIMARY KEY, members integer[], names text[]);
            INSERT INTO people VALUES (1, 'one@example.org'), (2, 'two@example.org');
            INSERT INTO rooms VALUES (1, '{{1,2},{3,1}}', '{{"a b","1"}}'), (2, '{{2,3}}', '[5:6]={2,3}'),
                (3, '[0:2]={7,1,8}', '[-1:0]={1,"x,y"}'), (4, '[3:3]={1}', '{1,{}}'),
                (5, '[2:3][0:1]={{1,2},{1,NULL}}', '{{{1},{2}},{{3},{1}}}');
            """.replacing("'{1,{}}'", with: #"'{1,"{}"}'"#)
        for options in Self.options {
            try await EngineFixture.with(.postgresql, script) { house in
                let plan = try await house.plan { plan in
                    plan.set("rooms", .anonymise)
                    plan.link("rooms", Self.link(plan, "members", list: .array), Self.link(plan, "names", list: .array))
                }
                let engine = try await house.engine(plan)
                let outcome = try await engine.erase(["1"], options: options)
                #expect(outcome.first?.receipt?.anonymised == ["rooms": 4], "\(outcome)")
                #expect(
                    try await house.rows("SELECT id, members::text, names::text FROM rooms ORDER BY id") == [
                        "1 {{NULL,2},{3,NULL}} {{\"a b\",NULL}}", "2 {{2,3}} [5:6]={2,3}",
                        "3 [0:1]={7,8} [-1:-1]={\"x,y\"}", "4 {} {\"{}\"}",
                        "5 [2:3][0:1]={{NULL,2},{NULL,NULL}} {{{NULL},{2}},{{3},{NULL}}}",
                    ])
                #expect(try await engine.verify("1", extent: .none).isClean)
            }
        }
    }
}
