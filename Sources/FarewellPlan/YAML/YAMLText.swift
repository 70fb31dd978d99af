// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The check on the bytes of any YAML file before a parser reads it: the parser puts keys into a dictionary, which
/// takes quadratic time for long runs of combining marks (`StreamSafeText`).
package enum YAMLText {
    /// Whether the text holds no long run of combining marks, neither written out nor as escapes. One pass over the
    /// bytes. Escapes count everywhere, because the reader of the bytes does not know yet which parts are quoted.
    package static func isStreamSafe(_ bytes: [UInt8]) -> Bool {
        bytes.isStreamSafe && (!bytes.contains(UInt8(ascii: "\\")) || unescaped(bytes).isStreamSafe)
    }

    /// The forbidden content of a file of settings or words; `nil` if a parser may read it.
    package static func refused(_ bytes: [UInt8]) -> PlanProblem? {
        isStreamSafe(bytes) ? YAMLMarks.problem(in: bytes) : problem
    }

    /// The refusal of a file that is not.
    package static let problem = PlanProblem(
        1, 1, "The file contains a text with \(StreamSafeText.excess).")

    /// Every character of a text, written out or as an escape.
    static func scalars(in bytes: [UInt8]) -> Set<Unicode.Scalar> {
        Set(String(decoding: bytes, as: UTF8.self).unicodeScalars)
            .union(String(decoding: unescaped(bytes), as: UTF8.self).unicodeScalars)
    }

    /// The bytes with each numeric escape (`\x`, `\u`, `\U`; YAML 1.2, 5.7) replaced by its character, and lines that
    /// an escaped line break continues joined.
    private static func unescaped(_ bytes: [UInt8]) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < bytes.count else {
                plain.append(byte)
                continue
            }
            let kind = bytes[index]
            index += 1
            switch kind {
            case UInt8(ascii: "x"): append(2)
            case UInt8(ascii: "u"): append(4)
            case UInt8(ascii: "U"): append(8)
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
            default: plain.append(kind)
            }
        }
        return plain

        func append(_ digits: Int) {
            let text = String(decoding: bytes[index..<min(index + digits, bytes.count)], as: UTF8.self)
            guard let scalar = UInt32(text, radix: 16).flatMap(Unicode.Scalar.init) else {
                plain.append(UInt8(ascii: "\\"))
                return
            }
            plain += UTF8.encode(scalar).map { Array($0) } ?? []
            index += digits
        }
    }
}
