// SPDX-License-Identifier: Apache-2.0

/// Base64url without padding (RFC 4648, section 5; RFC 7515, section 2), with one spelling for each value.
@usableFromInline
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    /// The value of each byte; 255 for an invalid one.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    @inlinable
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        bytes.withContiguousStorageIfAvailable(written) ?? Array(bytes).withUnsafeBufferPointer(written)
    }

    @usableFromInline
    static func written(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        let alphabet = alphabet
        return String(unsafeUninitializedCapacity: (bytes.count * 8 + 5) / 6) { text in
            var length = 0
            var bits: UInt32 = 0
            var held = 0
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                held += 8
                while held >= 6 {
                    held -= 6
                    text[length] = alphabet[Int(bits >> held & 63)]
                    length += 1
                }
            }
            if held > 0 {
                text[length] = alphabet[Int(bits << (6 - held) & 63)]
                length += 1
            }
            return length
        }
    }

    /// `nil` for padding, white space, other alphabets and spare bits that are not zero.
    @inlinable
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? { bytes(of: text.utf8) }

    /// The same, for text that is already UTF-8.
    @inlinable
    package static func bytes(of text: some Collection<UInt8>) -> [UInt8]? {
        text.withContiguousStorageIfAvailable(read) ?? Array(text).withUnsafeBufferPointer(read)
    }

    @usableFromInline
    static func read(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let values = values
        var isGood = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 2) { bytes, length in
            var bits: UInt32 = 0
            var held = 0
            for character in text {
                let value = values[Int(character)]
                isGood = isGood && value != 255
                bits = bits << 6 | UInt32(value & 63)
                held += 6
                guard held >= 8 else { continue }
                held -= 8
                bytes[length] = UInt8(truncatingIfNeeded: bits >> held)
                length += 1
            }
            // No single character remains, and spare bits are zero: any value has exactly one form.
            isGood = isGood && held < 6 && bits & (1 << held - 1) == 0
        }
        return isGood ? bytes : nil
    }
}
