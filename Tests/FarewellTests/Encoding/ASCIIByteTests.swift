// SPDX-License-Identifier: Apache-2.0
import Farewell
import Testing

@Suite("The classes of ASCII characters")
struct ASCIIByteTests {
    @Test("each of the 256 bytes is in the classes whose characters it is, and in no other")
    func classes() {
        let (capitals, small) = ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
        let digits = "0123456789"
        for byte in UInt8.min...UInt8.max {
            #expect(byte.isASCIIDigit == digits.utf8.contains(byte), "\(byte)")
            #expect(byte.isASCIICapital == capitals.utf8.contains(byte), "\(byte)")
            #expect(byte.isASCIISmallLetter == small.utf8.contains(byte), "\(byte)")
            #expect(byte.isASCIILetter == (capitals + small).utf8.contains(byte), "\(byte)")
            #expect(byte.isASCIILetterOrDigit == (capitals + small + digits).utf8.contains(byte), "\(byte)")
            #expect(byte.isUnreserved == (capitals + small + digits + "-._~").utf8.contains(byte), "\(byte)")
            let place = capitals.utf8.enumerated().first { $0.element == byte }?.offset
            #expect(byte.withoutASCIICapital == (place.map { Array(small.utf8)[$0] } ?? byte), "\(byte)")
            let value = ["0123456789abcdef", "0123456789ABCDEF"].compactMap { alphabet in
                alphabet.utf8.enumerated().first { $0.element == byte }.map { UInt8($0.offset) }
            }.first
            #expect(byte.hexadecimalValue == value, "\(byte)")
        }
    }
}
