// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// How well a column's type fits that of a key.
enum KeyFit {
    /// It is the key's, or both are numbers.
    case same
    /// One of both is text that may hold the other.
    case asText
    /// SQLite: a column without a type, or of a type that does not restrict its values.
    case untyped

    /// `nil` if no value of the column can be one of the key's.
    static func of(_ column: SchemaColumn, _ key: SchemaColumn, in dialect: SQLDialect) -> KeyFit? {
        of(column.kind, column.type, key, in: dialect)
    }

    /// The fit of the elements of a list.
    static func ofElements(_ column: SchemaColumn, _ form: Link.ListForm, _ key: SchemaColumn, in dialect: SQLDialect)
        -> KeyFit?
    {
        guard form == .array else { return .asText }
        if let element = column.elementType {
            return elementKinds[element].flatMap { of($0, element, key, in: dialect) }
        }
        let type = column.type.lowercased()
        let kinds: [(String, SchemaColumn.Kind)] = [
            ("uuid", .uuid), ("int", .integer), ("numeric", .number), ("double", .number), ("text", .text),
            ("char", .text),
        ]
        guard let kind = kinds.first(where: { type.contains($0.0) })?.1 else { return nil }
        return of(kind, type, key, in: dialect)
    }

    /// Whether a column is of the very type of a key, or its elements are, and not only of one with the same values.
    static func areOfType(_ column: SchemaColumn, _ key: SchemaColumn, in dialect: SQLDialect) -> Bool {
        let fit = column.kind == .array ? ofElements(column, .array, key, in: dialect) : of(column, key, in: dialect)
        guard fit == .same else { return false }
        let base = column.baseType.isEmpty ? column.type : column.baseType
        let own = column.kind == .array ? column.elementType ?? base.replacing("[]", with: "") : base
        return !dialect.hasColumnTypes || canonical(own) == canonical(key.baseType.isEmpty ? key.type : key.baseType)
    }

    private static func canonical(_ type: String) -> String {
        switch type.lowercased() {
        case "bigint", "bigserial": "int8"
        case "integer", "int", "serial": "int4"
        default: type.lowercased()
        }
    }

    /// The kinds of the types in PostgreSQL's catalog that elements of lists may have as keys.
    private static let elementKinds: [String: SchemaColumn.Kind] = [
        "uuid": .uuid, "int2": .integer, "int4": .integer, "int8": .integer, "numeric": .number, "float4": .number,
        "float8": .number, "text": .text, "varchar": .text, "bpchar": .text, "citext": .text,
    ]

    private static let flags: Set<String> = ["smallint", "int2", "tinyint", "tinyint(1)"]

    private static func of(_ kind: SchemaColumn.Kind, _ type: String, _ key: SchemaColumn, in dialect: SQLDialect)
        -> KeyFit?
    {
        let numbers: Set<SchemaColumn.Kind> = [.integer, .number]
        switch (kind, key.kind) {
        // A flag: keys that are texts are no such numbers.
        case (.integer, .text) where flags.contains(type.lowercased()): return nil
        case (.boolean, _), (.timestamp, _), (.json, _), (.array, _), (_, .json), (_, .array), (_, .boolean): return nil
        case (.other, .other) where dialect.hasColumnTypes: return type == key.type ? .same : nil
        case (.other, _), (.bytes, _):
            if kind == key.kind, kind == .bytes { return .same }
            return dialect.hasColumnTypes ? nil : .untyped
        case (let left, let right) where left == right: return .same
        case (let left, let right) where numbers.contains(left) && numbers.contains(right): return .same
        case (.text, .uuid), (.text, .integer), (.text, .number), (.uuid, .text), (.integer, .text): return .asText
        default: return nil
        }
    }
}
