// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Tables with earlier states of rows of another table, such as `page_revisions`: the user of such a row saved it, and
/// the row itself may be another user's.
enum RowVersions {
    private static let nouns: Set<String> = ["revision", "version", "history", "snapshot", "edit", "changeset"]

    /// Whether rows of a table are versions of rows, and the columns name the user of a version.
    ///
    /// - Parameter columns: Those that name the user.
    static func areIn(_ table: SchemaTable, besides columns: [String]) -> Bool {
        haveOwnColumns(table, besides: columns) || haveOriginal(table, besides: columns)
    }

    /// Whether the columns share a prefix such as `history_` with the version's own key and time: the other columns are
    /// a copy of the original row.
    static func haveOwnColumns(_ table: SchemaTable, besides columns: [String]) -> Bool {
        guard !columns.isEmpty else { return false }
        let names = Set(table.columns.map { $0.name.lowercased() })
        return columns.allSatisfy { column in
            guard let noun = nouns.first(where: { column.lowercased().hasPrefix("\($0)_") }) else { return false }
            return names.contains("\(noun)_id") && !columns.contains("\(noun)_id")
                && ["date", "time", "at", "timestamp"].contains { names.contains("\(noun)_\($0)") }
        }
    }

    /// Whether another column, which is never null, holds the key of the original row.
    private static func haveOriginal(_ table: SchemaTable, besides columns: [String]) -> Bool {
        guard nouns.contains(PersonNames.noun(of: table.name)) else { return false }
        return table.columns.contains { column in
            !column.isNullable && !columns.contains(column.name) && table.primaryKey != [column.name]
                && (KeyName(column.name).isKey || table.foreignKeys.contains { $0.columns.contains(column.name) })
        }
    }
}
