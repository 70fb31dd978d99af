// SPDX-License-Identifier: Apache-2.0
import Farewell

/// The surroundings of a number in a value: whether the number is a value of its own, and the name before it.
struct NumberContext {
    /// Whether the number is the whole value, or a member or an element of a document or list.
    let isAlone: Bool
    /// The name before it: of a member (`"user_id": 42`), of a parameter (`?user_id=42`), of a folder (`/users/42/`),
    /// or the word before (`user 42`).
    let name: String?

    /// - Parameter isStructured: Whether the text is a document or a list, such as JSON, an array or `hstore`.
    init(of range: Range<Int>, in text: [UInt8], isStructured: Bool) {
        var start = range.lowerBound
        while start > 0, Self.wrapping.contains(text[start - 1]) { start -= 1 }
        var end = range.upperBound
        while end < text.count, Self.wrapping.contains(text[end]) { end += 1 }
        let opens = start == 0 || isStructured && Self.opening.contains(text[start - 1])
        let closes = end == text.count || isStructured && Self.closing.contains(text[end])
        isAlone = opens && closes
        guard start > 0 else {
            name = nil
            return
        }
        if isAlone, text[start - 1] == UInt8(ascii: ",") {
            guard let list = Self.list(before: start, in: text) else {
                name = nil
                return
            }
            start = list
        }
        name = Self.word(before: start, in: text)
    }

    private static let wrapping = Set(" \t\r\n\"'\\".utf8)
    private static let opening = Set("[{(,:=>".utf8)
    private static let closing = Set("]}),".utf8)
    /// The characters between a name and its number.
    private static let between = Set(" \t\r\n\"'\\:=>#/([{-_".utf8)
    private static let listed = Set("0123456789, \t\r\n\"'\\-".utf8)

    /// The place of the bracket that opens a list of numbers; `nil` if another kind of element comes before.
    private static func list(before place: Int, in text: [UInt8]) -> Int? {
        var start = place
        while start > 0, place - start < 65_536, listed.contains(text[start - 1]) { start -= 1 }
        guard start > 0, "[{(".utf8.contains(text[start - 1]) else { return nil }
        return start - 1
    }

    private static func word(before place: Int, in text: [UInt8]) -> String? {
        var end = place
        while end > 0, place - end < 16, between.contains(text[end - 1]) { end -= 1 }
        var start = end
        while start > 0, end - start < 64, isNamed(text[start - 1]) { start -= 1 }
        let word = text[start..<end]
        return word.contains { $0.isASCIILetterOrDigit && $0 > 57 } ? String(decoding: word, as: UTF8.self) : nil
    }

    private static func isNamed(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}
