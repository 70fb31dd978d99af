// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Instants as text: ISO 8601 in UTC with milliseconds, `2025-11-21T11:08:00.123Z`.
///
/// One notation with one spelling for each instant, so that signed text has one form only.
package enum UTCTime {
    package static func text(_ date: Date) -> String {
        let total = milliseconds(of: date)
        let days = total.quotientRoundedDown(by: 86_400_000)
        let rest = Int(total - days * 86_400_000)
        let day = CalendarDay(daysSince1970: Int(days))
        return FixedText.text(24) { text in
            day.write(to: &text)
            text.sign("T")
            text.number(rest / 3_600_000, 2)
            text.sign(":")
            text.number(rest / 60_000 % 60, 2)
            text.sign(":")
            text.number(rest / 1000 % 60, 2)
            text.sign(".")
            text.number(rest % 1000, 3)
            text.sign("Z")
        }
    }

    /// Reads only the form that `text` writes; `nil` for any other.
    package static func date(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard bytes.count == 24, bytes[10] == UInt8(ascii: "T"), bytes[23] == UInt8(ascii: "Z"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "."),
            let day = CalendarDay(parsing: String(decoding: bytes[..<10], as: UTF8.self)),
            let hour = number(bytes[11..<13]), hour < 24, let minute = number(bytes[14..<16]), minute < 60,
            let second = number(bytes[17..<19]), second < 60, let millisecond = number(bytes[20..<23])
        else { return nil }
        let total = ((day.daysSince1970 * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + millisecond
        return Date(timeIntervalSince1970: Double(total) / 1000)
    }

    /// To the nearest millisecond, which is all that the text form keeps.
    package static func rounded(_ date: Date) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds(of: date)) / 1000)
    }

    static func milliseconds(of date: Date) -> Int64 {
        let value = (date.timeIntervalSince1970 * 1000).rounded()
        // The years 1 to 9999; also keeps the conversion below from trapping.
        guard !value.isNaN else { return 0 }
        return Int64(min(max(value, -62_135_596_800_000), 253_402_300_799_999))
    }

    /// A number of decimal digits only: no sign, no space.
    static func number(_ digits: some Collection<UInt8>) -> Int? {
        digits.allSatisfy { $0.isASCIIDigit } ? Int(String(decoding: digits, as: UTF8.self)) : nil
    }
}

extension KeyedEncodingContainer {
    package mutating func encode(time: Date, forKey key: Key) throws {
        try encode(UTCTime.text(time), forKey: key)
    }

    package mutating func encode(identifier: UUID, forKey key: Key) throws {
        try encode(identifier.text, forKey: key)
    }
}

extension KeyedDecodingContainer {
    package func decodeTime(forKey key: Key) throws -> Date {
        guard let date = UTCTime.date(try decode(String.self, forKey: key)) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "not a time in UTC")
        }
        return date
    }

    package func decodeIdentifier(forKey key: Key) throws -> UUID {
        let text = try decode(String.self, forKey: key)
        guard let uuid = UUID(text: text), uuid.text == text else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "not an identifier")
        }
        return uuid
    }
}
