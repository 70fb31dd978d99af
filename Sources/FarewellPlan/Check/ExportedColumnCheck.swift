// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Rows that two users share: the plan must say whether an export contains the values of a row that stays, and those of
/// a row that another user wrote.
struct ExportedColumnCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.compactMap { entry, table in
            entry.rule.erasesRows ? erased(entry, table) : entry.rule.rowsStay ? staying(entry, table) : nil
        }
    }

    private func staying(_ entry: TablePlan, _ table: SchemaTable) -> Finding? {
        guard isShared(entry, table) else { return nil }
        let undecided = undecided(entry, table) { $0.rule?.isNotPersonal == true }
        guard let first = undecided.first else { return nil }
        return Finding(
            "export.undecided", .note, table: table.name,
            "The rows are kept and may concern others too. An export leaves out \(shown(undecided)), because the plan "
                + "does not say whose these values are.",
            remedy: "Write `\(first): {rule: not personal, export: yes}` for the subject's values, and "
                + "`export: no` for other users' values.")
    }

    private func erased(_ entry: TablePlan, _ table: SchemaTable) -> Finding? {
        // A column with `export: yes` shows that the plan's author has decided about the others too.
        let isDecided = entry.columns.contains { $0.export == true }
        guard table.name != context.plan.subject.table, !isDecided else { return nil }
        // Nearly every row also leads to a user through others, and mostly to the same one.
        let owning = entry.links.filter { !$0.isReference && !$0.isOwnedParent }
        guard owning.count(where: context.paths.isDirect) > 1 else { return nil }
        let authors = RowAuthors.links(among: owning, isOfUsers: context.paths.isDirect)
        let keys = Set(table.foreignKeys.filter { context.isPersonal($0.target) }.flatMap(\.columns))
        let undecided = undecided(entry, table) { planned in
            guard let column = table[planned.name], !keys.contains(column.name) else { return false }
            return !SecretColumns.isKept(column, in: table.name)
        }
        guard let author = authors.first, let first = undecided.first else { return nil }
        let names = author.columns.map { Shown.line($0, limit: 80) }.joined(separator: ", ")
        return Finding(
            "export.undecided", .note, table: table.name,
            "Another user may have written the rows (\(names)). An export of a user who did not write them leaves out "
                + "\(shown(undecided)).",
            remedy: "Write `{\(first): {export: yes}}` in `columns` for values that both users may have.")
    }

    /// The columns that nothing but their own settings put into an export.
    private func undecided(
        _ entry: TablePlan, _ table: SchemaTable, _ isMeant: (TablePlan.PlannedColumn) -> Bool
    ) -> [String] {
        let linking = Set(entry.links.flatMap(\.columns) + table.primaryKey)
        return entry.columns.filter { $0.export == nil && isMeant($0) && !linking.contains($0.name) }
            .map { Shown.line($0.name, limit: 80) }
    }

    private func shown(_ columns: [String]) -> String {
        let more = columns.count > 10 ? " and \(columns.count - 10) more" : ""
        return columns.prefix(10).joined(separator: ", ") + more
    }

    /// Whether rows are the subject's by one link and may name another person by a second link or key.
    private func isShared(_ entry: TablePlan, _ table: SchemaTable) -> Bool {
        guard entry.links.contains(where: { !$0.isReference }) else { return false }
        return entry.links.count > 1
            || table.foreignKeys.contains { key in
                context.isPersonal(key.target) && !entry.links.contains { key.isSame(as: $0) }
            }
    }
}
