// SPDX-License-Identifier: Apache-2.0

/// Looks at the texts of a JSON document before the system's reader sees it: that reader puts the names of members into
/// a dictionary, and hashing a name with a long run of combining marks takes quadratic time (``StreamSafeText``).
///
/// Decides nothing else: the reader refuses text that is not JSON.
enum JSONTexts {
    /// Whether the names of members are stream-safe, and every other text that is longer than
    /// ``StreamSafeText/longestIdentifier``. One pass over the bytes. Text in UTF-16 or UTF-32, which the system's
    /// reader would take as well, is refused (RFC 8259, 8.1).
    static func areSafe(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.first.map({ $0 < 0xFE }) ?? true, !bytes.contains(0) else { return false }
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\"") else {
                index += 1
                continue
            }
            let start = index
            let isEscaped = skipText(&index, in: bytes)
            let isBounded = index - start <= StreamSafeText.longestIdentifier
            guard !isBounded || isName(endingAt: index, in: bytes) else { continue }
            guard isSafe(UnsafeBufferPointer(rebasing: bytes[start..<index]), isEscaped) else { return false }
        }
        return true
    }

    /// Moves behind the closing quote; returns whether the text holds an escape.
    private static func skipText(_ index: inout Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var isEscaped = false
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\\") {
                isEscaped = true
                index += 1
            }
            index += 1
        }
        index = min(index + 1, bytes.count)
        return isEscaped
    }

    private static func isName(endingAt end: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var next = end
        while next < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[next]) { next += 1 }
        return next < bytes.count && bytes[next] == UInt8(ascii: ":")
    }

    /// Whether a text, with its quotes, is safe. Marks may be written as escapes.
    private static func isSafe(_ quoted: UnsafeBufferPointer<UInt8>, _ isEscaped: Bool) -> Bool {
        if isEscaped { return (try? StrictJSON.value(Array(quoted))) != nil }
        return StreamSafeText.isSafe(quoted)
    }
}
