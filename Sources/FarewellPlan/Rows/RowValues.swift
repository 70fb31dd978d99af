// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// The values of a `RowStatement`: the subjects, and the keys under which columns are hashed.
package struct RowValues: Sendable {
    /// The subjects' keys as the root table holds them. On SQLite exactly one.
    package var subjects: [SQLValue]
    /// The hash key of a column: 32 bytes that are destroyed with the run.
    package var hashKey: @Sendable (ColumnName) -> [UInt8]
    /// The values captured before rows were erased, by node and column.
    package var captured: [CapturedKey: [SQLValue]]
    /// The same for composite keys: each key's values in the order of its columns.
    package var capturedKeys: [CapturedColumns: [[SQLValue]]]
    package var limit: Int

    package struct CapturedKey: Sendable, Hashable {
        package var node: Int
        package var column: Int
        package init(node: Int, column: Int) {
            self.node = node
            self.column = column
        }
    }

    /// The columns of a composite key, by their places in the table.
    package struct CapturedColumns: Sendable, Hashable {
        package var node: Int
        package var columns: [Int]
        package init(node: Int, columns: [Int]) {
            self.node = node
            self.columns = columns
        }
    }

    package init(
        subjects: [SQLValue], captured: [CapturedKey: [SQLValue]] = [:],
        capturedKeys: [CapturedColumns: [[SQLValue]]] = [:], limit: Int = 0,
        hashKey: @escaping @Sendable (ColumnName) -> [UInt8] = { _ in [] }
    ) {
        self.subjects = subjects
        self.captured = captured
        self.capturedKeys = capturedKeys
        self.limit = limit
        self.hashKey = hashKey
    }
}

extension RowStatement {
    /// The statement with its values, for a database of the given dialect.
    package func bound(_ values: RowValues, dialect: SQLDialect) -> SQLStatement {
        SQLStatement(text, slots.map { $0.value(values, dialect) })
    }
}

extension RowStatement.Slot {
    fileprivate func value(_ values: RowValues, _ dialect: SQLDialect) -> SQLValue {
        switch self {
        case .subjects(let kind): Self.list(values.subjects, kind, dialect)
        case .subject(let kind): Self.one(values.subjects.first ?? .null, kind)
        case .captured(let node, let column, let kind):
            Self.list(values.captured[.init(node: node, column: column)] ?? [], kind, dialect, isList: true)
        case .capturedKeys(let node, let columns):
            .text(Self.json(keys: values.capturedKeys[.init(node: node, columns: columns)] ?? []))
        case .subjectUUID(let spelling): Self.uuid(values.subjects.first ?? .null, spelling)
        case .path(let members): dialect.hasArrays ? .array(members.map(SQLValue.text)) : .text(Self.path(members))
        case .text(let text): .text(text)
        case .integer(let number): .integer(Int64(number))
        case .hashKey(let column): .bytes(values.hashKey(column))
        case .hashPad(let column, let pad): .bytes(Self.padded(values.hashKey(column), with: pad))
        case .limit: .integer(Int64(values.limit))
        }
    }

    /// A value that cannot be of this kind is in no such column: nothing equals null.
    private static func one(_ value: SQLValue, _ kind: SchemaColumn.Kind) -> SQLValue {
        switch kind {
        case .text, .json: value.text.map(SQLValue.text) ?? .null
        case .uuid: value.identifier.map(SQLValue.uuid) ?? .null
        case .integer: wholeNumber(value) ?? .null
        default: value
        }
    }

    /// The number that is written as a key. The text 07 is no key that a column of numbers holds: that holds 7, which
    /// may be the key of another row.
    private static func wholeNumber(_ value: SQLValue) -> SQLValue? {
        guard let number = value.integer else { return nil }
        if case .text(let text) = value, String(number) != text { return nil }
        return .integer(number)
    }

    private static func list(
        _ values: [SQLValue], _ kind: SchemaColumn.Kind, _ dialect: SQLDialect, isList: Bool = false
    ) -> SQLValue {
        guard dialect.hasArrays else {
            return isList ? .text(json(values)) : values.first ?? .null
        }
        switch kind {
        case .text, .json:
            return .array(
                values.flatMap { value -> [SQLValue] in
                    let text = value.text ?? ""
                    guard case .uuid = value else { return [.text(text)] }
                    return UUIDSpelling.allCases.map { Self.uuid(value, $0) }
                })
        // A value that cannot be of this kind is in no such column.
        case .uuid: return .array(values.compactMap { $0.identifier.map(SQLValue.uuid) })
        case .integer: return .array(values.compactMap(wholeNumber))
        default: return .array(values)
        }
    }

    private static func uuid(_ value: SQLValue, _ spelling: UUIDSpelling) -> SQLValue {
        let uuid = value.identifier ?? value.text.flatMap { UUID(spelled: $0) }
        return uuid.map { .text(spelling.text(of: $0)) } ?? value
    }

    /// A JSON array for SQLite's `json_each`; whole numbers stay numbers, so that they compare as such; bytes are
    /// in hexadecimal digits; a UUID is there in each of its spellings.
    private static func json(_ values: [SQLValue]) -> String {
        let parts = values.flatMap { value -> [String] in
            guard case .text(let text) = value, let uuid = UUID(spelled: text) else { return [element(value)] }
            return ([text] + UUIDSpelling.allCases.map { $0.text(of: uuid) }).map(JSONString.quoted)
        }
        return "[\(parts.joined(separator: ","))]"
    }

    /// A JSON array of arrays, one for each composite key.
    private static func json(keys: [[SQLValue]]) -> String {
        let parts = keys.map { key in "[\(key.map(element).joined(separator: ","))]" }
        return "[\(parts.joined(separator: ","))]"
    }

    private static func element(_ value: SQLValue) -> String {
        switch value {
        case .integer(let number): String(number)
        case .bytes(let bytes): JSONString.quoted(bytes.hexadecimal.uppercased())
        default: JSONString.quoted(value.text ?? "")
        }
    }

    private static func path(_ members: [String]) -> String {
        "$" + members.map { "." + JSONString.quoted($0) }.joined()
    }

    /// A key padded to SHA-256's block of 64 bytes and combined with one byte (RFC 2104).
    private static func padded(_ key: [UInt8], with pad: UInt8) -> [UInt8] {
        var block = [UInt8](repeating: pad, count: 64)
        for (place, byte) in key.prefix(64).enumerated() { block[place] ^= byte }
        return block
    }
}
