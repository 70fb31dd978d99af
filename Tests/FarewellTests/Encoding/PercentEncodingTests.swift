// SPDX-License-Identifier: Apache-2.0
import Farewell
import Testing

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test("all but unreserved characters are escaped, by bytes and in capitals, and a path keeps its slashes")
    func encoding() {
        #expect(PercentEncoding.text("aZ09-._~ /+%é") == "aZ09-._~%20%2F%2B%25%C3%A9")
        #expect(PercentEncoding.path("/a b/~c") == "/a%20b/~c")
        #expect(PercentEncoding.text(of: [0x61, 0xFF, 0x00]) == "a%FF%00")
        #expect(PercentEncoding.form([("a b", "c&d"), ("e", "")]) == Array("a%20b=c%26d&e=".utf8))
    }

    @Test("every byte reads back")
    func readBack() {
        let bytes = Array(UInt8.min...UInt8.max)
        let text = PercentEncoding.text(of: bytes)
        for written in [text, text.lowercased()] {
            let read = PercentEncoding.bytes(written.utf8)
            #expect(read == PercentEncoding.strictBytes(written.utf8))
            #expect(written == text ? read == bytes : read == bytes.map(\.withoutASCIICapital))
        }
    }

    @Test("a percent sign without two digits is itself, or an error where the text has to be encoded")
    func incomplete() {
        for text in ["%", "a%", "%4", "%g0", "%0g", "%%", "%+1", "%-1", "% 1", "50% off"] {
            #expect(PercentEncoding.bytes(text.utf8) == Array(text.utf8), "\(text)")
            #expect(PercentEncoding.strictBytes(text.utf8) == nil, "\(text)")
        }
        #expect(PercentEncoding.bytes("%%41%4%41".utf8) == Array("%A%4A".utf8))
        #expect(PercentEncoding.bytes("a+b%2B".utf8) == Array("a+b+".utf8))
        #expect(PercentEncoding.bytes("a+b%2B".utf8, plus: .space) == Array("a b+".utf8))
        #expect(PercentEncoding.strictBytes("a+b%2b".utf8, plus: .space) == Array("a b+".utf8))
    }
}
