// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The text of a CREATE statement as SQLite keeps it, read as far as the pragmas leave questions open.
struct SQLiteText {
    /// A word, a quoted name or string without its quotes, or a single other character.
    struct Token: Hashable {
        /// As the spelling of a name.
        let text: String
        let isQuoted: Bool
        /// Its position in the text, its quotes included.
        let bytes: Range<Int>

        func `is`(_ word: String) -> Bool { !isQuoted && SQLiteCatalog.folded(text) == word }
    }

    private let bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The events of a trigger: `CREATE TRIGGER [IF NOT EXISTS] name [BEFORE|AFTER|INSTEAD OF] event …`.
    var triggerEvents: [String] {
        // The name may itself be a word such as delete, so it is stepped over, not searched past.
        var tokens = tokens(atMost: 16)[...]
        while let first = tokens.first, !first.is("trigger") { tokens.removeFirst() }
        tokens = tokens.dropFirst()
        if tokens.first?.is("if") == true, tokens.dropFirst().first?.is("not") == true { tokens = tokens.dropFirst(3) }
        tokens = tokens.dropFirst()
        if tokens.first?.is(".") == true { tokens = tokens.dropFirst(2) }
        return tokens.lazy.compactMap { token in ["insert", "update", "delete"].first { token.is($0) } }
            .first.map { [$0] } ?? []
    }

    /// Whether an index's condition is only that `column` is not null.
    func condition(isThatNotNull column: String) -> Bool {
        let tokens = tokens(atMost: .max)
        guard let start = tokens.lastIndex(where: { $0.is("where") }) else { return false }
        let condition = tokens[(start + 1)...].filter { !$0.is("(") && !$0.is(")") }
        guard let name = condition.first, SQLiteCatalog.folded(name.text) == SQLiteCatalog.folded(column) else {
            return false
        }
        let rest = condition.dropFirst().map { $0.isQuoted ? "" : SQLiteCatalog.folded($0.text) }
        return rest == ["is", "not", "null"] || rest == ["notnull"] || rest == ["not", "null"]
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// A text that is longer than any name stays as it is.
    private static func spelled(_ text: String) -> String {
        text.utf8.count > NameSpelling.longest ? text : NameSpelling.of(text)
    }

    func tokens(atMost limit: Int) -> [Token] {
        var tokens: [Token] = []
        var place = 0
        while tokens.count < limit, skipBlank(&place), let byte = at(place) {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "["):
                let start = place
                let text = quoted(&place)
                tokens.append(Token(text: Self.spelled(text), isQuoted: true, bytes: start..<place))
            case _ where byte.isPartOfIdentifier:
                let start = place
                while let byte = at(place), byte.isPartOfIdentifier { place += 1 }
                tokens.append(Token(text: Self.spelled(text(start..<place)), isQuoted: false, bytes: start..<place))
            default:
                tokens.append(Token(text: text(place..<place + 1), isQuoted: false, bytes: place..<place + 1))
                place += 1
            }
        }
        return tokens
    }

    /// Steps over blanks and comments; false at the end.
    private func skipBlank(_ place: inout Int) -> Bool {
        while let byte = at(place) {
            if byte <= 32 {
                place += 1
            } else if byte == UInt8(ascii: "-"), at(place + 1) == UInt8(ascii: "-") {
                while let byte = at(place), byte != UInt8(ascii: "\n") { place += 1 }
            } else if byte == UInt8(ascii: "/"), at(place + 1) == UInt8(ascii: "*") {
                place += 2
                while at(place) != nil, !(at(place) == UInt8(ascii: "*") && at(place + 1) == UInt8(ascii: "/")) {
                    place += 1
                }
                place += 2
            } else {
                return true
            }
        }
        return false
    }

    private func quoted(_ place: inout Int) -> String {
        let close = bytes[place] == UInt8(ascii: "[") ? UInt8(ascii: "]") : bytes[place]
        var text: [UInt8] = []
        place += 1
        while let byte = at(place) {
            place += 1
            if byte == close {
                guard close != UInt8(ascii: "]"), at(place) == close else { break }
                place += 1
            }
            text.append(byte)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private func at(_ place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }
}
