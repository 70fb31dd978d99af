// SPDX-License-Identifier: Apache-2.0

/// How a value is compared with a key that it refers to. The key's own column decides which values are equal, as in the
/// foreign keys of the databases.
package enum KeyEquality: Sendable, Hashable {
    /// As the two columns compare by themselves.
    case own
    /// In a collation, which is written behind the referring value.
    case collated(String)
    /// Without regard to letter case, both sides as text.
    case lowered
    /// As text, exactly.
    case exact

    /// The referring value, as it is compared.
    package func side(_ value: String) -> String {
        switch self {
        case .own: value
        case .collated(let collation): "\(value) COLLATE \(collation)"
        case .lowered: Self.lowered(value)
        case .exact: "CAST(\(value) AS text)"
        }
    }

    /// The key, as it is compared.
    package func keySide(_ value: String) -> String { self == .lowered ? Self.lowered(value) : value }

    private static func lowered(_ value: String) -> String { "lower(CAST(\(value) AS text) COLLATE \"default\")" }
}

extension SQLDialect {
    /// The comparison of a column's values with the keys in another.
    ///
    /// - Parameter column: `nil` for a value inside a document or a list.
    package func equality(of column: SchemaColumn?, with key: SchemaColumn?) -> KeyEquality {
        guard column?.looseEquality != nil || key?.looseEquality != nil else { return .own }
        guard hasColumnTypes else {
            let known = key.map { $0.looseEquality ?? exactCollation }.flatMap {
                Self.collations.contains($0) ? $0 : nil
            }
            // Two columns of one collation compare by themselves, by an index of it.
            return known.map { $0 == column?.looseEquality ? .own : .collated($0) } ?? .own
        }
        if key?.isCaseless == true { return column?.isCaseless == true ? .own : .lowered }
        if let key, let name = key.looseEquality {
            return .collated([key.collationSchema, name].compactMap(\.self).map(quoted).joined(separator: "."))
        }
        return column?.isCaseless == true ? .exact : .collated(exactCollation)
    }

    /// SQLite's own collations, which every connection has.
    private static let collations: Set<String> = ["BINARY", "NOCASE", "RTRIM"]
}

extension SchemaColumn {
    /// PostgreSQL: whether it is of the type `citext`, or of a domain over it.
    package var isCaseless: Bool { looseEquality == "citext" }

    /// PostgreSQL: its type, if that is `citext` itself.
    package var caselessType: String? {
        isCaseless && (type == "citext" || type.hasSuffix(".citext")) ? type : nil
    }

    /// Whether no other program than the one that defines its collation can compare its values (SQLite).
    package var isIncomparable: Bool {
        guard let looseEquality else { return false }
        return looseEquality == Self.unknownCollation
    }

    /// What `looseEquality` says of a collation that this library does not have.
    static let unknownCollation = "a collation that is not here"
}
