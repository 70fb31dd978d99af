// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding in the one form that signatures agree on: all but unreserved characters (RFC 3986, 2.3), by bytes,
/// in capitals.
package enum PercentEncoding {
    package static func text(_ text: String) -> String { encoded(text.utf8, keeping: []) }

    /// The same for bytes that may not be UTF-8.
    package static func text(of bytes: some Sequence<UInt8>) -> String { encoded(bytes, keeping: []) }

    /// Slashes stay.
    package static func path(_ path: String) -> String { encoded(path.utf8, keeping: [UInt8(ascii: "/")]) }

    /// `name=value&…`, as forms are sent.
    package static func form(_ fields: [(name: String, value: String)]) -> [UInt8] {
        Array(fields.map { "\(text($0.name))=\(text($0.value))" }.joined(separator: "&").utf8)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func encoded(_ text: some Sequence<UInt8>, keeping kept: Set<UInt8>) -> String {
        var bytes: [UInt8] = []
        for byte in text {
            if byte.isUnreserved || kept.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension PercentEncoding {
    /// How forms write a space (the URL standard, 5.1), which elsewhere is a plus sign.
    package enum Plus: Sendable {
        case space, plus
    }

    /// The bytes of a text. Two hexadecimal digits after `%` are the byte that they write; any other `%` is itself.
    package static func bytes(_ text: some Sequence<UInt8>, plus: Plus = .plus) -> [UInt8] {
        decoded(Array(text), plus).bytes
    }

    /// The bytes of a text; `nil` for a `%` without two hexadecimal digits.
    package static func strictBytes(_ text: some Sequence<UInt8>, plus: Plus = .plus) -> [UInt8]? {
        let decoded = decoded(Array(text), plus)
        return decoded.isStrict ? decoded.bytes : nil
    }

    private static func decoded(_ text: [UInt8], _ plus: Plus) -> (bytes: [UInt8], isStrict: Bool) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var isStrict = true
        var place = 0
        while place < text.count {
            let byte = text[place]
            place += 1
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte == UInt8(ascii: "+") && plus == .space ? UInt8(ascii: " ") : byte)
                continue
            }
            if place + 1 < text.count, let high = text[place].hexadecimalValue,
                let low = text[place + 1].hexadecimalValue
            {
                bytes.append(high << 4 | low)
                place += 2
            } else {
                bytes.append(byte)
                isStrict = false
            }
        }
        return (bytes, isStrict)
    }
}
