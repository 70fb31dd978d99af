// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// How a value of a row is written in the files of an export.
enum ExportText {
    /// A cell of a CSV file (RFC 4180). Null is empty, an empty text is `""`.
    ///
    /// A text that a spreadsheet would take for a formula has an apostrophe before it, and so has a text that begins
    /// with one: without its first apostrophe, each is what it was. Numbers are left as they are.
    static func csv(_ value: SQLValue, _ kind: SchemaColumn.Kind, to bytes: inout [UInt8]) {
        switch value {
        case .null: return
        case .integer(let number): bytes += String(number).utf8
        case .double(let number) where number.isFinite: bytes += number.description.utf8
        case .bytes(let raw): bytes += hexadecimal(raw).utf8
        default:
            var text = value.text ?? ""
            text.withUTF8 { csv(text: $0, TextContents(of: $0), kind, to: &bytes) }
        }
    }

    /// A cell of a value in the database's own writing.
    static func csv(
        text: UnsafeBufferPointer<UInt8>, _ contents: TextContents, _ kind: SchemaColumn.Kind, to bytes: inout [UInt8]
    ) {
        cell(text, contents, isNumber: isNumeric(kind) && isNumber(text), to: &bytes)
    }

    static func csv(name: String, to bytes: inout [UInt8]) {
        var name = name
        name.withUTF8 { cell($0, TextContents(of: $0), isNumber: false, to: &bytes) }
    }

    private static func cell(
        _ text: UnsafeBufferPointer<UInt8>, _ contents: TextContents, isNumber: Bool, to bytes: inout [UInt8]
    ) {
        let isRisky = !isNumber && looksLikeFormula(text)
        let needsQuotes =
            text.isEmpty || isRisky || text.first == space || text.last == space
            || !contents.isDisjoint(with: [.control, .quote, .separator])
        guard needsQuotes else { return bytes.append(contentsOf: text) }
        bytes.append(quote)
        if isRisky { bytes.append(UInt8(ascii: "'")) }
        for byte in text {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }

    /// Whether a spreadsheet may compute the text: it begins, perhaps behind white space and characters without width,
    /// with `=`, `+`, `-`, `@` or one of their full-width forms; or with an apostrophe, which is the mark itself.
    private static func looksLikeFormula(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        // Most texts begin with a letter or a digit.
        guard text.first?.isASCIILetterOrDigit == false, let first = firstVisible(in: text) else { return false }
        switch text[0] {
        case UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): return true
        default: break
        }
        switch first {
        case "=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}", "'": return true
        default: return false
        }
    }

    /// The first character of a text that is no control character, no white space and not without width.
    private static func firstVisible(in text: UnsafeBufferPointer<UInt8>) -> Unicode.Scalar? {
        var rest = text[...]
        while let byte = rest.first {
            guard byte >= 0x80 else {
                if byte > space, byte != 0x7f { return Unicode.Scalar(byte) }
                rest.removeFirst()
                continue
            }
            // No character is longer than four bytes.
            let next = String(decoding: rest.prefix(4), as: UTF8.self).unicodeScalars.first ?? "\u{fffd}"
            let properties = next.properties
            guard properties.isWhitespace || properties.isDefaultIgnorableCodePoint || next.value < 0xa0 else {
                return next
            }
            rest.removeFirst(min(String(next).utf8.count, rest.count))
        }
        return nil
    }

    /// A value as JSON (RFC 8259): numbers, truth values and documents as such where the database says that they are,
    /// everything else as text; bytes as `\x` and hexadecimal digits.
    static func json(_ value: SQLValue, _ kind: SchemaColumn.Kind, to bytes: inout [UInt8]) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let number): bytes += String(number).utf8
        case .double(let number) where number.isFinite: bytes += number.description.utf8
        case .bytes(let raw): JSONString.write(hexadecimal(raw), to: &bytes)
        case .json(let document): bytes += document.utf8
        default:
            var text = value.text ?? ""
            text.withUTF8 { json(text: $0, TextContents(of: $0), kind, to: &bytes) }
        }
    }

    /// A value in the database's own writing as JSON.
    static func json(
        text: UnsafeBufferPointer<UInt8>, _ contents: TextContents, _ kind: SchemaColumn.Kind, to bytes: inout [UInt8]
    ) {
        let isBare =
            switch kind {
            case .integer, .number: isNumber(text)
            case .boolean: text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8)
            default: false
            }
        guard !isBare else { return bytes.append(contentsOf: text) }
        JSONString.write(text, hasEscape: !contents.isDisjoint(with: [.control, .quote, .backslash]), to: &bytes)
    }

    /// Texts that may not be UTF-8, as a database has them that does not check, get U+FFFD where they are not. Their
    /// ASCII characters stay, and so do their contents.
    static func withUTF8(
        _ text: UnsafeBufferPointer<UInt8>, _ contents: TextContents, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        guard contents.contains(.beyondASCII) else { return body(text) }
        var repaired = String(decoding: text, as: UTF8.self)
        repaired.withUTF8(body)
    }

    /// Whether a text is a number of JSON: `-1.5e10`, and neither `NaN` nor `007`.
    private static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var place = 0
        func digits() -> Int {
            let start = place
            while place < text.count, text[place].isASCIIDigit { place += 1 }
            return place - start
        }
        if text.first == UInt8(ascii: "-") { place = 1 }
        let start = place
        let whole = digits()
        guard whole > 0, whole == 1 || text[start] != 48 else { return false }
        if place < text.count, text[place] == UInt8(ascii: ".") {
            place += 1
            guard digits() > 0 else { return false }
        }
        if place < text.count, text[place] | 0x20 == UInt8(ascii: "e") {
            place += 1
            if place < text.count, text[place] == UInt8(ascii: "+") || text[place] == UInt8(ascii: "-") { place += 1 }
            guard digits() > 0 else { return false }
        }
        return place == text.count
    }

    private static func isNumeric(_ kind: SchemaColumn.Kind) -> Bool { kind == .integer || kind == .number }

    /// A value as readers see it, cut after this number of characters.
    static func shown(_ value: SQLValue, most: Int = 300) -> String {
        if case .bytes(let raw) = value {
            return hexadecimal(Array(raw.prefix(most / 2))) + (raw.count > most / 2 ? "…" : "")
        }
        let text = value.text ?? ""
        guard text.utf8.count > most else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(most))) + "…"
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String { "\\x" + bytes.hexadecimal }

    private static let quote = UInt8(ascii: "\"")
    private static let space = UInt8(ascii: " ")
}
