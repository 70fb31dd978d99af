// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Shared rows that stay: the plan must say whether an export contains the values that an erasure does not change.
struct ExportedColumnCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.compactMap { entry, table -> Finding? in
            guard entry.rule.rowsStay, isShared(entry, table) else { return nil }
            let linking = Set(entry.links.flatMap(\.columns) + table.primaryKey)
            let undecided = entry.columns.filter { column in
                column.export == nil && column.rule?.isNotPersonal == true && !linking.contains(column.name)
            }.map { Shown.line($0.name, limit: 80) }
            guard let first = undecided.first else { return nil }
            let shown = undecided.prefix(10).joined(separator: ", ")
            let more = undecided.count > 10 ? " and \(undecided.count - 10) more" : ""
            return Finding(
                "export.undecided", .note, table: table.name,
                "The rows are kept and may concern others too. An export leaves out \(shown)\(more), because the plan "
                    + "does not say whose these values are.",
                remedy: "Write `\(first): {rule: not personal, export: yes}` for the subject's values, and "
                    + "`export: no` for other users' values.")
        }
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
