// SPDX-License-Identifier: Apache-2.0

/// The classes of ASCII characters. Loops over long texts ask for them at each byte: other modules inline them.
extension UInt8 {
    /// `0` to `9`.
    @inlinable package var isASCIIDigit: Bool { self &- 48 < 10 }

    /// `A` to `Z`.
    @inlinable package var isASCIICapital: Bool { self &- 65 < 26 }

    /// `a` to `z`.
    @inlinable package var isASCIISmallLetter: Bool { self &- 97 < 26 }

    @inlinable package var isASCIILetter: Bool { (self | 0x20).isASCIISmallLetter }

    @inlinable package var isASCIILetterOrDigit: Bool { isASCIILetter || isASCIIDigit }

    /// The character in the other case if it is a capital; itself otherwise.
    @inlinable package var withoutASCIICapital: UInt8 { isASCIICapital ? self | 0x20 : self }

    /// A letter, a digit, `-`, `.`, `_` or `~`: an address contains it unescaped (RFC 3986, 2.3).
    @inlinable package var isUnreserved: Bool {
        isASCIILetterOrDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "_")
            || self == UInt8(ascii: "~")
    }

    /// The value of a hexadecimal digit of either case; `nil` for any other character.
    @inlinable package var hexadecimalValue: UInt8? {
        if isASCIIDigit { return self &- 48 }
        let letter = (self | 0x20) &- 97
        return letter < 6 ? letter + 10 : nil
    }
}
