// SPDX-License-Identifier: Apache-2.0
import Farewell

extension UInt8 {
    /// Whether a byte of SQL can be part of a name or a word without quotes: a letter, a digit, `_`, `$`, or any sign
    /// beyond ASCII (PostgreSQL 15, 4.1.1; SQLite's `IdChar`).
    package var isPartOfIdentifier: Bool {
        isASCIILetterOrDigit || self == UInt8(ascii: "_") || self == UInt8(ascii: "$") || self >= 128
    }
}
