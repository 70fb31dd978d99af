// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A day of the Gregorian calendar in UTC, such as the last day a row is kept: `2035-11-21`.
///
/// Between 0001-01-01 and 9999-12-31; a day beyond is replaced by the nearer end.
public struct CalendarDay: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let year: Int
    /// 1 to 12.
    public let month: Int
    /// 1 to the length of the month.
    public let day: Int

    static let first = CalendarDay(checkedYear: 1, 1, 1)
    static let last = CalendarDay(checkedYear: 9999, 12, 31)

    /// `nil` when there is no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
        guard day >= 1, day <= Self.length(ofMonth: month, in: year) else { return nil }
        self.init(checkedYear: year, month, day)
    }

    /// The day an instant falls on in UTC.
    public init(_ date: Date) {
        self.init(daysSince1970: Int(UTCTime.milliseconds(of: date).quotientRoundedDown(by: 86_400_000)))
    }

    /// Reads only the form `2035-11-21`.
    public init?(parsing text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.count) == [4, 2, 2] else { return nil }
        let numbers = parts.compactMap { UTCTime.number($0) }
        guard numbers.count == 3 else { return nil }
        self.init(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    /// This day and a period later. The 31st becomes the last day of a shorter month.
    public func adding(_ period: Period) -> CalendarDay {
        switch period.unit {
        case .day: CalendarDay(daysSince1970: daysSince1970 + min(period.count, 4_000_000))
        case .month: adding(months: min(period.count, 120_000))
        case .year: adding(months: min(period.count, 10_000) * 12)
        }
    }

    private func adding(months: Int) -> CalendarDay {
        let total = year * 12 + (month - 1) + months
        let (newYear, newMonth) = (total / 12, total % 12 + 1)
        guard newYear <= 9999 else { return .last }
        return CalendarDay(checkedYear: newYear, newMonth, min(day, Self.length(ofMonth: newMonth, in: newYear)))
    }

    public var description: String { FixedText.text(10, write) }

    func write(to text: inout FixedText) {
        text.number(year, 4)
        text.sign("-")
        text.number(month, 2)
        text.sign("-")
        text.number(day, 2)
    }

    public static func < (left: CalendarDay, right: CalendarDay) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    private init(checkedYear year: Int, _ month: Int, _ day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    private static func length(ofMonth month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

// Counted in years that begin in March, so that the leap day is the last of its year.
extension CalendarDay {
    /// Days from 0000-03-01 to 1970-01-01.
    private static let epoch = 719_468
    private static let daysIn400Years = 146_097

    var daysSince1970: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let (cycle, yearOfCycle) = (marchYear / 400, marchYear % 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear
        return cycle * Self.daysIn400Years + dayOfCycle - Self.epoch
    }

    init(daysSince1970 days: Int) {
        let bounded = min(max(days, Self.first.daysSince1970), Self.last.daysSince1970)
        let shifted = bounded + Self.epoch
        let (cycle, dayOfCycle) = (shifted / Self.daysIn400Years, shifted % Self.daysIn400Years)
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = (marchMonth + 2) % 12 + 1
        let year = cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0)
        self.init(checkedYear: year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}

extension CalendarDay: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let day = CalendarDay(parsing: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a calendar day")
        }
        self = day
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Int64 {
    func quotientRoundedDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
