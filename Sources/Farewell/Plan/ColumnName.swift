// SPDX-License-Identifier: Apache-2.0

/// A column of a table.
public struct ColumnName: Sendable, Hashable, Comparable, CustomStringConvertible {
    public var table: TableName
    public var column: String

    public init(_ table: TableName, _ column: String) {
        self.table = table
        self.column = column
    }

    /// Reads `table.column` or `schema.table.column`, each part quoted with `"` where it must be; `nil` when
    /// malformed.
    public init?(parsing text: String) {
        guard let parts = TableName.parts(of: text), (2...3).contains(parts.count) else { return nil }
        self.init(
            TableName(schema: parts.count == 3 ? parts[0] : nil, parts[parts.count - 2]), parts[parts.count - 1])
    }

    public static func < (left: ColumnName, right: ColumnName) -> Bool {
        (left.table, left.column) < (right.table, right.column)
    }

    public var description: String { "\(table).\(TableName.written(column))" }
}
