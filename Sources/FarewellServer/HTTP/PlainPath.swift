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
        return bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .allSatisfy(isPlainPart)
    }

    private static func isPlainPart(_ part: Substring.UTF8View) -> Bool {
        // Most parts hold none of these, so that nothing is decoded.
        guard part.contains(where: odd.contains) else { return !part.isEmpty }
        let plain = FormFields.plain(part)
        return !plain.contains(where: separators.contains) && plain != [dot] && plain != [dot, dot]
    }

    private static let dot = UInt8(ascii: ".")
    private static let odd = [dot, UInt8(ascii: "%"), UInt8(ascii: "\\")]
    private static let separators = [UInt8(ascii: "/"), UInt8(ascii: "\\"), 0]
}

extension Request {
    /// Whether every reader resolves the path to the same place.
    var hasPlainPath: Bool { PlainPath.isPlain(uri.path) }
}
