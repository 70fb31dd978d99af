// SPDX-License-Identifier: Apache-2.0

/// Text of digits and signs whose length is known beforehand, such as an instant: written in place, without a string
/// for each part.
package struct FixedText: ~Copyable {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private var length = 0

    private init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

    /// The text that `write` writes, at most `capacity` characters of ASCII; the rest is left out.
    package static func text(_ capacity: Int, _ write: (inout FixedText) -> Void) -> String {
        String(unsafeUninitializedCapacity: capacity) { buffer in
            var text = FixedText(UnsafeMutableBufferPointer(rebasing: buffer.prefix(capacity)))
            write(&text)
            return text.length
        }
    }

    /// The last `width` digits of a number that is not negative.
    package mutating func number(_ number: Int, _ width: Int) {
        guard length + width <= buffer.count else { return }
        var rest = number
        for place in stride(from: length + width - 1, through: length, by: -1) {
            buffer[place] = 48 + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        length += width
    }

    /// A byte as two hexadecimal digits, in lower case.
    package mutating func hexadecimal(_ byte: UInt8) {
        guard length + 2 <= buffer.count else { return }
        buffer[length] = Self.digit(byte >> 4)
        buffer[length + 1] = Self.digit(byte & 15)
        length += 2
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

    /// One character of ASCII.
    package mutating func sign(_ character: Unicode.Scalar) {
        guard length < buffer.count else { return }
        buffer[length] = UInt8(ascii: character)
        length += 1
    }
}
