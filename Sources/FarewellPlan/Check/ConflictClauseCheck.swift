// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// No conflict clause of SQLite deletes a neighbour's row, or leaves a row as it was, instead of refusing a change.
struct ConflictClauseCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        let staying = context.entries.filter { $0.plan.rule.rowsStay }.flatMap { entry, table in
            table.indexes.compactMap { key($0, of: entry, table) } + nulls(entry, table)
        }
        let naming = context.entries.flatMap { entry, table in
            entry.links.filter(\.isReference).compactMap { reference($0, table) }
        }
        return staying + naming
    }

    /// A reference whose column keeps a value: the one that replaces the subject's, or what is left of a list.
    private func reference(_ link: Link, _ table: SchemaTable) -> Finding? {
        let isReplaced = link.replacement != nil
        guard isReplaced || link.list != nil || !link.path.isEmpty,
            let column = ReferenceChange.replaced(by: link, to: context.referenceTarget(link))
        else { return nil }
        let index = table.indexes.first { index in
            let others = index.columns.filter { $0 != column && !isMade($0, of: column, in: table) }
            return isSilent(index) && others.count < index.columns.count && (others.isEmpty || !table.isUnique(others))
        }
        guard let index, let action = index.onConflict else { return nil }
        let nullable = "Make the column nullable and remove `set`, or recreate the table without the conflict clause."
        let remedy = isReplaced ? nullable : "Recreate the table without the conflict clause."
        return finding(action, index, table, column, remedy)
    }

    /// Whether a column is generated from another one.
    private func isMade(_ generated: String, of column: String, in table: SchemaTable) -> Bool {
        table[generated].flatMap(Computation.init(of:))?.mentions(column) == true
    }

    private func isSilent(_ index: SchemaIndex) -> Bool { index.isUnique && index.onConflict?.isSilent == true }

    private func finding(
        _ action: ConflictAction, _ index: SchemaIndex, _ table: SchemaTable, _ column: String, _ remedy: String
    ) -> Finding {
        let what =
            action == .replace
            ? "deletes the row that already has the value, perhaps another subject's, and all rows that refer to it"
            : "leaves this row unchanged without an error"
        let key = Shown.line(index.columns.joined(separator: ", "), limit: 200)
        let part = index.columns.contains(column) ? "part" : "the source of a generated part"
        return Finding(
            Finding.Code(rawValue: "conflict.\(action.rawValue)"), .error, table: table.name, column: column,
            "The column is \(part) of the unique key (\(key)) with ON CONFLICT \(action.rawValue.uppercased()): if "
                + "another row has the same values after the change, SQLite \(what).",
            remedy: remedy)
    }

    /// A key whose columns get a value that several rows may get.
    private func key(_ index: SchemaIndex, of entry: TablePlan, _ table: SchemaTable) -> Finding? {
        guard isSilent(index), let action = index.onConflict else { return nil }
        let changed = entry.columns.filter { column in
            column.rule?.changesValue == true
                && index.columns.contains { $0 == column.name || isMade($0, of: column.name, in: table) }
        }
        // Nulls are never equal, and hashes are equal no more often than their inputs.
        guard !changed.contains(where: { $0.rule?.givesNull == true && index.columns.contains($0.name) }),
            let column = changed.first(where: { $0.rule?.mayRepeat == true })
        else { return nil }
        return finding(
            action, index, table, column.name, "Use null or hash, or recreate the table without the conflict clause.")
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
