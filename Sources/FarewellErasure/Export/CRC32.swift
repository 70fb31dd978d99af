// SPDX-License-Identifier: Apache-2.0

/// The check of ZIP (polynomial 0xedb88320, reflected).
struct CRC32 {
    private var state: UInt32 = 0xffff_ffff

    var value: UInt32 { ~state }

    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { state = Self.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ (state >> 8) }
    }

    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { value, _ in value & 1 == 0 ? value >> 1 : (value >> 1) ^ 0xedb8_8320 }
    }
}
