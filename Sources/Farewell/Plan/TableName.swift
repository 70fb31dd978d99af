// SPDX-License-Identifier: Apache-2.0

/// The name of a table: `public.messages` on PostgreSQL, `messages` on SQLite, which has no schemas.
///
/// Names are opaque: they may hold quotes, dots, spaces and any other character. Text form quotes a part
/// with `"` only where it must, so `TableName(parsing:)` and `description` are inverse to each other.
public struct TableName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The schema (namespace), or `nil` if the database has none.
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

    /// Splits dotted text into its parts, undoing quotes; `nil` for an unclosed quote or an unquoted empty part.
    ///
    /// Works on Unicode scalars: a combining mark after a quote would otherwise melt into it and hide it.
    package static func parts(of text: String) -> [String]? {
        var parts: [String] = []
        var rest = text.unicodeScalars[...]
        while true {
            if rest.first == "\"" {
                rest.removeFirst()
                guard let quoted = takeQuoted(&rest) else { return nil }
                parts.append(NameSpelling.typed(quoted))
            } else {
                let plain = rest.prefix { $0 != "." && $0 != "\"" }
                guard !plain.isEmpty else { return nil }
                rest.removeFirst(plain.count)
                parts.append(NameSpelling.typed(String(plain)))
            }
            guard let separator = rest.first else { return parts }
            guard separator == "." else { return nil }
            rest.removeFirst()
        }
    }

    private static func takeQuoted(_ rest: inout Substring.UnicodeScalarView) -> String? {
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar != "\"" {
                text.append(scalar)
            } else if rest.first == "\"" {
                text.append("\"")
                rest.removeFirst()
            } else {
                return String(text)
            }
        }
        return nil
    }

    /// One part as text: plain if it holds letters, digits, `_`, `$` and `-` only, otherwise between quotes.
    package static func written(_ part: String) -> String {
        let isPlain = part.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || scalar == "_" || scalar == "$" || scalar == "-"
        }
        guard part.isEmpty || !isPlain else { return part }
        var text = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in part.unicodeScalars {
            if scalar == "\"" { text.append("\"") }
            text.append(scalar)
        }
        text.append("\"")
        return String(text)
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
