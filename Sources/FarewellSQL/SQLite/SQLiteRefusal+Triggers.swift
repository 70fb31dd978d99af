// SPDX-License-Identifier: Apache-2.0
import Farewell
import GRDB

/// Constraints that a statement of a trigger breaks, and not the statement that fired it.
extension SQLiteRefusal {
    /// `nil` if the statement itself may have written the refused row.
    static func byTrigger(_ error: DatabaseError, _ names: SQLiteNames) -> SQLiteRefusal? {
        let message = error.message ?? ""
        guard let broken = broken(error, message, names) else { return nil }
        let triggers = names.culprits(writing: broken.table)
        guard !triggers.isEmpty, ControlTables.own(broken.table, .sqlite) == nil else { return nil }
        return SQLiteRefusal(
            broken.state, "\(broken.sentence) in a statement of \(written(triggers))",
            "Correct the trigger or drop it: no rule of the plan changes what it writes.")
    }

    private typealias Broken = (state: String, table: String, sentence: String)

    private static func broken(_ error: DatabaseError, _ message: String, _ names: SQLiteNames) -> Broken? {
        func table(of column: Substring) -> String? {
            let name = SQLiteCatalog.folded(NameSpelling.of(String(column.prefix { $0 != "." })))
            return names.tables.first { SQLiteCatalog.folded($0.name) == name }?.name
        }
        func after(_ mark: String) -> Substring? { message.hasPrefix(mark) ? message.dropFirst(mark.count) : nil }
        switch error.extendedResultCode {
        case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID:
            if let rest = after("UNIQUE constraint failed: index '") {
                let index = names.indexes.first { ExactText($0.name) == ExactText(String(rest.dropLast())) }
                return index.map { ("23505", $0.table, "A key already exists (\(shown($0.name)))") }
            }
            return after("UNIQUE constraint failed: ").flatMap(table(of:)).map {
                ("23505", $0, "A key already exists\(SQLiteFailure.name(in: message))")
            }
        case .SQLITE_CONSTRAINT_NOTNULL:
            return after("NOT NULL constraint failed: ").flatMap(table(of:)).map {
                ("23502", $0, "A column must not be null\(SQLiteFailure.name(in: message))")
            }
        case .SQLITE_CONSTRAINT_CHECK:
            return after("CHECK constraint failed: ").flatMap { names.table(defining: String($0)) }.map {
                ("23514", $0, "A check constraint was violated (table \(shown($0)))")
            }
        default:
            // A value of the wrong type for a column of a strict table.
            guard error.extendedResultCode.rawValue == 3_091, let column = message.split(separator: " ").last else {
                return nil
            }
            return table(of: column).map {
                ("42804", $0, "A value has the wrong type for its column (table \(shown($0)), \(shown(column)))")
            }
        }
    }
}
