// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

extension SQLValue {
    /// The day of a date in either database's form; `nil` if it cannot be a date, or could be something else.
    ///
    /// SQLite has no dates of its own. There they are text that begins with the day (ISO 8601), or a number of seconds,
    /// milliseconds, microseconds or nanoseconds since 1970. Only numbers of the years 1990 to 2200 count: a year
    /// (`2025`) or a day (`20251103`) would otherwise be a moment in 1970.
    package var day: CalendarDay? {
        if let date { return CalendarDay(date) }
        if case .text(let text) = self {
            let next = text.utf8.dropFirst(10).first
            let isDay = next.map { [UInt8(ascii: "T"), UInt8(ascii: " ")].contains($0) } ?? true
            return isDay ? CalendarDay(parsing: String(decoding: text.utf8.prefix(10), as: UTF8.self)) : nil
        }
        let number: Double? =
            switch self {
            case .integer(let number): Double(number)
            case .double(let number): number
            default: nil
            }
        guard let number else { return nil }
        // From the first second of 1990 to the last of 2199.
        let seconds = [1, 1e3, 1e6, 1e9].map { number / $0 }.first { (631_152_000..<7_258_118_400).contains($0) }
        return seconds.map { CalendarDay(Date(timeIntervalSince1970: $0)) }
    }
}
