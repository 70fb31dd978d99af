// SPDX-License-Identifier: Apache-2.0

/// The rule for one column of a row that stays.
public enum ColumnRule: Sendable, Hashable {
    /// Set to null.
    case null
    /// Set to the same text for every subject; cast to the column's type by the database.
    case constant(String)
    /// Replaced by a keyed hash of its value under a key that is destroyed with the run.
    case keyedHash
    /// Replaced by the result of an expression over the row's own columns.
    case expression(ColumnExpression)
    /// Kept for the reason of the table's retention.
    case retain
    /// Names a large object of PostgreSQL, which is deleted unless another row names it. Where the row stays, the
    /// column becomes null.
    case largeObject
    /// Holds nothing that can lead to a person.
    case notPersonal
}
