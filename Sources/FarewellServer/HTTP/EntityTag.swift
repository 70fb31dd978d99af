// SPDX-License-Identifier: Apache-2.0

/// The mark of one version of a file (RFC 9110, 8.8.3).
enum EntityTag {
    /// Whether a caller already has the version with this mark (RFC 9110, 13.1.2): the field is a list or `*`, and a
    /// cache or proxy may have made the mark a weak one.
    ///
    /// - Parameter mark: A strong mark without a comma.
    static func isNamed(_ mark: String, in field: String?) -> Bool {
        guard let field else { return false }
        return field.utf8.split(separator: UInt8(ascii: ",")).contains { part in
            let named = trimmed(part)
            let strong = named.starts(with: "W/".utf8) ? named.dropFirst(2) : named
            return strong.elementsEqual(mark.utf8) || named.elementsEqual("*".utf8)
        }
    }

    private static func trimmed(_ part: Substring.UTF8View) -> Substring.UTF8View {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var rest = part.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest
    }
}
