// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Percent-encoding in the one form that signatures agree on: all but unreserved characters (RFC 3986, 2.3), by bytes,
/// in capitals.
package enum PercentEncoding {
    package static func text(_ text: String) -> String { encoded(text, keeping: []) }

    /// Slashes stay.
    package static func path(_ path: String) -> String { encoded(path, keeping: [UInt8(ascii: "/")]) }

    /// `name=value&…`, as forms are sent.
    package static func form(_ fields: [(name: String, value: String)]) -> [UInt8] {
        Array(fields.map { "\(text($0.name))=\(text($0.value))" }.joined(separator: "&").utf8)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func encoded(_ text: String, keeping kept: Set<UInt8>) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            case _ where kept.contains(byte): bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
