// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Finds UUIDs in text.
enum UUIDText {
    private static let dashes: Set<Int> = [8, 13, 18, 23]

    /// All of them in order, in lower case.
    static func all(in bytes: [UInt8]) -> [String] {
        var found: [String] = []
        var start = 0
        while start + 36 <= bytes.count {
            // The last dash first: most texts fail there at once and the window moves on.
            guard bytes[start + 23] == UInt8(ascii: "-"), isUUID(bytes[start..<(start + 36)]) else {
                start += 1
                continue
            }
            found.append(String(decoding: bytes[start..<(start + 36)], as: UTF8.self).lowercased())
            start += 36
        }
        return found
    }

    /// Whether a text is a UUID and nothing else.
    static func isWhole(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 36 && isUUID(bytes[...])
    }

    private static func isUUID(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.enumerated().allSatisfy { offset, byte in
            dashes.contains(offset) ? byte == UInt8(ascii: "-") : byte.hexadecimalValue != nil
        }
    }
}
