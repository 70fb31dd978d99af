// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Instants in text, exact to the microsecond, in the proleptic Gregorian calendar both databases use.
enum SQLInstant {
    private static let secondsFrom1970To2001: Double = 978_307_200

    /// `2026-05-06T07:08:09.123456Z`
    static func iso8601(_ date: Date) -> String {
        let (day, micros) = split(date)
        let (year, month, dayOfMonth) = civil(day)
        let seconds = micros / 1_000_000
        guard (0...9999).contains(year) else { return distant(year, month, dayOfMonth, micros) }
        return FixedText.text(27) { text in
            text.number(year, 4)
            text.sign("-")
            text.number(month, 2)
            text.sign("-")
            text.number(dayOfMonth, 2)
            text.sign("T")
            text.number(seconds / 3600, 2)
            text.sign(":")
            text.number(seconds / 60 % 60, 2)
            text.sign(":")
            text.number(seconds % 60, 2)
            text.sign(".")
            text.number(micros % 1_000_000, 6)
            text.sign("Z")
        }
    }

    /// The same, of years that have more digits or a sign.
    private static func distant(_ year: Int, _ month: Int, _ dayOfMonth: Int, _ micros: Int) -> String {
        let seconds = micros / 1_000_000
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))T"
            + "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
            + ".\(padded(micros % 1_000_000, 6))Z"
    }

    /// Reads PostgreSQL's ISO output such as `2026-05-06 07:08:09.123+02`. `infinity` and years before
    /// Christ have no such instant and give `nil`.
    static func read(_ text: UnsafeBufferPointer<UInt8>) -> Date? {
        var rest = text[...]
        guard let year = number(&rest), skip(&rest, "-"), let month = number(&rest), skip(&rest, "-"),
            let day = number(&rest), skip(&rest, " "), let hour = number(&rest), skip(&rest, ":"),
            let minute = number(&rest), skip(&rest, ":"), let second = number(&rest)
        else { return nil }
        var micros = 0
        if skip(&rest, ".") {
            let before = rest.count
            guard let fraction = number(&rest), before - rest.count <= 6 else { return nil }
            micros = (0..<(6 - (before - rest.count))).reduce(fraction) { value, _ in value * 10 }
        }
        guard let offset = offset(&rest), rest.isEmpty else { return nil }
        let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
        let whole = Double(seconds) - secondsFrom1970To2001
        return Date(timeIntervalSinceReferenceDate: whole + Double(micros) / 1_000_000)
    }

    /// Days since 1970 and microseconds within the day, rounded to the microsecond.
    private static func split(_ date: Date) -> (day: Int, micros: Int) {
        let interval = date.timeIntervalSinceReferenceDate
        // Beyond any year a database takes, or no number: the database refuses it, we need not overflow.
        let bounded = interval > -1e13 ? min(interval, 1e13) : -1e13
        let whole = bounded.rounded(.down)
        let fraction = bounded - whole
        let seconds = Int(whole) + Int(secondsFrom1970To2001)
        let micros = Int((fraction * 1_000_000).rounded())
        let total = (seconds + micros / 1_000_000, micros % 1_000_000)
        let day = Int((Double(total.0) / 86_400).rounded(.down))
        return (day, (total.0 - day * 86_400) * 1_000_000 + total.1)
    }

    /// The civil date of a day number, by counting in eras of 400 years that begin on 1 March.
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func offset(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let sign: Int
        if skip(&rest, "+") { sign = 1 } else if skip(&rest, "-") { sign = -1 } else { return nil }
        var parts = [0, 0, 0]
        for index in parts.indices where index == 0 || skip(&rest, ":") {
            guard let part = number(&rest) else { return nil }
            parts[index] = part
        }
        return sign * (parts[0] * 3600 + parts[1] * 60 + parts[2])
    }

    private static func number(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let digits = rest.prefix { $0.isASCIIDigit }
        guard !digits.isEmpty, digits.count <= 9 else { return nil }
        rest = rest[digits.endIndex...]
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func skip(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>, _ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(abs(number))
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
