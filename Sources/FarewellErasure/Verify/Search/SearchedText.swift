// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A value as text, in the ways it may be read: as it is written, and with the escapes of JSON and of URLs resolved.
struct SearchedText {
    /// In UTF-8; the first is the value as it is written.
    let readings: [[UInt8]]
    /// The same in lower case.
    let folded: [[UInt8]]

    init(_ text: String) {
        let written = Array(text.utf8)
        readings = [
            written, written.contains(UInt8(ascii: "\\")) ? Self.withoutBackslashes(written) : nil,
            written.contains(UInt8(ascii: "%")) ? Self.withoutPercents(written) : nil,
        ].compactMap(\.self)
        folded = [text.folded] + readings.dropFirst().map { String(decoding: $0, as: UTF8.self).folded }
    }

    /// Where a piece occurs; pieces may overlap.
    static func places(of piece: [UInt8], in text: [UInt8]) -> [Int] {
        guard let first = piece.first, piece.count <= text.count else { return [] }
        var places: [Int] = []
        text.withUnsafeBufferPointer { text in
            piece.withUnsafeBufferPointer { piece in
                for place in 0...(text.count - piece.count) where text[place] == first {
                    var length = 1
                    while length < piece.count, text[place + length] == piece[length] { length += 1 }
                    if length == piece.count { places.append(place) }
                }
            }
        }
        return places
    }

    /// Where the digits of a telephone number occur, whatever signs are between them: `030/12 34-56`.
    static func places(ofDialled digits: [UInt8], in text: [UInt8]) -> [Range<Int>] {
        text.indices.compactMap { start in
            guard text[start] == digits.first else { return nil }
            var place = start + 1
            for digit in digits.dropFirst() {
                place += text[place...].prefix(mostSigns).prefix { signs.contains($0) }.count
                guard place < text.count, text[place] == digit else { return nil }
                place += 1
            }
            return start..<place
        }
    }

    /// The signs between the digits of telephone numbers, and the most of them in one place.
    private static let signs = Array(" -()./".utf8)
    private static let mostSigns = 3

    /// `\u00e9`, `\/`, `\"` (RFC 8259, section 7). The escaped line feed and its like become the white space they are.
    private static func withoutBackslashes(_ text: [UInt8]) -> [UInt8]? {
        var units: [UInt16] = []
        var plain: [UInt8] = []
        var place = 0
        func flushed() -> [UInt8] { Array(String(decoding: units, as: UTF16.self).utf8) }
        while place < text.count {
            if text[place] == UInt8(ascii: "\\"), place + 1 < text.count {
                if text[place + 1] == UInt8(ascii: "u"), let unit = number(text[(place + 2)...].prefix(4), digits: 4) {
                    units.append(UInt16(unit))
                    place += 6
                    continue
                }
                if !units.isEmpty { plain += flushed() }
                units = []
                plain.append("nrtbf".utf8.contains(text[place + 1]) ? UInt8(ascii: " ") : text[place + 1])
                place += 2
                continue
            }
            if !units.isEmpty { plain += flushed() }
            units = []
            plain.append(text[place])
            place += 1
        }
        if !units.isEmpty { plain += flushed() }
        return plain == text ? nil : plain
    }

    /// `%40` (RFC 3986, section 2.1).
    private static func withoutPercents(_ text: [UInt8]) -> [UInt8]? {
        let plain = PercentEncoding.bytes(text)
        return plain.count == text.count ? nil : plain
    }

    private static func number(_ digits: ArraySlice<UInt8>, digits count: Int) -> Int? {
        guard digits.count == count, digits.allSatisfy({ $0.hexadecimalValue != nil }) else { return nil }
        return Int(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
