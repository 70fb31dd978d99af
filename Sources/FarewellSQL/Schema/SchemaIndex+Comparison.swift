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
            guard dialect.hasColumnTypes else { return wanted == own ?? dialect.exactCollation }
            return own.map { wanted.hasSuffix(dialect.quoted($0)) } ?? false
        case .lowered, .exact, .unpadded:
            guard !isPartial, method == "btree" || method == "hash" && columns.count == 1 else { return false }
            let isCollated = equality == .lowered ? collation == nil : isCollated(as: column)
            return isCollated && isOver(column, equality, dialect)
        }
    }

    /// PostgreSQL: whether an expression is in the collation of the column that it is about.
    private func isCollated(as column: SchemaColumn) -> Bool {
        guard let collation else { return column.collation == nil }
        return column.collation?.filter { $0 != "\"" }.hasSuffix(".\(collation)") ?? false
    }

    /// PostgreSQL: whether the first part is this form of the column's values. The session decides which names are
    /// quoted in it.
    private func isOver(_ column: SchemaColumn, _ equality: KeyEquality, _ dialect: SQLDialect) -> Bool {
        let name = dialect.quoted(column.name).filter { $0 != "\"" }
        var own = expression.filter { $0 != "\"" }[...]
        // The database writes parentheses around everything but a call.
        if own.hasPrefix("("), own.hasSuffix(")") { own = own.dropFirst().dropLast() }
        switch equality {
        case .lowered:
            // The comparison is in the database's own collation, and lower() in that of its text.
            let plain = column.collation == nil ? [name, "(\(name))::text"] : []
            let collated = ["(\(name) COLLATE default)", "((\(name))::text COLLATE default)"]
            return (plain + collated).contains { own == "lower(\($0))" }
        case .unpadded: return own == "rtrim(\(name), ' '::text)" || own == "rtrim((\(name))::text, ' '::text)"
        case .exact: return own == "(\(name))::text"
        case .own, .keyCollated, .collated: return false
        }
    }
}

extension SQLDialect {
    /// The part of an index by which a comparison finds rows.
    ///
    /// - Parameters:
    ///   - name: The column's name, quoted.
    ///   - column: `nil` if it does not exist.
    package func indexed(_ name: String, _ equality: KeyEquality, of column: SchemaColumn?) -> String {
        switch equality {
        case .own, .keyCollated: name
        case .collated(let collation): "\(name) COLLATE \(collation)"
        case .lowered: "lower(\(plainlyCollated(name, of: column)))"
        case .exact: "CAST(\(name) AS text)"
        case .unpadded: "rtrim(\(name), ' ')"
        }
    }
}
