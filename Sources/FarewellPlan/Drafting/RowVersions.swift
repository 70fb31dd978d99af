// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Tables with earlier states of rows of another table, such as `page_revisions`: the user of such a row saved it, and
/// the row itself may be another user's.
enum RowVersions {
    private static let nouns: Set<String> = ["revision", "version", "history", "snapshot", "edit", "changeset"]

    /// Whether rows of a table are versions of rows of which another column, which is never null, holds the key.
    ///
    /// - Parameter columns: Those that name the user.
    static func areIn(_ table: SchemaTable, besides columns: [String]) -> Bool {
        guard nouns.contains(PersonNames.noun(of: table.name)) else { return false }
        return table.columns.contains { column in
            !column.isNullable && !columns.contains(column.name) && table.primaryKey != [column.name]
                && (KeyName(column.name).isKey || table.foreignKeys.contains { $0.columns.contains(column.name) })
        }
    }
}
