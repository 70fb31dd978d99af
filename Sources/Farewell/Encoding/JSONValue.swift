// SPDX-License-Identifier: Apache-2.0

/// A value of JSON (RFC 8259).
public indirect enum JSONValue: Sendable, Hashable {
    case null
    case boolean(Bool)
    /// A number written without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number, never infinite.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The deepest nesting of objects and arrays.
    package var depth: Int {
        switch self {
        case .array(let values): 1 + (values.map(\.depth).max() ?? 0)
        case .object(let members): 1 + (members.values.map(\.depth).max() ?? 0)
        default: 0
        }
    }

    /// Whether a text or a name in it contains U+0000. PostgreSQL has no place for this one character, in text and in
    /// JSON alike.
    package var holdsNUL: Bool {
        switch self {
        case .string(let text): text.utf8.contains(0)
        case .array(let values): values.contains(where: \.holdsNUL)
        case .object(let members): members.contains { $0.key.utf8.contains(0) || $0.value.holdsNUL }
        default: false
        }
    }

    /// Whether the value, written as JSON, certainly has more than this number of bytes. Looks no further than that:
    /// a long value costs no more than one that fits.
    package func isLonger(than bytes: Int) -> Bool {
        var left = bytes
        takeLeast(from: &left)
        return left < 0
    }

    /// Takes away the least number of bytes that it has, until none are left.
    private func takeLeast(from left: inout Int) {
        switch self {
        case .null: left -= 4
        case .boolean(let flag): left -= flag ? 4 : 5
        case .integer, .number: left -= 1
        case .string(let text): left -= text.utf8.count + 2
        case .array(let values):
            // Two brackets, and a comma between two values.
            left -= 1 + max(1, values.count)
            for value in values {
                guard left >= 0 else { return }
                value.takeLeast(from: &left)
            }
        case .object(let members):
            left -= 1 + max(1, members.count)
            for (name, value) in members {
                guard left >= 0 else { return }
                left -= name.utf8.count + 3
                value.takeLeast(from: &left)
            }
        }
    }

    public var string: String? { if case .string(let value) = self { value } else { nil } }
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    public var object: [String: JSONValue]? { if case .object(let value) = self { value } else { nil } }

    /// The member of that name; `nil` if there is none, and for anything but an object.
    public subscript(member: String) -> JSONValue? { object?[member] }
}
