// SPDX-License-Identifier: Apache-2.0

/// The name of a table: `public.messages` on PostgreSQL, `messages` on SQLite, which has no schemas.
///
/// Names are opaque: they may hold quotes, dots, spaces and any other character. Text form quotes a part
/// with `"` only where it must, so `TableName(parsing:)` and `description` are inverse to each other.
public struct TableName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The schema (namespace), or `nil` where the database has none.
    public let schema: String?
    public let name: String

    public init(schema: String? = nil, _ name: String) {
        self.schema = schema
        self.name = name
    }

    public static func < (left: TableName, right: TableName) -> Bool {
        (left.schema ?? "", left.name) < (right.schema ?? "", right.name)
    }

    public var description: String {
        let parts = [schema, name].compactMap(\.self).map(Self.written)
        return parts.joined(separator: ".")
    }

    /// Reads `name`, `schema.name` or either part quoted (`"odd.schema"."na""me"`); `nil` when malformed.
    public init?(parsing text: String) {
        guard let parts = Self.parts(of: text), (1...2).contains(parts.count) else { return nil }
        self.init(schema: parts.count == 2 ? parts[0] : nil, parts[parts.count - 1])
    }

    /// Splits dotted text into its parts, undoing quotes; `nil` for an unclosed quote or an empty part.
    package static func parts(of text: String) -> [String]? {
        var parts: [String] = []
        var part = ""
        var rest = text[...]
        while true {
            if rest.first == "\"" {
                rest.removeFirst()
                guard let quoted = takeQuoted(&rest) else { return nil }
                part = quoted
            } else {
                let plain = rest.prefix { $0 != "." && $0 != "\"" }
                rest.removeFirst(plain.count)
                part = String(plain)
            }
            guard !part.isEmpty else { return nil }
            parts.append(part)
            guard let separator = rest.first else { return parts }
            guard separator == "." else { return nil }
            rest.removeFirst()
        }
    }

    private static func takeQuoted(_ rest: inout Substring) -> String? {
        var text = ""
        while let character = rest.popFirst() {
            if character != "\"" {
                text.append(character)
            } else if rest.first == "\"" {
                text.append("\"")
                rest.removeFirst()
            } else {
                return text
            }
        }
        return nil
    }

    /// One part as text: quoted only when it is empty or holds a dot, a quote, a space or a bracket.
    package static func written(_ part: String) -> String {
        let plain =
            !part.isEmpty && part.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" || $0 == "-" }
        return plain ? part : "\"" + part.replacing("\"", with: "\"\"") + "\""
    }
}

extension TableName: Codable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let name = TableName(parsing: text) else {
            throw FarewellError("table-name.malformed", .yoursToFix, "A table name is malformed.")
        }
        self = name
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
