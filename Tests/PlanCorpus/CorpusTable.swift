// SPDX-License-Identifier: Apache-2.0

/// One table of the corpus, with what its author says of each column.
package struct CorpusTable: Sendable {
    package struct Column: Sendable {
        package var name: String
        /// As PostgreSQL calls it; empty where SQLite is given none.
        package var type: String
        package var isNullable: Bool
        /// The values it may have; empty: any.
        package var choices: [String] = []
        /// Whether a trigger may change it in a row that stays.
        package var isTouched = false
    }

    /// As the corpus writes it, without quotes: `users`, `auth.users`.
    package var name: String
    package var columns: [Column] = []
    package var leads: [CorpusLead] = []
    package var primaryKey: [String] = []
    package var uniqueKeys: [[String]] = []

    package func place(of column: String) -> Int? { columns.firstIndex { $0.name == column } }

    /// Whether the values of these columns are different in each row.
    package func isUnique(_ columns: [String]) -> Bool { ([primaryKey] + uniqueKeys).contains(columns) }

    /// The columns that say what kind of row another column names.
    package var typeColumns: [String] {
        leads.compactMap(\.condition?.column).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
