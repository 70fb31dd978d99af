// SPDX-License-Identifier: Apache-2.0

/// Which rows a link is about: those in which other columns of the row have certain values.
///
/// A polymorphic association names its table in a second column: `target_id` names a user only where `target_type` is
/// `User`. In a plan: `where: {target_type: User}`. A row matches when every column has one of its values; null never
/// matches. Values are compared as the database writes them as text.
public struct LinkCondition: Sendable, Hashable {
    /// One column of the linking table and the values that it may have.
    public struct Part: Sendable, Hashable {
        public var column: String
        /// At least one.
        public var values: [String]

        public init(column: String, values: [String]) {
            self.column = column
            self.values = values
        }
    }

    /// In the order of the plan file; all must match.
    public var parts: [Part]

    public init(_ parts: [Part] = []) { self.parts = parts }

    /// Whether the link is about every row.
    public var isEmpty: Bool { parts.isEmpty }
}
