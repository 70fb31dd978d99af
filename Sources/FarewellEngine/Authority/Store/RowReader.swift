// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// Reads the columns of one row in the order in which they were asked for.
struct RowReader {
    private var rest: ArraySlice<SQLValue>

    init(_ row: [SQLValue]) { rest = row[...] }

    static let unreadable = FarewellError(
        "authority.unreadable", .ours, "A row of the session store cannot be read.")

    mutating func value() throws -> SQLValue {
        guard let value = rest.popFirst() else { throw Self.unreadable }
        return value
    }

    mutating func text() throws -> String? { try value().text }

    mutating func requiredText() throws -> String { try required(try text()) }

    mutating func identifier() throws -> UUID? { try value().identifier }

    mutating func requiredIdentifier() throws -> UUID { try required(try identifier()) }

    mutating func integer() throws -> Int64? { try value().integer }

    mutating func requiredInteger() throws -> Int64 { try required(try integer()) }

    mutating func bool() throws -> Bool { try value().integer == 1 }

    mutating func bytes() throws -> [UInt8]? { try value().bytes }

    mutating func requiredBytes() throws -> [UInt8] { try required(try bytes()) }

    mutating func date() throws -> Date? {
        switch try value() {
        case .null: nil
        case .timestamp(let date): date
        case let other: try required(other.text.flatMap(RFC3339.date))
        }
    }

    mutating func requiredDate() throws -> Date { try required(try date()) }

    mutating func json<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        guard let text = try text() else { return nil }
        // Most people have none: no decoder is needed for that.
        if text == "{}", let empty = [String: JSONValue]() as? Value { return empty }
        return try required(try? JSONDecoder().decode(type, from: Data(text.utf8)))
    }

    private func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Self.unreadable }
        return value
    }
}

extension SQLValue {
    static func optional(_ text: String?) -> SQLValue { text.map(SQLValue.text) ?? .null }
    static func optional(_ date: Date?) -> SQLValue { date.map(SQLValue.timestamp) ?? .null }
    static func optional(_ bytes: [UInt8]?) -> SQLValue { bytes.map(SQLValue.bytes) ?? .null }

    /// A value as a JSON document.
    static func document(_ value: some Encodable) throws -> SQLValue {
        .json(String(decoding: try CanonicalJSON.data(value), as: UTF8.self))
    }
}
