// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The value that replaces the subject's where a column without a key may not be null.
enum NeutralValue {
    /// A word for a text such as an address, and the UUID of zeros, which is no row's key, for a UUID or the like. Zero
    /// for a number with that default, by which the app names no row. Any other default may be another user's key. Zero
    /// also for a number that could be null but for a check, which depends on nothing but which columns are null and so
    /// allows any value.
    ///
    /// - Returns: `nil` for other keys, which lead to a row, for one of a pair of columns, and where a check or the
    ///   type restricts the values.
    static func replacing(_ link: Link, in table: SchemaTable, _ map: SchemaMap) -> String? {
        guard link.onDelete == nil, link.condition.isEmpty, link.columns.count == 1,
            let column = table[link.columns[0]], column.labels == nil,
            !table.foreignKeys.contains(where: { $0.columns.contains(column.name) }),
            table.checks.allSatisfy({ !$0.columns.contains(column.name) || NullCondition($0) != nil })
        else { return nil }
        let value: String? =
            switch column.kind {
            case .text where column.sampledText == .keys: zeros
            case .text: KeyName(column.name).isKey && !link.ignoresCase ? nil : "deleted"
            case .uuid: zeros
            case .integer: meansNoRow(column, link, map) ? "0" : nil
            default: nil
            }
        return value.flatMap { ConstantFit.problem($0, column) == nil ? $0 : nil }
    }

    /// Whether a number is zero in rows that name no row: zero is its default, or it could be null, and the database
    /// itself numbers the rows there, from one.
    private static func meansNoRow(_ column: SchemaColumn, _ link: Link, _ map: SchemaMap) -> Bool {
        guard column.isNullable || LiteralDefault.text(column.defaultExpression) == "0",
            let key = map.column(link.target, link.targetColumns[0])
        else { return false }
        return Identification.isNumbered(key)
    }

    private static let zeros = "00000000-0000-0000-0000-000000000000"
}
