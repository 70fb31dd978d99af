// SPDX-License-Identifier: Apache-2.0
import FarewellSQL

/// Keys that look random and are not: the same seed and number give the same uuid, here in Swift and there in
/// SQL on both databases, where they are made millions at a time.
struct SampleKeys: Sendable, Hashable {
    /// The kind of a key, so that a user and a message of the same number have different keys.
    enum Kind: Int64, Sendable, CaseIterable {
        case person = 1
        case conversation, message, profile, synthesis, swipe, match, interaction, feedback, invite, report
    }

    /// 2³¹ − 1. Multiplication below a prime reaches every number once, and the products fit 64 bits.
    private static let prime: Int64 = 2_147_483_647
    private static let factors: [Int64] = [1_103_515_245, 1_597_334_677, 1_812_433_253, 742_938_285]

    let seed: Int64

    func uuid(_ kind: Kind, _ number: Int) -> String {
        let parts = Self.factors.indices.map { place in
            ((Int64(number) + 1) * Self.factors[place] + offset(kind, place)) % Self.prime
        }
        let digits =
            hex(parts[0], 8) + hex(parts[1] >> 15, 4) + "4" + hex(parts[1] & 4095, 3)
            + hex(32_768 + (parts[2] >> 17), 4) + "0" + hex(parts[3] >> 4, 7) + hex(parts[2] & 65_535, 4)
        let cuts = [0, 8, 12, 16, 20, 32]
        return zip(cuts, cuts.dropFirst()).map { digits.dropFirst($0).prefix($1 - $0) }.joined(separator: "-")
    }

    /// The same uuid as an expression over `number`, the name of a whole-number column.
    func uuid(_ kind: Kind, _ number: String, _ dialect: SQLDialect) -> String {
        let part = Self.factors.indices.map { place in
            "(((\(number)) + 1) * \(Self.factors[place]) + \(offset(kind, place))) % \(Self.prime)"
        }
        switch dialect {
        case .sqlite:
            return """
                printf('%08x-%04x-4%03x-%04x-0%07x%04x', \(part[0]), (\(part[1])) >> 15, (\(part[1])) & 4095,
                32768 + ((\(part[2])) >> 17), (\(part[3])) >> 4, (\(part[2])) & 65535)
                """
        case .postgresql:
            // Two halves of 64 bits; the second begins with a set bit, so it always has all its digits.
            return """
                (lpad(to_hex(((\(part[0])) << 32) | (((\(part[1])) >> 15) << 16) | 16384
                | ((\(part[1])) & 4095)), 16, '0')
                || to_hex(((32768 + ((\(part[2])) >> 17)) << 48) | (((\(part[3])) >> 4) << 16)
                | ((\(part[2])) & 65535)))::uuid
                """
        }
    }

    private func offset(_ kind: Kind, _ place: Int) -> Int64 {
        (seed * 69_069 + kind.rawValue * 40_692 * (Int64(place) + 1)) % Self.prime
    }

    private func hex(_ value: Int64, _ width: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
