// SPDX-License-Identifier: Apache-2.0

/// A condition that a table's rows must meet (`CHECK`), its domains' conditions included.
public struct SchemaCheck: Sendable, Hashable, Codable {
    /// The constraint's name; empty if it has none (SQLite).
    public var name: String
    /// The condition as the catalog writes it, every name with its schema. On PostgreSQL a domain's condition is about
    /// `VALUE`.
    public var condition: String
    /// The columns that the condition is about; on SQLite those whose names occur in it.
    public var columns: [String]
    /// Whether it belongs to the type of its one column.
    public var isOfDomain: Bool

    public init(name: String, condition: String, columns: [String], isOfDomain: Bool = false) {
        self.name = name
        self.condition = condition
        self.columns = columns
        self.isOfDomain = isOfDomain
    }

    /// Whether the condition asks if this column is null, so that the others may decide whether null is allowed.
    package func asksForNull(_ column: String) -> Bool {
        let tokens = SQLiteText(condition).tokens(atMost: .max)
        let name = SQLiteCatalog.folded(column)
        for place in tokens.indices where SQLiteCatalog.folded(tokens[place].text) == name {
            let rest = tokens[(place + 1)...].drop { $0.is(")") }
            guard let next = rest.first else { continue }
            if next.is("notnull") || next.is("isnull") { return true }
            let words = rest.prefix(3).map { $0.isQuoted ? "" : SQLiteCatalog.folded($0.text) }
            if words.starts(with: ["is", "null"]) || words.starts(with: ["is", "not", "null"]) { return true }
            if words.starts(with: ["not", "null"]) { return true }
        }
        let asking = ["num_nulls", "num_nonnulls", "coalesce", "ifnull"]
        return columns.contains(column) && tokens.contains { token in asking.contains { token.is($0) } }
    }
}
