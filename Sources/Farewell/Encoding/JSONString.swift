// SPDX-License-Identifier: Apache-2.0

/// Writes text as a string of JSON (RFC 8259, section 7), in the one form that signatures are made over: only what must
/// be escaped is, by its short form if it has one and otherwise by `\u00` and two lower-case digits.
package enum JSONString {
    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 2)
        write(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text in its quotes.
    package static func write(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { write($0, to: &bytes) }
    }

    /// The same, for text that is already UTF-8.
    package static func write(_ text: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        write(text, hasEscape: hasEscape(text), to: &bytes)
    }

    /// The same.
    ///
    /// - Parameter hasEscape: Whether a quote, a backslash or a byte below the space is in the text.
    package static func write(_ text: UnsafeBufferPointer<UInt8>, hasEscape: Bool, to bytes: inout [UInt8]) {
        bytes.append(quote)
        defer { bytes.append(quote) }
        // Most texts have nothing to escape, and are copied as a whole.
        guard hasEscape else { return bytes.append(contentsOf: text) }
        var start = 0
        for place in text.indices where mustBeEscaped(text[place]) {
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<place]))
            start = place + 1
            escape(text[place], to: &bytes)
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    @inline(__always)
    private static func mustBeEscaped(_ byte: UInt8) -> Bool { byte < 0x20 || byte == quote || byte == backslash }

    /// Looks at all bytes without a branch, so that the processor takes many at once.
    private static func hasEscape(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var found: UInt8 = 0
        for byte in text { found |= mustBeEscaped(byte) ? 1 : 0 }
        return found != 0
    }

    private static func escape(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case quote: bytes += #"\""#.utf8
        case backslash: bytes += #"\\"#.utf8
        case 0x08: bytes += #"\b"#.utf8
        case 0x0C: bytes += #"\f"#.utf8
        case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
        case UInt8(ascii: "\r"): bytes += #"\r"#.utf8
        case UInt8(ascii: "\t"): bytes += #"\t"#.utf8
        default:
            bytes += #"\u00"#.utf8
            bytes += [byte].hexadecimal.utf8
        }
    }
}
