// SPDX-License-Identifier: Apache-2.0

/// How a value is compared with a key that it refers to. The key's own column decides which values are equal, as in the
/// foreign keys of the databases.
package enum KeyEquality: Sendable, Hashable {
    /// As the database compares the two columns.
    case own
    /// In a collation, which is written behind the referring value.
    case collated(String)
    /// In the column's collation, which is written behind the key: PostgreSQL compares no texts of two collations by
    /// itself, and beside a text of the database's own collation the key's would decide. So the column's indexes serve.
    case keyCollated(String)
    /// Without regard to letter case, both sides as text.
    case lowered
    /// As text, exactly.
    case exact
    /// As text, without regard to spaces at the end: PostgreSQL's `character(n)` pads each value with them. A program
    /// may write such a key elsewhere as it reads it, padded, or without the spaces. With the column's collation where
    /// the key has another.
    case unpadded(String?)

    /// The referring value, as it is compared.
    package func side(_ value: String) -> String {
        switch self {
        case .own, .keyCollated: value
        case .collated(let collation): "\(value) COLLATE \(collation)"
        case .lowered: Self.lowered(value)
        case .exact: "CAST(\(value) AS text)"
        case .unpadded: Self.withoutSpaces(value)
        }
    }

    /// The key, as it is compared.
    package func keySide(_ value: String) -> String {
        switch self {
        case .keyCollated(let collation): "\(value) COLLATE \(collation)"
        case .lowered: Self.lowered(value)
        case .unpadded(let collation): Self.withoutSpaces(value) + (collation.map { " COLLATE \($0)" } ?? "")
        case .own, .collated, .exact: value
        }
    }

    /// Whether the referring value is compared as it is.
    package var isOfColumn: Bool {
        switch self {
        case .own, .keyCollated: true
        case .collated, .lowered, .exact, .unpadded: false
        }
    }

    private static func withoutSpaces(_ value: String) -> String { "rtrim(CAST(\(value) AS text), ' ')" }

    private static func lowered(_ value: String) -> String { "lower(CAST(\(value) AS text) COLLATE \"default\")" }
}

extension SQLDialect {
    /// The comparison of a column's values with the keys in another.
    ///
    /// - Parameter column: `nil` for a value inside a document or a list.
    package func equality(of column: SchemaColumn?, with key: SchemaColumn?) -> KeyEquality {
        guard column?.looseEquality != nil || key?.looseEquality != nil else {
            let isPlain = column.map { $0.kind == .text && $0.labels == nil && !$0.isPadded } ?? true
            let collation = collation(of: column, besides: key)
            if key?.isPadded == true, isPlain { return .unpadded(collation) }
            return collation.map { .keyCollated($0) } ?? .own
        }
        guard hasColumnTypes else {
            let known = key.map { $0.looseEquality ?? exactCollation }.flatMap {
                Self.collations.contains($0) ? $0 : nil
            }
            // The database compares two columns of one collation by an index of that collation.
            return known.map { $0 == column?.looseEquality ? .own : .collated($0) } ?? .own
        }
        // Beside another schema's `citext`, PostgreSQL would find the comparison of `text` only, without an error.
        if let key, key.isCaseless { return key.caselessType != nil && column?.caselessType != nil ? .own : .lowered }
        if let key, let name = key.looseEquality {
            // A UUID or a number has no collation; as text it is compared in the key's.
            if let column, !column.hasCollation { return .own }
            return .collated([key.collationSchema, name].compactMap(\.self).map(quoted).joined(separator: "."))
        }
        return column?.isCaseless == true ? .exact : .collated(exactCollation)
    }

    /// PostgreSQL: the collation of a column's texts; `nil` if the key has the same, or the database's own.
    private func collation(of column: SchemaColumn?, besides key: SchemaColumn?) -> String? {
        guard let column, column.hasCollation, let other = key?.collation, other != column.collation else { return nil }
        return column.collation ?? Self.databaseCollation
    }

    /// The comparison of texts without regard to letter case. SQLite disregards that of ASCII letters only.
    package var equalityInAnyCase: KeyEquality { hasColumnTypes ? .lowered : .collated("NOCASE") }

    /// A column's value in the database's own collation, which no comparison with a text of another is refused for.
    package func plainlyCollated(_ value: String, of column: SchemaColumn?) -> String {
        column?.collation == nil ? value : "\(value) COLLATE \(Self.databaseCollation)"
    }

    private static let databaseCollation = "pg_catalog.\"default\""

    /// SQLite's own collations, which every connection has.
    private static let collations: Set<String> = ["BINARY", "NOCASE", "RTRIM"]
}

extension SchemaColumn {
    /// PostgreSQL: whether it is of the type `citext`, or of a domain over it.
    package var isCaseless: Bool { looseEquality == "citext" }

    /// PostgreSQL: its type, if that is `citext` itself and the session's `search_path` leads to it, and so to the
    /// comparisons of its schema. The catalog writes the type with its schema otherwise.
    package var caselessType: String? { isCaseless && type == "citext" ? type : nil }

    /// PostgreSQL: whether it is of the type `character(n)`, where values that differ in spaces at the end are equal.
    package var isPadded: Bool { baseType == "bpchar" && kind == .text }

    /// PostgreSQL: whether `COLLATE` may be written behind its values.
    var hasCollation: Bool { labels == nil && (kind == .text || kind == .array) }

    /// Whether no other program than the one that defines its collation can compare its values (SQLite).
    package var isIncomparable: Bool {
        guard let looseEquality else { return false }
        return looseEquality == Self.unknownCollation
    }

    /// The answer of `looseEquality` about a collation that this library does not have.
    static let unknownCollation = "a collation that is not here"
}
