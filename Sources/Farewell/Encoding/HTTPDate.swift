// SPDX-License-Identifier: Apache-2.0

/// The date of HTTP (RFC 9110, 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Seconds since 1970; nil for another form, and for a day that does not exist.
    package static func seconds(_ text: String) -> Double? {
        let words = text.split { $0 == " " || $0 == "," || $0 == ":" }
        guard words.count == 8, let day = Int(words[1]), let month = months.firstIndex(of: String(words[2])),
            let year = Int(words[3]), let hour = Int(words[4]), let minute = Int(words[5]), let second = Int(words[6]),
            (1970...9999).contains(year), (1...length(of: month, in: year)).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second), words[7] == "GMT"
        else { return nil }
        return Double(days(year, month + 1, day) * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    /// How many days a month has, counted from 0.
    private static func length(of month: Int, in year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
    }

    /// Days since 1970 in the calendar of today.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let moved = month <= 2 ? year - 1 : year
        let era = moved / 400
        let ofEra = moved - era * 400
        let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }
}
