// SPDX-License-Identifier: Apache-2.0

/// Points of edwards25519 whose order is 1, 2, 4 or 8 (RFC 7748, section 7, warns of similar ones): under such a key
/// anyone can sign anything, so it is refused.
enum WeakPoint {
    /// The y of each, little-endian; with the second spelling that 0 and 1 have.
    private static let ordinates: Set<[UInt8]> = {
        let zeros = [UInt8](repeating: 0, count: 31)
        let ones = [UInt8](repeating: 0xff, count: 30) + [0x7f]
        // The field's prime is 2^255 - 19: these are 0, 1, -1, and 0 and 1 again with the prime added.
        return [[0] + zeros, [1] + zeros, [0xec] + ones, [0xed] + ones, [0xee] + ones, eighth, otherEighth]
    }()

    private static let eighth: [UInt8] = [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
        0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ]
    private static let otherEighth: [UInt8] = [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
        0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ]

    /// Whether a public key of 32 bytes (RFC 8032, 5.1.2) is one of them; the sign of x (its highest bit) is ignored.
    static func isOne(_ key: [UInt8]) -> Bool {
        guard key.count == 32 else { return false }
        return ordinates.contains(key.dropLast() + [key[31] & 0x7f])
    }
}
