// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Whether rows that are given the same constant are then the same in a unique key.
struct ConstantCollision {
    let entry: TablePlan
    let table: SchemaTable

    private struct Key {
        let columns: [String]
        /// Whether it covers only some rows.
        let isPartial: Bool
    }

    /// What is to be said of the constant of a column; of a key with several constants at the first of them.
    func finding(at column: String) -> Finding? {
        let found = keys.compactMap { finding(at: column, in: $0) }
        return PlanCheck.ordered(found).first
    }

    private var keys: [Key] {
        let whole = [table.primaryKey].filter { $0.count == 1 } + table.uniqueKeys
        // What an expression makes of a constant is asked of the database itself.
        let indexes = table.indexes.filter {
            $0.isUnique && $0.columns != table.primaryKey && !$0.columns.contains("")
        }
        return whole.map { Key(columns: $0, isPartial: false) }
            + indexes.map { Key(columns: $0.columns, isPartial: $0.isPartial) }
    }

    private func finding(at column: String, in key: Key) -> Finding? {
        let rules = key.columns.map { name in entry.columns.first { $0.name == name }?.rule }
        let constants = zip(key.columns, rules).filter { $0.1?.constantText != nil }.map(\.0)
        // Nulls are never the same.
        guard constants.first == column, !rules.contains(where: { $0 == .null }) else { return nil }
        let others = key.columns.filter { !constants.contains($0) }
        guard others.isEmpty else {
            // Where the others are unique by themselves no two rows are the same in all.
            guard !table.isUnique(others) else { return nil }
            return found(
                .note, column,
                "The column is unique together with \(Self.list(others)): of rows that are the same there, the second "
                    + "to get the constant would be refused.",
                "Use null or hash, unless no two rows that stay are the same there.")
        }
        let which = key.columns.count == 1 ? "The column is unique" : "\(Self.list(key.columns)) are unique together"
        guard !key.isPartial else {
            return found(
                .warning, column, "\(which) in some rows: the second of them to get the constant would be refused.",
                "Use null or hash.")
        }
        return found(
            .error, column, "\(which): the second person to leave would get the same constant.", "Use null or hash.")
    }

    private func found(
        _ severity: Finding.Severity, _ column: String, _ message: String, _ remedy: String
    ) -> Finding {
        Finding("column.constant-not-unique", severity, table: table.name, column: column, message, remedy: remedy)
    }

    private static func list(_ columns: [String]) -> String {
        Shown.line(columns.joined(separator: ", "), limit: 200)
    }
}
