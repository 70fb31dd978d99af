// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Values in PostgreSQL's text form, both ways.
enum PostgreSQLText {
    static func encode(_ value: SQLValue) throws -> String {
        switch value {
        case .null: ""
        case .bool(let value): value ? "t" : "f"
        case .integer(let value): String(value)
        case .double(let value): double(value)
        case .numeric(let text), .text(let text), .json(let text): try withoutNul(text)
        case .uuid(let uuid): uuid.text
        case .timestamp(let date): SQLInstant.iso8601(date)
        case .bytes(let bytes): "\\x" + bytes.hexadecimal
        case .array(let elements): try PostgreSQLArray.encode(elements)
        }
    }

    static func decode(_ text: UnsafeBufferPointer<UInt8>, as type: PostgreSQLType) -> SQLValue {
        switch type {
        case .bool: return .bool(text.first == UInt8(ascii: "t"))
        case .integer: return integer(text).map(SQLValue.integer) ?? .text(string(text))
        case .double: return double(string(text)).map(SQLValue.double) ?? .text(string(text))
        case .numeric: return .numeric(string(text))
        case .text: return .text(string(text))
        // `character(n)`: spaces at the end mean nothing (PostgreSQL 15, 8.3).
        case .paddedText:
            let end = text.lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? 0
            return .text(string(UnsafeBufferPointer(rebasing: text[..<end])))
        case .uuid: return uuid(text).map(SQLValue.uuid) ?? .text(string(text))
        case .timestamp: return SQLInstant.read(text).map(SQLValue.timestamp) ?? .text(string(text))
        case .json: return .json(string(text))
        case .bytes: return bytes(text).map(SQLValue.bytes) ?? .text(string(text))
        }
    }

    private static func withoutNul(_ text: String) throws -> String {
        guard !text.containsNul else {
            throw FarewellError(
                "sql.22021", .yoursToFix, "A text contains a NUL character, which PostgreSQL cannot store.",
                remedy: "Remove it or use bytes.")
        }
        return text
    }

    private static func string(_ text: UnsafeBufferPointer<UInt8>) -> String {
        String(decoding: text, as: UTF8.self)
    }

    private static func integer(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        var value: Int64 = 0
        let isNegative = text.first == UInt8(ascii: "-")
        for byte in text.dropFirst(isNegative ? 1 : 0) {
            guard byte.isASCIIDigit else { return nil }
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(byte - 48)
            let (next, more) = shifted.addingReportingOverflow(isNegative ? -digit : digit)
            if overflow || more { return nil }
            value = next
        }
        return value
    }

    private static func double(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        return String(value)
    }

    private static func double(_ text: String) -> Double? {
        switch text {
        case "NaN": .nan
        case "Infinity": .infinity
        case "-Infinity": -.infinity
        default: Double(text)
        }
    }

    private static func uuid(_ text: UnsafeBufferPointer<UInt8>) -> UUID? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        var high: UInt8?
        for character in text where character != UInt8(ascii: "-") {
            guard let digit = character.hexadecimalValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard bytes.count == 16, high == nil else { return nil }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private static func bytes(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.starts(with: "\\x".utf8) else { return nil }
        return UnsafeBufferPointer(rebasing: text[2...]).hexadecimalBytes
    }
}
