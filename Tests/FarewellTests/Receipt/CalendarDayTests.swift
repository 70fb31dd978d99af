// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@Suite("Days and times of a receipt")
struct CalendarDayTests {
    @Test("a day agrees with the Gregorian calendar for every day of nine centuries")
    func calendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        // 1601 to 2500: each kind of century, before and after 1970.
        for number in stride(from: -134_774, through: 193_700, by: 1) {
            let date = Date(timeIntervalSince1970: Double(number) * 86_400 + 43_200)
            let day = CalendarDay(date)
            if number.isMultiple(of: 97) {
                let parts = calendar.dateComponents([.year, .month, .day], from: date)
                #expect(day.year == parts.year && day.month == parts.month && day.day == parts.day)
            }
            let next = day.adding(Period(1, .day))
            #expect(day < next && CalendarDay(date.addingTimeInterval(86_400)) == next)
        }
    }

    @Test(
        "text that is not a day is refused",
        arguments: [
            "", "2025", "2025-02-29", "2100-02-29", "2025-13-01", "2025-00-10", "2025-01-00", "2025-01-32",
            "0000-01-01",
            "2025-1-1", "+025-01-01", "2025-01-01 ", "٢٠٢٥-٠١-٠١", "2025-01-01T00:00:00Z", "-2025-01-01",
        ])
    func malformed(text: String) {
        #expect(CalendarDay(parsing: text) == nil)
    }

    @Test("the text of a day reads back as the same day")
    func roundTrip() throws {
        for text in ["0001-01-01", "1970-01-01", "2024-02-29", "2000-02-29", "9999-12-31"] {
            #expect(try #require(CalendarDay(parsing: text)).description == text)
        }
    }

    @Test("a period ends on the last day of a shorter month, and within the calendar")
    func periods() throws {
        let leap = try #require(CalendarDay(year: 2024, month: 2, day: 29))
        #expect(leap.adding(Period(1, .year)).description == "2025-02-28")
        #expect(leap.adding(Period(4, .year)).description == "2028-02-29")
        let january = try #require(CalendarDay(year: 2025, month: 1, day: 31))
        #expect(january.adding(Period(1, .month)).description == "2025-02-28")
        #expect(january.adding(Period(11, .month)).description == "2025-12-31")
        #expect(january.adding(Period(30, .day)).description == "2025-03-02")
        #expect(january.adding(Period(0, .day)) == january)
        for unit in Period.Unit.allCases {
            #expect(january.adding(Period(.max, unit)).description == "9999-12-31")
        }
    }

    @Test("instants beyond the calendar are limited to its ends")
    func extremes() {
        #expect(CalendarDay(Date(timeIntervalSince1970: .infinity)).description == "9999-12-31")
        #expect(CalendarDay(Date(timeIntervalSince1970: -.infinity)).description == "0001-01-01")
        #expect(CalendarDay(Date(timeIntervalSince1970: .nan)).description == "1970-01-01")
        #expect(UTCTime.text(Date(timeIntervalSince1970: 1e300)) == "9999-12-31T23:59:59.999Z")
    }

    @Test("an instant is written to the millisecond in UTC and reads back the same")
    func instants() throws {
        #expect(UTCTime.text(Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00.000Z")
        #expect(UTCTime.text(Date(timeIntervalSince1970: -0.001)) == "1969-12-31T23:59:59.999Z")
        #expect(UTCTime.text(Date(timeIntervalSince1970: 1_763_723_280.1234)) == "2025-11-21T11:08:00.123Z")
        for millisecond in 0..<1000 {
            let date = Date(timeIntervalSince1970: 1_763_723_280 + Double(millisecond) / 1000)
            #expect(UTCTime.date(UTCTime.text(date)) == UTCTime.rounded(date))
        }
        for text in ["2025-11-21T11:08:00Z", "2025-11-21T24:00:00.000Z", "2025-11-21t11:08:00.123z", "x", ""] {
            #expect(UTCTime.date(text) == nil)
        }
    }
}
