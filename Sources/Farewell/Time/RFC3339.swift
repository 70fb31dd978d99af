// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Instants in the text form of other programs (RFC 3339): any offset, any number of digits after the point.
package enum RFC3339 {
    /// Reads `2026-08-20T10:54:52.123456Z`, also with a space for the `T` and an offset such as `+02:00` or `+02`;
    /// `nil` for any other text.
    package static func date(_ text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        guard let year = number(&rest, 4), skip(&rest, "-"), let month = number(&rest), skip(&rest, "-"),
            let dayOfMonth = number(&rest), let day = CalendarDay(year: year, month: month, day: dayOfMonth)
        else { return nil }
        guard rest.first == UInt8(ascii: "T") || rest.first == UInt8(ascii: " ") else { return nil }
        rest = rest.dropFirst()
        guard let hour = number(&rest), hour < 24, skip(&rest, ":"), let minute = number(&rest), minute < 60,
            skip(&rest, ":"), let second = number(&rest), second <= 60
        else { return nil }
        var fraction = 0.0
        if skip(&rest, ".") {
            let digits = rest.prefix { $0.isASCIIDigit }
            guard let value = Self.fraction(digits) else { return nil }
            fraction = value
            rest = rest.dropFirst(digits.count)
        }
        guard let offset = offset(&rest), rest.isEmpty else { return nil }
        let seconds = ((day.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second - offset
        // Counted from 2001, which leaves room for the microseconds.
        return Date(timeIntervalSinceReferenceDate: Double(seconds - 978_307_200) + fraction)
    }

    /// Seconds east of Greenwich.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int? {
        if skip(&rest, "Z") { return 0 }
        guard let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        rest = rest.dropFirst()
        guard let hours = number(&rest), hours < 24 else { return nil }
        var minutes = 0
        if skip(&rest, ":") {
            guard let value = number(&rest), value < 60 else { return nil }
            minutes = value
        }
        return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -60 : 60)
    }

    private static let tens: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    /// The digits after the point. Up to 15 digits are a whole number that a double holds exactly, as is the power of
    /// ten beneath it, so that dividing rounds as reading does.
    private static func fraction(_ digits: ArraySlice<UInt8>) -> Double? {
        guard !digits.isEmpty else { return nil }
        guard digits.count < tens.count else { return Double("0." + String(decoding: digits, as: UTF8.self)) }
        return Double(digits.reduce(0) { $0 * 10 + Int($1 - 48) }) / tens[digits.count]
    }

    /// This number of digits.
    private static func number(_ rest: inout ArraySlice<UInt8>, _ count: Int = 2) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ $0.isASCIIDigit }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func skip(_ rest: inout ArraySlice<UInt8>, _ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
