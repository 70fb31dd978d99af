// SPDX-License-Identifier: Apache-2.0
import Foundation

/// An e-mail address in the one spelling under which it is kept: lower-case, composed (Unicode's NFC), without spaces
/// around it.
public struct EmailAddress: Sendable, Hashable {
    public let text: String

    /// `nil` unless the text is an address: one `@` with a name before it and a host after it, at most 255 bytes
    /// (RFC 5321, 4.5.3.1.3), without spaces, control characters, quotes or angle brackets.
    public init?(_ text: String) {
        guard Self.isBounded(text.trimmingSpaces()) else { return nil }
        let address = Self.spelling(of: text)
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard address.utf8.count <= 255, parts.count == 2, !parts[0].isEmpty, parts[0].utf8.count <= 64,
            address.unicodeScalars.allSatisfy(Self.isAllowed)
        else { return nil }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty && $0.first != "-" && $0.last != "-" }) else { return nil }
        self.text = address
    }

    /// The longest text that is brought into the one spelling, in bytes: 64 before the `@` and 255 after it (RFC 5321,
    /// 4.5.3.1).
    package static let longest = 320

    /// The one spelling of a text that may be an address. Text that is too long for one, or holds long runs of
    /// combining marks, is no address and stays as it is, without spaces around it.
    package static func spelling(of text: String) -> String {
        let text = text.trimmingSpaces()
        guard isBounded(text) else { return String(text) }
        return text.lowercased().precomposedStringWithCanonicalMapping
    }

    private static func isBounded(_ text: Substring) -> Bool { text.utf8.count <= longest && text.isStreamSafe }

    /// The spellings that an address may have in other programs' data: the stored one, and after it the decomposed one
    /// (NFD), if that differs. To `==` they are the same text; to a database they are not.
    package static func spellings(of address: String) -> [String] {
        guard isBounded(address[...]) else { return [address] }
        let (kept, apart) = (
            address.precomposedStringWithCanonicalMapping, address.decomposedStringWithCanonicalMapping
        )
        return kept.utf8.elementsEqual(apart.utf8) ? [kept] : [kept, apart]
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .unassigned, .surrogate: false
        default: !"\"<>()[]\\,;:".unicodeScalars.contains(scalar)
        }
    }
}

extension String {
    fileprivate func trimmingSpaces() -> Substring {
        let space = UInt8(ascii: " ")
        guard let first = utf8.firstIndex(where: { $0 != space }), let last = utf8.lastIndex(where: { $0 != space })
        else { return "" }
        return self[first..<utf8.index(after: last)]
    }
}
