// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// No conflict clause of SQLite deletes a neighbour's row, or leaves a row as it was, instead of refusing a change.
struct ConflictClauseCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.filter { $0.plan.rule.rowsStay }.flatMap { entry, table in
            table.indexes.compactMap { key($0, of: entry, table) } + nulls(entry, table)
        }
    }

    /// A key whose columns get a value that several rows may get.
    private func key(_ index: SchemaIndex, of entry: TablePlan, _ table: SchemaTable) -> Finding? {
        guard index.isUnique, let action = index.onConflict, action.isSilent else { return nil }
        let changed = entry.columns.filter { index.columns.contains($0.name) && $0.rule?.changesValue == true }
        // Nulls are never equal, and hashes are equal no more often than their inputs.
        guard !changed.contains(where: { $0.rule?.givesNull == true }),
            let column = changed.first(where: { $0.rule?.mayRepeat == true })
        else { return nil }
        let what =
            action == .replace
            ? "deletes the row that already has the value, perhaps another subject's, and all rows that refer to it"
            : "leaves this row unchanged without an error"
        return Finding(
            Finding.Code(rawValue: "conflict.\(action.rawValue)"), .error, table: table.name, column: column.name,
            "The column is part of the unique key (\(Shown.line(index.columns.joined(separator: ", "), limit: 200))) "
                + "with ON CONFLICT \(action.rawValue.uppercased()): if another row has the same values after the "
                + "change, SQLite \(what).",
            remedy: "Use null or hash, or recreate the table without the conflict clause.")
    }

    /// A column that may not be null, and gets what an expression yields.
    private func nulls(_ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        entry.columns.compactMap { planned in
            guard planned.rule?.computation != nil, let action = table[planned.name]?.onNullConflict, action.isSilent
            else { return nil }
            let what = action == .replace ? "stores the column's default instead" : "leaves the row unchanged"
            return Finding(
                "conflict.null", .warning, table: table.name, column: planned.name,
                "The column is NOT NULL ON CONFLICT \(action.rawValue.uppercased()): if the expression yields null, "
                    + "SQLite \(what) without an error.",
                remedy: "Use coalesce in the expression, or recreate the table without the conflict clause.")
        }
    }
}
