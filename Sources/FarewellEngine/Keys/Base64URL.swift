// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Base64url without padding (RFC 4648, section 5; RFC 7515, section 2), with one spelling for each value.
package enum Base64URL {
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        let standard = Data(bytes).base64EncodedData()
        var text: [UInt8] = []
        text.reserveCapacity(standard.count)
        for byte in standard where byte != UInt8(ascii: "=") {
            switch byte {
            case UInt8(ascii: "+"): text.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): text.append(UInt8(ascii: "_"))
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` for padding, white space, other alphabets and spare bits that are not zero.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var standard: [UInt8] = []
        standard.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            case 48...57, 65...90, 97...122: standard.append(byte)
            default: return nil
            }
        }
        while !standard.count.isMultiple(of: 4) { standard.append(UInt8(ascii: "=")) }
        guard let data = Data(base64Encoded: Data(standard)) else { return nil }
        let bytes = Array(data)
        // The only check of the spare bits: what was read must be written the same way.
        return Self.text(bytes) == text ? bytes : nil
    }
}
