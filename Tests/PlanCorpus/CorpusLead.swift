// SPDX-License-Identifier: Apache-2.0

/// Where the author of a schema says that a column leads.
package struct CorpusLead: Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// The row belongs to the person whom the value names.
        case owner
        /// The row belongs to whoever the named row belongs to.
        case part = "part of"
        /// The row names a person, or a person's row, and belongs to somebody else or to nobody.
        case names
        /// The value names a row that belongs to nobody.
        case about
    }

    /// How the value stands in the column.
    package enum Form: Sendable, Hashable {
        case value
        /// One member of an array, or of a list in JSON.
        case list
        /// A member of a JSON object, by the names that lead to it.
        case path([String])
    }

    package var kind: Kind
    /// The columns here; several where the key is composite.
    package var columns: [String]
    /// As the corpus writes it: `users`, `auth.users`.
    package var target: String
    package var targetColumns: [String]
    /// Only where this column holds this value.
    package var condition: Condition?
    package var form = Form.value
    /// What a cell that may not be null holds afterwards.
    package var otherwise: String?

    package struct Condition: Sendable, Hashable {
        package var column: String
        package var value: String
    }

    /// Whether the row belongs to somebody by this.
    package var owns: Bool { kind == .owner || kind == .part }
}
