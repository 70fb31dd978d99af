// SPDX-License-Identifier: Apache-2.0

/// Text of any length that is made to be slow to process.
package enum HostileText: String, CaseIterable, Sendable {
    /// Combining marks of alternating classes, which are sorted.
    case marks
    /// The same, written as JSON and YAML write them in ASCII.
    case escapedMarks
    /// The same in percent encoding.
    case encodedMarks
    /// One mark that decomposes into two.
    case doubleMarks
    /// Marks that decompose although their own class is 0.
    case tibetan
    /// Emoji that are joined to one character.
    case joined
    case regionalIndicators
    case jamo
    case conjuncts
    case deep
    case ampersands
    case semicolons
    case commas
    case quotes
    case backslashes
    case digits
    case lineBreaks
    case spaces
    case dots
    case colons
    case elements

    private var unit: String {
        switch self {
        case .marks: "\u{301}\u{327}"
        case .escapedMarks: #"\u0301\u0327"#
        case .encodedMarks: "%CC%81%CC%A7"
        case .doubleMarks: "\u{344}\u{323}"
        case .tibetan: "\u{F73}\u{F75}"
        case .joined: "\u{1F469}\u{200D}"
        case .regionalIndicators: "\u{1F1E9}\u{1F1EA}"
        case .jamo: "\u{1100}\u{1161}\u{11A8}"
        case .conjuncts: "\u{915}\u{94D}"
        case .deep: #"[{"a":"#
        case .ampersands: "a=b&"
        case .semicolons: "a=b;"
        case .commas: "a,"
        case .quotes: "\"'"
        case .backslashes: "\\"
        case .digits: "7"
        case .lineBreaks: "\r\n"
        case .spaces: " "
        case .dots: "a."
        case .colons: "a:"
        case .elements: "<a>"
        }
    }

    /// About as many bytes.
    package func text(_ bytes: Int) -> String { "a" + String(repeating: unit, count: bytes / unit.utf8.count) }
}
