// SPDX-License-Identifier: Apache-2.0

/// The check of ZIP (polynomial 0xedb88320, reflected), eight bytes at a time (Intel's "slicing-by-8").
struct CRC32 {
    private var state: UInt32 = 0xffff_ffff

    var value: UInt32 { ~state }

    mutating func add(_ bytes: [UInt8]) {
        var state = state
        Self.tables.withUnsafeBufferPointer { tables in
            bytes.withUnsafeBytes { bytes in
                var place = 0
                while place + 8 <= bytes.count {
                    var word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                    word ^= UInt64(state)
                    state = 0
                    for table in 0..<8 {
                        // The first byte has the most bytes behind it.
                        state ^= tables[(7 - table) * 256 + Int(word >> (8 * UInt64(table)) & 0xff)]
                    }
                    place += 8
                }
                while place < bytes.count {
                    state = tables[Int(UInt8(truncatingIfNeeded: state) ^ bytes[place])] ^ (state >> 8)
                    place += 1
                }
            }
        }
        self.state = state
    }

    /// Eight tables of 256: what a byte adds that has none, one, … seven bytes behind it.
    private static let tables: [UInt32] = {
        var tables: [UInt32] = (0..<256).map { number in
            (0..<8).reduce(UInt32(number)) { value, _ in value & 1 == 0 ? value >> 1 : (value >> 1) ^ 0xedb8_8320 }
        }
        for place in 256..<8 * 256 {
            let before = tables[place - 256]
            tables.append(tables[Int(before & 0xff)] ^ (before >> 8))
        }
        return tables
    }()
}
