// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Farewell

@Suite("Text of fixed length, and its instants")
struct FixedTextTests {
    @Test("numbers have their width, and no write exceeds the available space")
    func width() {
        #expect(
            FixedText.text(8) {
                $0.number(7, 3); $0.sign("-"); $0.number(1234, 4)
            } == "007-1234")
        #expect(
            FixedText.text(4) {
                $0.number(1234, 2); $0.sign("."); $0.number(56, 2); $0.sign("x")
            } == "34.x")
        #expect(FixedText.text(40) { $0.number(0, 40) } == String(repeating: "0", count: 40))
        #expect(FixedText.text(0) { $0.sign("a") }.isEmpty)
    }

    @Test("instants of any year are written and read back unchanged")
    func instants() throws {
        for seconds in [-62_135_596_800, -1, 0, 0.001, 1_763_723_280.123, 4_102_444_799.999, 253_402_300_799.5] {
            let date = Date(timeIntervalSince1970: seconds)
            let text = UTCTime.text(date)
            #expect(text.utf8.count == 24 && UTCTime.date(text) == UTCTime.rounded(date), "\(text)")
            #expect(CalendarDay(date).description == text.prefix(10))
        }
    }

    @Test("a fraction of a second is read as the nearest representable number, whatever its number of digits")
    func fractions() throws {
        let whole = try #require(RFC3339.date("2001-01-01T00:00:00Z"))
        for digits in ["5", "1", "123456", "000001", "999999999", "123456789012345", "1234567890123456789", "3000000000000000000"] {
            let date = try #require(RFC3339.date("2001-01-01 00:00:00.\(digits)Z"))
            #expect(date.timeIntervalSince(whole) == Double("0.\(digits)"), "\(digits)")
        }
        for text in [
            "2001-01-01T00:00:00.Z", "2001-1-01T00:00:00Z", "2001-02-30T00:00:00Z", "20010-01-01T00:00:00Z", "2001-01-01T00:00:00.1",
            "+001-01-01T00:00:00Z",
        ] {
            #expect(RFC3339.date(text) == nil, "\(text)")
        }
    }
}
