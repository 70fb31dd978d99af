// SPDX-License-Identifier: Apache-2.0
import Farewell
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test("all bytes are written in lower case and read back in either case, from any sequence")
    func readBack() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect([0x00, 0x0A, 0x1B, 0xFF].hexadecimal == "000a1bff" && [UInt8]().hexadecimal.isEmpty)
        for text in [bytes.hexadecimal, bytes.hexadecimal.uppercased()] {
            #expect(text.utf8.hexadecimalBytes == bytes)
            #expect(AnySequence(text.utf8).hexadecimalBytes == bytes)
            #expect(Array("\\x\(text)".utf8).dropFirst(2).hexadecimalBytes == bytes)
        }
        #expect("".utf8.hexadecimalBytes == [])
    }

    @Test("half a byte, a sign, white space and other letters are no bytes")
    func refused() {
        for text in ["0", "000", "+1", "-1", "1+", "0x", " 1", "1 ", "0g", "g0", "1\u{660}", "00 00"] {
            #expect(text.utf8.hexadecimalBytes == nil, "\(text)")
        }
    }
}
