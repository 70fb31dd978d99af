// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The spelling of a database's name within Farewell: two spellings are equal only if the names have the same bytes.
///
/// A database compares names by their bytes. Swift compares text by canonical equivalence: an é in one character equals
/// an e with an accent behind it, as text, as a key of a dictionary, and as a member of JSON. So a spelling has each
/// character as the name has it, if that is its composed form (Unicode's NFC), and otherwise what is not ASCII in it as
/// escapes: `cafe\u{301}`. A `\u{` of the name itself is `\u{5c}u{`. All that is left has only one form, which compares
/// by its bytes.
///
/// Names are spelled where they are read: from the catalog, from errors, from a plan. `SQLDialect.quoted` turns them
/// back.
package enum NameSpelling {
    /// The spelling of a name as the database has it.
    package static func of(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 >= 0x80 || $0 == backslash }) else { return name }
        return escaped(name.utf8.contains(backslash) ? withoutEscapes(name) : name)
    }

    /// The spelling that a user wrote: with escapes, or as the database has the name.
    package static func typed(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 0x80 }) else { return text }
        return escaped(text)
    }

    /// The name as the database has it.
    package static func name(_ spelling: String) -> String {
        guard spelling.utf8.contains(backslash) else { return spelling }
        var name = String.UnicodeScalarView()
        var rest = spelling.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\\", let meant = takeEscape(&rest) {
                name.append(meant)
            } else {
                name.append(scalar)
            }
        }
        return String(name)
    }

    private static let backslash = UInt8(ascii: "\\")
    /// The longest text, in bytes, that is compared with its composed form, which takes more than linear time. No
    /// database has such a name of its own accord; in a longer text all that is not ASCII is an escape.
    package static let longest = 1_024

    /// The name with each `\u{` of its own as `\u{5c}u{`.
    private static func withoutEscapes(_ name: String) -> String {
        var spelling = String.UnicodeScalarView()
        var rest = name.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\\", rest.starts(with: "u{".unicodeScalars) {
                spelling.append(contentsOf: "\\u{5c}".unicodeScalars)
            } else {
                spelling.append(scalar)
            }
        }
        return String(spelling)
    }

    /// Works by characters, because scalars that are composed are always within one character.
    private static func escaped(_ text: String) -> String {
        var spelling: [UInt8] = []
        if text.utf8.count > longest {
            append(text.unicodeScalars, to: &spelling)
        } else {
            for character in text {
                let known = String(character)
                if known.utf8.elementsEqual(known.precomposedStringWithCanonicalMapping.utf8) {
                    spelling += known.utf8
                } else {
                    append(known.unicodeScalars, to: &spelling)
                }
            }
        }
        return String(decoding: spelling, as: UTF8.self)
    }

    private static func append(_ scalars: String.UnicodeScalarView, to spelling: inout [UInt8]) {
        for scalar in scalars {
            if scalar.isASCII {
                spelling.append(UInt8(scalar.value))
            } else {
                spelling += "\\u{\(String(scalar.value, radix: 16))}".utf8
            }
        }
    }

    /// `u{301}` behind a backslash; takes nothing if it is no escape.
    private static func takeEscape(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar? {
        guard rest.starts(with: "u{".unicodeScalars), let end = rest.prefix(9).firstIndex(of: "}"),
            let value = UInt32(String(rest[..<end].dropFirst(2)), radix: 16), let scalar = Unicode.Scalar(value)
        else { return nil }
        rest = rest[rest.index(after: end)...]
        return scalar
    }
}
