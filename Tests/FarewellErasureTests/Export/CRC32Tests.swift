// SPDX-License-Identifier: Apache-2.0

@testable import FarewellErasure
import Testing

@Suite("The check of ZIP")
struct CRC32Tests {
    @Test("EX-1 the check of an archive's file is the one of its definition, however its bytes are divided")
    func definition() {
        var known = CRC32()
        known.add(Array("123456789".utf8))
        #expect(known.value == 0xcbf4_3926)
        let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 * 73 >> 1) }
        var expected: UInt32 = 0xffff_ffff
        for byte in bytes {
            expected ^= UInt32(byte)
            for _ in 0..<8 { expected = expected & 1 == 0 ? expected >> 1 : (expected >> 1) ^ 0xedb8_8320 }
        }
        for length in 0...bytes.count {
            var check = CRC32()
            check.add(Array(bytes.prefix(length)))
            check.add(Array(bytes.dropFirst(length)))
            #expect(check.value == ~expected, "\(length)")
        }
    }
}
