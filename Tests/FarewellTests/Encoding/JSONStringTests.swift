// SPDX-License-Identifier: Apache-2.0
import Farewell
import Testing

@Suite("Strings of JSON")
struct JSONStringTests {
    @Test("what must be escaped has its short form, or else lower-case digits, and nothing else is escaped")
    func escapes() {
        #expect(JSONString.quoted("") == #""""#)
        #expect(JSONString.quoted("a/é\u{7f}\u{2028}😀") == "\"a/é\u{7f}\u{2028}😀\"")
        #expect(JSONString.quoted("\"\\") == #""\"\\""#)
        #expect(JSONString.quoted("x\u{8}\u{c}\n\r\t\u{0}\u{1f}y") == #""x\b\f\n\r\t\u0000\u001fy""#)
    }

    @Test("every text reads back, whatever stands before and after what is escaped")
    func readBack() throws {
        for scalar in (UInt32(0)..<0x180).compactMap(Unicode.Scalar.init) {
            for text in ["\(scalar)", "a\(scalar)", "\(scalar)b", "a\(scalar)\(scalar)b"] {
                let value = try StrictJSON.value(Array(JSONString.quoted(text).utf8), marks: .separated)
                #expect(value == .string(text), "U+\(String(scalar.value, radix: 16))")
            }
        }
    }
}
