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

    /// A random identifier (version 4). Foundation's own opens `/dev/urandom` for each.
    package static func random(from generator: inout some RandomNumberGenerator) -> UUID {
        let high = generator.next() & ~0xF000 | 0x4000
        let low = generator.next() & ~(0b11 << 62) | 0b10 << 62
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
