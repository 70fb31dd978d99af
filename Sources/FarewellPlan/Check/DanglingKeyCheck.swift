// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Every key leads to a table and to a key that exist. SQLite lets a table be made or dropped without asking, and then
/// refuses changes of the rows.
struct DanglingKeyCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        // PostgreSQL drops no table that a key leads to.
        guard !context.map.schema.dialect.hasSchemas else { return [] }
        return context.entries.flatMap { entry, _ in
            context.map.keys(of: entry.table).compactMap { finding($0.key, of: entry) }
        }
    }

    private func finding(_ key: ForeignKey, of entry: TablePlan) -> Finding? {
        let name = Shown.name(key.target.description)
        guard let target = context.map[key.target] else {
            guard !isAcknowledged(key, entry) else { return nil }
            return dangling(
                key, entry,
                "A foreign key leads to \(name), which does not exist: these rows may lead to a subject, and "
                    + "SQLite refuses to change them.")
        }
        let isTouched = entry.rule.isPersonal || context.isPersonal(key.target)
        guard isTouched, target.kind != .virtual, !isKey(key.targetColumns, of: target) else { return nil }
        return dangling(
            key, entry,
            "A foreign key leads to columns of \(name) that do not exist or are not a key there: SQLite refuses "
                + "to change rows of both tables (foreign key mismatch).")
    }

    private func dangling(_ key: ForeignKey, _ entry: TablePlan, _ message: String) -> Finding {
        let column = key.columns.first ?? ""
        let note =
            entry.rule.isPersonal
            ? "" : " If the rows identify no one, list the column as {\(Shown.line(column, limit: 120)): not personal}."
        return Finding(
            "key.dangling", .error, table: entry.table, column: column, message,
            remedy: "Recreate the table with a key that leads to an existing table and to its primary or unique "
                + "key.\(note)")
    }

    private func isAcknowledged(_ key: ForeignKey, _ entry: TablePlan) -> Bool {
        !entry.rule.isPersonal
            && key.columns.allSatisfy { context.columnRule(entry.table, $0)?.isNotPersonal == true }
    }

    /// SQLite asks for a key of exactly these columns.
    private func isKey(_ columns: [String], of table: SchemaTable) -> Bool {
        guard !columns.isEmpty, columns.allSatisfy({ table[$0] != nil }) else { return false }
        return ([table.primaryKey] + table.uniqueKeys).contains { Set($0) == Set(columns) }
    }
}
