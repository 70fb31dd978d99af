// SPDX-License-Identifier: Apache-2.0

/// An exclusion constraint of PostgreSQL: no two rows for which all its operators answer yes.
public struct SchemaExclusion: Sendable, Hashable, Codable {
    public var name: String
    /// Its columns in order; an expression counts as an empty name.
    public var columns: [String]
    /// One operator for each column, such as `=` or `&&`.
    public var operators: [String]
    /// The constraint as the catalog writes it: `EXCLUDE USING gist (guest WITH =, during WITH &&)`.
    public var definition: String

    public init(name: String, columns: [String], operators: [String], definition: String) {
        self.name = name
        self.columns = columns
        self.operators = operators
        self.definition = definition
    }
}
