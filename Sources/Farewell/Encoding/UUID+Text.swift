// SPDX-License-Identifier: Apache-2.0
import Foundation

extension UUID {
    /// The text form in lower case, with hyphens (RFC 9562, section 4): the one spelling used in signed text and names.
    package var text: String {
        var identifier = uuid
        return withUnsafeBytes(of: &identifier) { bytes in
            FixedText.text(36) { text in
                for (place, byte) in bytes.enumerated() {
                    if place == 4 || place == 6 || place == 8 || place == 10 { text.sign("-") }
                    text.hexadecimal(byte)
                }
            }
        }
    }

    /// Reads the text form, in either case; `nil` for any other text. Foundation's own goes through `scanf`, which
    /// skips white space.
    package init?(text: String) {
        guard text.utf8.count == 36 else { return nil }
        var text = text
        guard let value = text.withUTF8({ Self.number($0) }) else { return nil }
        self = Self.made(high: value.high, low: value.low)
    }

    /// One number of 128 bits in two halves.
    private static func number(_ digits: UnsafeBufferPointer<UInt8>) -> (high: UInt64, low: UInt64)? {
        var value: (high: UInt64, low: UInt64) = (0, 0)
        for place in digits.indices {
            let character = digits[place]
            if place == 8 || place == 13 || place == 18 || place == 23 {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = character.hexadecimalValue else { return nil }
            value.high = value.high << 4 | value.low >> 60
            value.low = value.low << 4 | UInt64(digit)
        }
        return value
    }

    private static func made(high: UInt64, low: UInt64) -> UUID {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// A random identifier (version 4). Foundation's own opens `/dev/urandom` for each.
    package static func random(from generator: inout some RandomNumberGenerator) -> UUID {
        let high = generator.next() & ~0xF000 | 0x4000
        let low = generator.next() & ~(0b11 << 62) | 0b10 << 62
        return made(high: high, low: low)
    }
}
