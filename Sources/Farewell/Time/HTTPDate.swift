// SPDX-License-Identifier: Apache-2.0

/// The date of HTTP (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970; nil for another form, and for a day that does not exist.
    package static func seconds(_ text: String) -> Double? {
        let words = text.split { $0 == " " || $0 == "," || $0 == ":" }
        guard words.count == 8, words[7] == "GMT", let number = Int(words[1]), let year = Int(words[3]), year >= 1970,
            let month = months.firstIndex(of: String(words[2])),
            let day = CalendarDay(year: year, month: month + 1, day: number),
            let hour = Int(words[4]), let minute = Int(words[5]), let second = Int(words[6]), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        return Double(day.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + second)
    }
}
