// SPDX-License-Identifier: Apache-2.0

/// The root of a subject: the table and key that every link leads back to.
public struct SubjectRoot: Sendable, Hashable {
    public var table: TableName
    /// The single key column, e.g. `id`.
    public var key: String
    /// Columns whose values name the subject elsewhere too (e-mail, phone): a deep scan searches for them.
    public var identifiers: [ColumnName]

    public init(table: TableName, key: String, identifiers: [ColumnName] = []) {
        self.table = table
        self.key = key
        self.identifiers = identifiers
    }
}
