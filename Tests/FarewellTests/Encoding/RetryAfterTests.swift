// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Testing

@Suite("Dates and pauses of HTTP")
struct RetryAfterTests {
    @Test("an HTTP date equals Foundation's, on every day of four centuries")
    func dates() throws {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        for day in stride(from: 0, to: 146_097, by: 7) {
            let seconds = Double(day * 86_400 + day % 86_400)
            #expect(HTTPDate.seconds(format.string(from: Date(timeIntervalSince1970: seconds))) == seconds)
        }
    }

    @Test("a day that does not exist is refused as a date")
    func noDays() {
        #expect(HTTPDate.seconds("Thu, 29 Feb 2024 00:00:00 GMT") != nil)
        for day in ["29 Feb 2023", "30 Feb 2024", "29 Feb 2100", "31 Apr 2024", "00 Jan 2024"] {
            #expect(HTTPDate.seconds("Thu, \(day) 00:00:00 GMT") == nil)
        }
    }

    @Test("a pause is given in seconds or as a date, never below zero and never above a day")
    func pauses() {
        #expect(RetryAfter.seconds("120", now: 0) == 120)
        #expect(RetryAfter.seconds("Thu, 01 Jan 1970 00:01:40 GMT", now: 40) == 60)
        #expect(RetryAfter.seconds("Thu, 01 Jan 1970 00:01:40 GMT", now: 400) == 0)
        #expect(RetryAfter.seconds("Sat, 01 Jan 2050 00:00:00 GMT", now: 0) == 86_400)
        #expect(RetryAfter.seconds("1e300", now: 0) == 86_400)
        for odd in ["", "-1", "inf", "-inf", "nan", "soon", "1 2"] { #expect(RetryAfter.seconds(odd, now: 0) == nil) }
    }
}
