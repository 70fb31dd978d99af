// SPDX-License-Identifier: Apache-2.0

/// A place in the bytes of a JSON text (RFC 8259), and the moves over what has no parts. The readers that keep values
/// and the ones that do not read the same language by them.
protocol JSONCursor {
    associatedtype Bytes: RandomAccessCollection<UInt8> where Bytes.Index == Int

    var bytes: Bytes { get }
    var position: Int { get set }
}

extension JSONCursor {
    @inline(__always)
    var peek: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    mutating func skipSpace() {
        while let next = peek, next == 0x20 || next == 0x0a || next == 0x0d || next == 0x09 { position += 1 }
    }

    mutating func skip(word: StaticString) throws(StrictJSON.Fault) {
        let isThere = word.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard isThere else { throw .syntax }
        position += word.utf8CodeUnitCount
    }

    /// Moves behind a number; returns whether it is written without a fraction and an exponent.
    mutating func skipNumber() throws(StrictJSON.Fault) -> Bool {
        _ = take(UInt8(ascii: "-"))
        let start = position
        let whole = skipDigits()
        guard whole == 1 || whole > 1 && bytes[start] != UInt8(ascii: "0") else { throw .syntax }
        var isWhole = true
        if take(UInt8(ascii: ".")) {
            isWhole = false
            guard skipDigits() > 0 else { throw .syntax }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isWhole = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard skipDigits() > 0 else { throw .syntax }
        }
        return isWhole
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let next = peek, next.isASCIIDigit { position += 1 }
        return position - start
    }

    /// The four digits of an escape, `\u00e9`.
    mutating func hexadecimal() throws(StrictJSON.Fault) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek?.hexadecimalValue else { throw .syntax }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }
}
