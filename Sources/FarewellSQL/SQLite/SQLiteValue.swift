// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import GRDB

/// Values between the seam and SQLite, which knows five kinds: null, integer, real, text and blob.
///
/// A uuid travels as lower-case text, an instant as ISO 8601 text in UTC with microseconds, a truth value
/// as 0 or 1, an exact decimal and JSON as text, an array as JSON text (for `json_each`).
enum SQLiteValue {
    static func encode(_ value: SQLValue) throws -> DatabaseValue {
        switch value {
        case .null: .null
        case .bool(let value): (value ? 1 : 0).databaseValue
        case .integer(let value): value.databaseValue
        case .double(let value): value.databaseValue
        case .numeric(let text), .json(let text): text.databaseValue
        case .text(let text): text.databaseValue
        case .uuid(let uuid): uuid.text.databaseValue
        case .timestamp(let date): SQLInstant.iso8601(date).databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        case .array(let elements): try json(elements).databaseValue
        }
    }

    static func decode(_ value: DatabaseValue) -> SQLValue {
        switch value.storage {
        case .null: .null
        case .int64(let value): .integer(value)
        case .double(let value): .double(value)
        case .string(let text): .text(text)
        case .blob(let data): .bytes(Array(data))
        }
    }

    private static func json(_ elements: [SQLValue]) throws -> String {
        "[" + (try elements.map(jsonElement).joined(separator: ",")) + "]"
    }

    private static func jsonElement(_ value: SQLValue) throws -> String {
        switch value {
        case .null: "null"
        case .bool(let value): value ? "1" : "0"
        case .integer(let value): String(value)
        case .double(let value) where value.isFinite: String(value)
        case .numeric(let text), .text(let text), .json(let text): JSONString.quoted(text)
        // Digits, letters and signs that JSON leaves as they are.
        case .uuid(let uuid): "\"\(uuid.text)\""
        case .timestamp(let date): "\"\(SQLInstant.iso8601(date))\""
        case .bytes, .array, .double:
            throw FarewellError(
                "sql.0A000", .ours, "SQLite accepts no array of bytes, arrays or infinite numbers.")
        }
    }
}
