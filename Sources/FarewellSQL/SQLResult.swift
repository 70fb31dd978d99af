// SPDX-License-Identifier: Apache-2.0

/// The result of a statement.
public struct SQLResult: Sendable, Hashable {
    public var columns: [String]
    public var rows: [[SQLValue]]
    /// Rows inserted, updated or deleted by the statement itself, without the database's cascades.
    public var affected: Int

    public init(columns: [String] = [], rows: [[SQLValue]] = [], affected: Int = 0) {
        self.columns = columns
        self.rows = rows
        self.affected = affected
    }

    /// The first row's first value, or `nil` when there is no row.
    public var scalar: SQLValue? { rows.first?.first }
}
