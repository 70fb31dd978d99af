// SPDX-License-Identifier: Apache-2.0

import Farewell
import Testing

@Suite("JSON that is passed on as written")
struct RawJSONTests {
    private static func copy(_ text: String, leavingOut names: Set<String> = []) throws -> String {
        let bytes = try RawJSON(Array(text.utf8)).leavingOut { name, _, _ in names.contains(name) }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("EX-1 numbers, texts and members whose names are equal in Unicode stay as written")
    func exact() throws {
        let text =
            #"{"caf\#u{e9}":-0.0,"cafe\#u{301}":1E+400,"a":[12345678901234567890.10,"\ud834\udd1e\/",true,null,{}],"":"\#u{65e5}"}"#
        #expect(try Self.copy(" \(text)\n") == text)
        #expect(try Self.copy("[ 1 , [ ] , { \"b\" : false } ]") == #"[1,[],{"b":false}]"#)
        let value = try RawJSON(Array(text.utf8))
        #expect(value.members?.count == 4 && value["a"]?.elements?.count == 5)
        #expect(value["a"]?.elements?[1].string == "\u{1d11e}/" && value["cafe\u{301}"]?.value == nil)
        #expect(value.value == nil && value["b"] == nil && value.elements == nil)
    }

    @Test("EX-3 members are left out at any depth and position")
    func without() throws {
        let text = #"{"x":{"key":1},"a":[{"x":2},{"b":3,"\u0078":[4],"c":{"x":"}"}}],"x":5}"#
        #expect(try Self.copy(text, leavingOut: ["x"]) == #"{"a":[{},{"b":3,"c":{}}]}"#)
        let parents = Guarded<[String]>([])
        _ = try RawJSON(Array(#"{"a":{"b":[{"c":1}]}}"#.utf8)).leavingOut { name, _, parent in
            parents.withLock { $0.append("\(parent ?? "-") \(name)") }
            return false
        }
        #expect(parents.withLock { $0 } == ["- a", "a b", "b c"])
    }

    @Test("SY-3 a document of any depth is read and copied, and a name that is not text hides no other member")
    func strange() throws {
        let deep = String(repeating: #"{"d":["#, count: 50_000) + String(repeating: "]}", count: 50_000)
        let text = #"{"\ud800":1,"x":\#(deep),"one":-12,"half":1.5,"yes":true,"none":null}"#
        let value = try RawJSON(Array(text.utf8), depth: .max)
        let copy = try value.leavingOut { name, _, _ in name == "yes" }
        #expect(String(decoding: copy, as: UTF8.self) == text.replacing(#","yes":true"#, with: ""))
        #expect(value.members?.count == 6 && value["one"]?.integer == -12 && value["half"]?.integer == nil)
        #expect(value["yes"]?.boolean == true && value["none"]?.isNull == true && value["x"]?.isObject == true)
        #expect(value["x"]?.value == nil && value["x"]?["d"]?.elements?.count == 1)
        #expect(throws: StrictJSON.Fault.depth) { try RawJSON(Array(text.utf8), depth: 1_000) }
    }

    @Test("EX-3 the beginning of a value determines its type")
    func beginning() throws {
        let beginnings = try ["\"\"", #""a""#, "{}", #"{ "S" : "x" }"#, "[1]"].map { try RawJSON(Array($0.utf8)).beginning }
        #expect(beginnings.map(\.isEmptyText) == [true, false, false, false, false])
        #expect(beginnings.map(\.firstName) == [nil, nil, nil, "S", nil])
    }

    @Test("EX-2 of two members with one name neither is taken")
    func twice() throws {
        let value = try RawJSON(Array(#"{"id":"mine","id":"theirs","one":1}"#.utf8))
        #expect(value["id"] == nil && value["one"]?.value == 1)
    }

    @Test(
        "EX-1 text that is not JSON is refused",
        arguments: [
            "", "{", "[1,]", "[1 2]", "{\"a\":}", "{\"a\" 1}", "{a:1}", "01", "1.", "-", "1e", "tru", "nul", "\"a", "\"\\x\"",
            "\"\\u00g0\"",
            "\"\n\"", "{} {}", "[1]]", "'a'", "{\"a\":1,}", String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
        ])
    func refused(_ text: String) {
        #expect(throws: StrictJSON.Fault.self) { try RawJSON(Array(text.utf8)) }
    }

    @Test("EX-1 bytes that are not UTF-8 are refused")
    func invalid() {
        for bytes in [[0x22, 0xff, 0x22], [0x22, 0xc3, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]] as [[UInt8]] {
            #expect(throws: StrictJSON.Fault.text) { try RawJSON(bytes) }
        }
    }
}
