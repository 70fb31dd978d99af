// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL
import Foundation

/// Reads the columns of one row in the order of the query.
struct RowReader {
    private var rest: ArraySlice<SQLValue>

    init(_ row: [SQLValue]) { self.init(row[...]) }

    init(_ rest: ArraySlice<SQLValue>) { self.rest = rest }

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

    /// The members of a JSON object; none if there is no document.
    mutating func members() throws -> [String: JSONValue] {
        guard let text = try text(), text != "{}" else { return [:] }
        return try required(try Self.document(text).object)
    }

    /// How a user proved who they are; no ways if there is no document.
    mutating func methods() throws -> [AuthenticationMethod] {
        guard let text = try text() else { return [] }
        return try required(try Self.document(text).array).map { try required(AuthenticationMethod($0)) }
    }

    /// Our own reader is many times as quick as the system's, which takes what ours finds doubtful.
    private static func document(_ text: String) throws -> JSONValue {
        if let value = try? StrictJSON.value(Array(text.utf8), depth: 64, marks: .separated) { return value }
        guard let value = try? CanonicalJSON.value(JSONValue.self, from: Data(text.utf8)) else { throw unreadable }
        return value
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
        .json(try CanonicalJSON.text(value))
    }
}
