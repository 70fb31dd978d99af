// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// A value that travels to or from a database, with its type.
///
/// PostgreSQL's enums and domains over text arrive as `text`; other types that have no case of their own
/// (`inet`, `interval`, …) arrive as `text` in the database's own notation.
public enum SQLValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    /// An exact decimal (`numeric`) in its text form, which loses nothing.
    case numeric(String)
    case text(String)
    case uuid(UUID)
    /// An instant with microsecond precision (`timestamptz`; on SQLite ISO 8601 text in UTC).
    case timestamp(Date)
    /// A JSON document as text (`json`, `jsonb`).
    case json(String)
    case bytes([UInt8])
    /// A one-dimensional array (PostgreSQL). Elements are of one kind, or null.
    case array([SQLValue])
}

extension SQLValue {
    /// Texts are equal if their bytes are, as in databases: an é written as one character and one written as two are
    /// two keys.
    public static func == (one: SQLValue, other: SQLValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.integer(let one), .integer(let other)): one == other
        case (.double(let one), .double(let other)): one == other
        case (.numeric(let one), .numeric(let other)), (.text(let one), .text(let other)),
            (.json(let one), .json(let other)):
            ExactText(one) == ExactText(other)
        case (.uuid(let one), .uuid(let other)): one == other
        case (.timestamp(let one), .timestamp(let other)): one == other
        case (.bytes(let one), .bytes(let other)): one == other
        case (.array(let one), .array(let other)): one == other
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .numeric(let text), .text(let text), .json(let text): hasher.combine(ExactText(text))
        case .uuid(let value): hasher.combine(value)
        case .timestamp(let value): hasher.combine(value)
        case .bytes(let value): hasher.combine(value)
        case .array(let values): hasher.combine(values)
        }
    }
}

extension SQLValue {
    public var isNull: Bool { self == .null }

    /// The value as an integer, if it is one or is text that reads as one.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .bool(let value): value ? 1 : 0
        case .numeric(let text), .text(let text): Int64(text)
        case .double(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The value as text, if it has a text form that loses nothing; `nil` for null, bytes and arrays.
    public var text: String? {
        switch self {
        case .text(let text), .numeric(let text), .json(let text): text
        case .uuid(let uuid): uuid.text
        case .integer(let value): String(value)
        case .double(let value): String(value)
        case .bool(let value): value ? "true" : "false"
        case .timestamp(let date): date.formatted(.iso8601)
        case .null, .bytes, .array: nil
        }
    }
}
