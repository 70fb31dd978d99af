// SPDX-License-Identifier: Apache-2.0

extension SchemaIndex {
    /// Whether it finds rows by a column, the first one of the index, whose values are compared in this way. An index
    /// over the column itself serves no comparison of a text made from its values, and none of another collation.
    package func finds(by column: SchemaColumn, _ equality: KeyEquality, _ dialect: SQLDialect) -> Bool {
        switch equality {
        case .own, .keyCollated: return collation == nil && finds(by: [column.name])
        case .collated(let wanted):
            guard finds(by: [column.name]) else { return false }
            let own = collation ?? column.looseEquality
            return own.map { wanted.hasSuffix(dialect.hasColumnTypes ? dialect.quoted($0) : $0) }
                ?? (!dialect.hasColumnTypes && wanted == dialect.exactCollation)
        case .lowered, .exact, .unpadded:
            guard !isPartial, method == "btree" || method == "hash" && columns.count == 1 else { return false }
            return equality == .lowered && collation != nil ? false : isOver(column, equality, dialect)
        }
    }

    /// PostgreSQL: whether the first part is this form of the column's values. The session decides which names are
    /// quoted in it.
    private func isOver(_ column: SchemaColumn, _ equality: KeyEquality, _ dialect: SQLDialect) -> Bool {
        let name = dialect.quoted(column.name).filter { $0 != "\"" }
        var own = expression.filter { $0 != "\"" }[...]
        // The database writes parentheses around everything but a call.
        if own.hasPrefix("("), own.hasSuffix(")") { own = own.dropFirst().dropLast() }
        switch equality {
        case .lowered: return own == "lower(\(name))" || own == "lower((\(name))::text)"
        case .unpadded: return own == "rtrim(\(name), ' '::text)" || own == "rtrim((\(name))::text, ' '::text)"
        case .exact: return own == "(\(name))::text"
        case .own, .keyCollated, .collated: return false
        }
    }
}

extension SQLDialect {
    /// The part of an index by which a comparison finds rows.
    ///
    /// - Parameter column: The column's name, quoted.
    package func indexed(_ column: String, _ equality: KeyEquality) -> String {
        switch equality {
        case .own, .keyCollated: column
        case .collated(let collation): "\(column) COLLATE \(collation)"
        case .lowered: "lower(\(column))"
        case .exact: "CAST(\(column) AS text)"
        case .unpadded: "rtrim(\(column), ' ')"
        }
    }
}
