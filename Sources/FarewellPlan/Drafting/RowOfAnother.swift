// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Rows about another row, such as the notification of a comment, which have their own user.
enum RowOfAnother {
    /// Whether the database deletes a row with the row that a key names, and the row means little without it. That is
    /// so if null in the key may be refused, or if the row is an act on the other row, such as a vote for a comment.
    static func cannotStay(_ path: KeyOwnership.Path, in table: SchemaTable) -> Bool {
        guard !path.isDirect, path.key.onDelete == .cascade, path.key.target != table.name else { return false }
        return LinkTable.isAct(table.name) || mayRefuseNull(in: path.key.columns, of: table)
    }

    /// Whether other columns of a row decide if a check allows null, or a unique index compares null with null.
    private static func mayRefuseNull(in columns: [String], of table: SchemaTable) -> Bool {
        table.checks.contains { check in
            check.columns.count > 1 && columns.contains { check.columns.contains($0) && check.asksForNull($0) }
        }
            || table.indexes.contains { index in
                index.isUnique && index.areNullsEqual && index.columns.contains(where: columns.contains)
            }
    }
}
