// SPDX-License-Identifier: Apache-2.0

/// Which rows a link is about: those in which other columns of the row have certain values.
///
/// A polymorphic association names its table in a second column: `target_id` names a user only where `target_type` is
/// `User`. In a plan: `where: {target_type: User}`. A row matches when every column has one of its values. Values are
/// compared as the database writes them as text. `where: {buyer_id: null}` matches the rows without a value there.
public struct LinkCondition: Sendable, Hashable {
    /// One column of the linking table and the values that it may have.
    public struct Part: Sendable, Hashable {
        public var column: String
        /// None where the column must be null.
        public var values: [String]

        public init(column: String, values: [String]) {
            self.column = column
            self.values = values
        }

        /// Whether a row matches that has no value in the column.
        public var isNull: Bool { values.isEmpty }
    }

    /// In the order of the plan file; all must match.
    public var parts: [Part]

    public init(_ parts: [Part] = []) { self.parts = parts }

    /// Whether the link is about every row.
    public var isEmpty: Bool { parts.isEmpty }
}
