// SPDX-License-Identifier: Apache-2.0

/// Byte order marks (U+FEFF) in a YAML text. The parser drops one at the beginning of a key or value, which would name
/// another column than the file does: a spreadsheet's export often puts one before the name of its first column.
///
/// The parser is given another character in place of each mark, and its texts are restored afterwards.
package enum YAMLMarks {
    static let mark: Unicode.Scalar = "\u{FEFF}"

    /// A mark in the bytes of a text, by the offset of what is replaced there.
    enum Place: Equatable {
        /// Three bytes in UTF-8.
        case written(Int)
        /// The four last digits of an escape between double quotes.
        case escaped(Int)
    }

    /// The first mark of a file that must not have one anywhere but at its beginning, also as an escape.
    package static func problem(in bytes: [UInt8]) -> PlanProblem? {
        for index in bytes.indices.dropFirst() where isMark(bytes, at: index) || escape(bytes, at: index) != nil {
            let before = bytes[..<index]
            let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            return PlanProblem(
                before.count { $0 == UInt8(ascii: "\n") } + 1, bytes[start..<index].count { $0 & 0xC0 != 0x80 } + 1,
                "This is an invisible byte order mark (U+FEFF); remove it.")
        }
        return nil
    }

    /// A text without a mark at its beginning, and that mark. The parser would count it as a column.
    package static func divided(_ text: String) -> (mark: String, rest: String) {
        guard text.unicodeScalars.first == mark else { return ("", text) }
        return (String(mark), String(text.unicodeScalars.dropFirst()))
    }

    static func isMark(_ bytes: [UInt8], at index: Int) -> Bool {
        index + 2 < bytes.count && bytes[index] == 0xEF && bytes[index + 1] == 0xBB && bytes[index + 2] == 0xBF
    }

    /// `\uFEFF` or `\U0000FEFF`, in capitals or small letters, whose backslash is at an index.
    static func escape(_ bytes: [UInt8], at index: Int) -> Place? {
        guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else { return nil }
        let digits: [UInt8]
        switch bytes[index + 1] {
        case UInt8(ascii: "u"): digits = Array("feff".utf8)
        case UInt8(ascii: "U"): digits = Array("0000feff".utf8)
        default: return nil
        }
        let end = index + 2 + digits.count
        guard end <= bytes.count, zip(bytes[(index + 2)..<end], digits).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 })
        else { return nil }
        return .escaped(end - 4)
    }

    /// The bytes with another character in place of the marks, of the same length, and that character.
    ///
    /// - Returns: `nil` if the text has every character that could stand in.
    static func replaced(_ places: [Place], in bytes: [UInt8]) -> (bytes: [UInt8], standIn: Unicode.Scalar)? {
        let used = YAMLText.scalars(in: bytes)
        let unused = (UInt32(0xE000)...0xF8FF).lazy.compactMap { Unicode.Scalar($0) }.first { !used.contains($0) }
        guard let standIn = unused else { return nil }
        var changed = bytes
        for place in places {
            switch place {
            case .written(let index): changed.replaceSubrange(index..<(index + 3), with: Array(String(standIn).utf8))
            case .escaped(let index):
                let digits = Array(String(standIn.value, radix: 16, uppercase: true).utf8)
                changed.replaceSubrange(index..<(index + 4), with: digits)
            }
        }
        return (changed, standIn)
    }

    /// A text of the parser with its marks.
    static func restored(_ text: String, from standIn: Unicode.Scalar?) -> String {
        guard let standIn, text.unicodeScalars.contains(standIn) else { return text }
        var restored = String.UnicodeScalarView()
        restored.append(contentsOf: text.unicodeScalars.map { $0 == standIn ? mark : $0 })
        return String(restored)
    }
}
