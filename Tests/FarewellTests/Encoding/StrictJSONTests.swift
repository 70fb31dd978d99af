// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Farewell

@Suite("JSON with only one reading")
struct StrictJSONTests {
    private func value(_ text: String, depth: Int = 16) throws -> JSONValue {
        try StrictJSON.value(Array(text.utf8), depth: depth)
    }

    @Test("values of every kind are read")
    func kinds() throws {
        let text = #" {"a": [1, -2.5e3, true, false, null, {}], "b" : "x\u0041\n\"\\\/\ud83d\ude00ü", "c":[]} "#
        let read = try value(text)
        #expect(
            read["a"]
                == .array([.integer(1), .number(-2500), .boolean(true), .boolean(false), .null, .object([:])]))
        #expect(read["b"]?.string == "xA\n\"\\/😀ü")
        #expect(read["c"]?.array == [])
        #expect(read["d"] == nil && JSONValue.null["a"] == nil)
    }

    @Test("the library's own coders write a parsed value and read it back")
    func coders() throws {
        let text = #"{"a":[1,2.5,true,null,"x",{"b":9007199254740993}]}"#
        let read = try value(text)
        #expect(try CanonicalJSON.value(JSONValue.self, from: try CanonicalJSON.data(read)) == read)
        #expect(try String(decoding: CanonicalJSON.data(read), as: UTF8.self) == text)
        #expect(read["a"]?.array == [1, .number(2.5), true, .null, "x", .object(["b": 9_007_199_254_740_993])])
        #expect(read.string == nil && read.boolean == nil && read.integer == nil && JSONValue.boolean(true).boolean == true)
    }

    @Test("a whole number is exact within 64 bits, and any other number has the value of its digits")
    func numbers() throws {
        #expect(try value("9223372036854775807").integer == .max)
        #expect(try value("-9223372036854775808").integer == .min)
        #expect(try value("9007199254740993").integer == 9_007_199_254_740_993)
        #expect(try value("9223372036854775808") == .number(9_223_372_036_854_775_808))
        #expect(try value("1.0") == .number(1))
        #expect(try value("1e3") == .number(1000))
        #expect(try value("-0") == .integer(0))
    }

    @Test(
        "text that is not JSON is a fault",
        arguments: [
            "", " ", "{", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "'a'", "tru", "nul", "truely", "1 2", "{} x",
            "01", "-", "1.", ".5", "+1", "1e", "1e+", "NaN", "Infinity", "-Infinity", "0x10", "\"a", "\"\\x\"", "\"\\u12\"",
            "/*a*/1", "[1 2]", "\u{feff}1", "{\"a\":1 \"b\":2}",
        ])
    func syntax(text: String) {
        #expect(throws: StrictJSON.Fault.syntax) { try value(text) }
    }

    @Test(
        "a duplicate member is a fault, in any spelling and at any position",
        arguments: [
            #"{"alg":"none","alg":"ES256"}"#, #"{"alg":1,"\u0061lg":1}"#, #"{"a":[{"b":1,"c":2,"b":1}]}"#,
        ])
    func duplicates(text: String) {
        #expect(throws: StrictJSON.Fault.duplicateMember) { try value(text) }
    }

    @Test("members whose names are equal in Unicode are a separate fault, since other readers distinguish them")
    func alike() {
        #expect(throws: StrictJSON.Fault.alikeMembers) { try value("{\"caf\u{e9}\":1,\"cafe\u{301}\":2}") }
        #expect(throws: StrictJSON.Fault.alikeMembers) { try value(#"{"K":1,"\u212a":2}"#) }
        #expect(throws: StrictJSON.Fault.duplicateMember) { try value(#"{"cafe\u0301":1,"cafe\u0301":2}"#) }
    }

    @Test(
        "half a surrogate pair is a fault",
        arguments: [#""\ud83d""#, #""\ude00""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\ud83d""#])
    func text(text: String) {
        #expect(throws: StrictJSON.Fault.text) { try value(text) }
    }

    @Test("a control character in a text is a fault", arguments: ["\"\u{1}\"", "\"a\tb\"", "\"a\nb\"", "\"a\\n\nb\"", "{\"a\t\":1}"])
    func control(text: String) {
        #expect(throws: StrictJSON.Fault.control) { try value(text) }
    }

    @Test(
        "bytes that are not UTF-8 are a fault",
        arguments: [
            [0x22, 0xff, 0x22], [0x22, 0xc0, 0xaf, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xe2, 0x82, 0x22],
        ] as [[UInt8]])
    func bytes(bytes: [UInt8]) {
        #expect(throws: StrictJSON.Fault.text) { try StrictJSON.value(bytes) }
    }

    @Test("a number beyond the representable range is a fault", arguments: ["1e999", "-1e999", String(repeating: "1", count: 65)])
    func immense(text: String) {
        #expect(throws: StrictJSON.Fault.number) { try value(text) }
    }

    @Test("nesting ends at the given depth, not at the end of the stack")
    func depth() throws {
        #expect(try value("[[{\"a\":1}]]", depth: 3).array?.count == 1)
        #expect(throws: StrictJSON.Fault.depth) { try value("[[{\"a\":1}]]", depth: 2) }
        #expect(throws: StrictJSON.Fault.depth) { try value(String(repeating: "[", count: 100_000)) }
        #expect(throws: StrictJSON.Fault.depth) { try value(String(repeating: "{\"a\":", count: 100_000)) }
    }
}
