// SPDX-License-Identifier: Apache-2.0

/// Where the author of a schema says that a column leads.
package struct CorpusLead: Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// The row belongs to the person whom the value names.
        case owner
        /// The row belongs to the owner of the named row.
        case part = "part of"
        /// The row names a subject, or a subject's row, and belongs to another one or to none.
        case names
        /// The value names a row without an owner.
        case about
    }

    /// The form of the value in the column.
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
    /// The later value of a cell that may not be null.
    package var otherwise: String?

    package struct Condition: Sendable, Hashable {
        package var column: String
        package var value: String
    }

    /// Whether the row belongs to a subject by this.
    package var owns: Bool { kind == .owner || kind == .part }
}
