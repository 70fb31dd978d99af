// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The characters beside a piece of a text, as scalars: whether the piece ends there or continues.
struct TextEdge {
    /// The scalar beside the piece, and the one beyond it.
    let next: Unicode.Scalar?
    let beyond: Unicode.Scalar?

    /// How a piece of a text is separated from its surroundings.
    enum Fit: Int, Comparable {
        /// It continues: it is a part of a longer word.
        case part
        /// Joined by a sign such as a hyphen, or written in a script without spaces: perhaps a part of a longer word.
        case joined
        case whole

        static func < (one: Fit, other: Fit) -> Bool { one.rawValue < other.rawValue }
    }

    /// The edge before a place in UTF-8, read backwards.
    init(before place: Int, in text: [UInt8]) {
        let first = Self.scalar(endingAt: place, in: text)
        next = first?.scalar
        beyond = first.flatMap { Self.scalar(endingAt: $0.start, in: text)?.scalar }
    }

    /// The edge behind a place in UTF-8.
    init(behind place: Int, in text: [UInt8]) {
        let first = Self.scalar(startingAt: place, in: text)
        next = first?.scalar
        beyond = first.flatMap { Self.scalar(startingAt: $0.end, in: text)?.scalar }
    }

    private var isDigit: Bool { next.map(Self.isDigit) ?? false }
    private var isWord: Bool { next.map(Self.isWord) ?? false }
    private var goesOnBeyond: Bool { beyond.map(Self.isWord) ?? false }

    private func isSign(_ signs: String) -> Bool { next.map(signs.unicodeScalars.contains) ?? false }

    /// The fit of a UUID: any hexadecimal digit beside it makes it another.
    var ofUUID: Fit { next.map { $0.isASCII && UInt8($0.value).hexadecimalValue != nil } == true ? .part : .whole }

    /// The fit of a number: a digit or a letter beside it, or a decimal point, makes it another.
    var ofNumber: Fit {
        guard !isWord else { return .part }
        return isSign(".") && beyond.map(Self.isDigit) == true ? .part : .whole
    }

    /// The fit of a token: a letter or a digit beside its own makes it another; any sign ends it, as in `dm_<token>`.
    func ofToken(_ own: Unicode.Scalar?) -> Fit { own.map(Self.isWord) == true && isWord ? .part : .whole }

    /// At the beginning of an e-mail address (RFC 5322, 3.4.1): a character that is valid in the part before the `@`
    /// belongs to it. Characters that usually quote or introduce an address, such as `=` and `/`, do not.
    var beforeAddress: Fit { isWord || isSign(".-+_'’&~") && goesOnBeyond ? .part : .whole }

    /// At the end of an e-mail address: a domain continues with a letter, a digit, or a dot or hyphen before one.
    var behindAddress: Fit { isWord || isSign(".-_") && goesOnBeyond ? .part : .whole }

    /// The fit of words.
    ///
    /// - Parameters:
    ///   - own: The word's own scalar at this edge; if it is a sign, the word ends there.
    ///   - hasDigit: Whether the word has a digit, as names of columns and states, which are joined by `_`, hardly do.
    func ofWord(_ own: Unicode.Scalar?, isStart: Bool, hasDigit: Bool) -> Fit {
        guard let own, let next, Self.isWord(own) else { return .whole }
        if Self.isWord(next) { return Self.isWrittenTogether(own) && Self.isWrittenTogether(next) ? .joined : .part }
        guard goesOnBeyond else { return .whole }
        if next == "_" { return hasDigit ? .joined : .part }
        return isSign(isStart ? "-.@+'’" : "-.@+") ? .joined : .whole
    }

    // MARK: Scalars

    static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Letters, digits, combining marks, and the invisible signs that join letters.
    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return UInt8(scalar.value).isASCIILetterOrDigit }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
            return true
        default: return scalar == "\u{200C}" || scalar == "\u{200D}"
        }
    }

    /// Scripts that put no space between words (UAX #29, section 4): Thai, Lao, Tibetan, Myanmar, Khmer, Kana, Han.
    private static func isWrittenTogether(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0E00...0x0FFF, 0x1000...0x109F, 0x1780...0x17FF, 0x2E80...0x312F, 0x31F0...0x31FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9D, 0x20000...0x3FFFF:
            true
        default: false
        }
    }

    // MARK: UTF-8

    /// The scalar that begins at a place; `nil` at the end. Invalid UTF-8 counts as U+FFFD.
    static func scalar(startingAt place: Int, in text: [UInt8]) -> (scalar: Unicode.Scalar, end: Int)? {
        guard text.indices.contains(place) else { return nil }
        let length =
            switch text[place] {
            case 0xC0...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xFF: 4
            default: 1
            }
        let end = min(place + length, text.count)
        return (decoded(text[place..<end]), end)
    }

    /// The scalar that ends before a place; `nil` at the start.
    static func scalar(endingAt place: Int, in text: [UInt8]) -> (scalar: Unicode.Scalar, start: Int)? {
        guard place > 0, place <= text.count else { return nil }
        var start = place - 1
        while start > 0, place - start < 4, text[start] & 0xC0 == 0x80 { start -= 1 }
        return (decoded(text[start..<place]), start)
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar {
        if bytes.count == 1, let byte = bytes.first, byte < 128 { return Unicode.Scalar(byte) }
        let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
        return scalars.count == 1 ? scalars.first ?? "\u{FFFD}" : "\u{FFFD}"
    }
}
