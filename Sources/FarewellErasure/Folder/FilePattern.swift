// SPDX-License-Identifier: Apache-2.0
import Farewell

/// Patterns of SQL's `LIKE` for a path in every notation of an address: an escapable character matches anything. `!`
/// escapes.
struct FilePattern {
    /// The path with its slashes as they are.
    let strict: String
    /// The path with anything beside its slashes, as in `a//b`, `a/./b` and `a/c/../b`.
    let loose: String

    init(_ path: String) {
        strict = Self.pattern(path, slash: "/")
        loose = Self.pattern(path, slash: "%/%")
    }

    private static func pattern(_ path: String, slash: String) -> String {
        var pattern = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "_"): pattern += "!_"
            case UInt8(ascii: "/"): pattern += slash
            case _ where byte.isASCIILetterOrDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-"):
                pattern.unicodeScalars.append(Unicode.Scalar(byte))
            default: if pattern.utf8.last != UInt8(ascii: "%") { pattern += "%" }
            }
        }
        return pattern
    }
}
