// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// Whether a path has only one possible meaning.
///
/// A proxy in front keeps `/console` or `/auth/v1/admin` from the net by comparing the path. The router passes over
/// empty parts, and some proxies resolve `.` and `..` or decode a slash while others do not. A path with any of these
/// leads nowhere here, so that what a proxy compared is what is served. One slash at the end changes no prefix and is
/// allowed.
enum PlainPath {
    static func isPlain(_ path: String) -> Bool {
        var bytes = path.utf8[...]
        guard bytes.first == UInt8(ascii: "/") else { return false }
        if bytes.count == 1 { return true }
        if bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
        bytes = bytes.dropFirst()
        // Nearly every path has neither an empty part nor anything odd, which one look shows.
        if hasOnlyPlainBytes(bytes) { return true }
        return bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy(isPlainPart)
    }

    /// Whether no part is empty, and none has a byte that could give it another meaning.
    private static func hasOnlyPlainBytes(_ bytes: Substring.UTF8View) -> Bool {
        var last = UInt8(ascii: "/")
        for byte in bytes {
            if byte == UInt8(ascii: "/"), last == byte { return false }
            if byte == dot || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") { return false }
            last = byte
        }
        return last != UInt8(ascii: "/")
    }

    private static func isPlainPart(_ part: Substring.UTF8View) -> Bool {
        guard part.contains(where: odd.contains) else { return !part.isEmpty }
        let plain = FormFields.plain(part)
        return !plain.contains(where: separators.contains) && plain != [dot] && plain != [dot, dot]
    }

    private static var dot: UInt8 { UInt8(ascii: ".") }
    private static let odd = [dot, UInt8(ascii: "%"), UInt8(ascii: "\\")]
    private static let separators = [UInt8(ascii: "/"), UInt8(ascii: "\\"), 0]
}

extension Request {
    /// Whether every reader resolves the path to the same place.
    var hasPlainPath: Bool { PlainPath.isPlain(uri.path) }
}
