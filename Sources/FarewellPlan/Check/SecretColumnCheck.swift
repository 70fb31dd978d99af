// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Columns that hold secrets by their names, and are in an export by the plan.
struct SecretColumnCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.flatMap { entry, table -> [Finding] in
            guard entry.rule.isPersonal else { return [] }
            let secrets = entry.columns.filter { planned in
                guard let column = table[planned.name], SecretColumns.isOne(column) else { return false }
                if let export = planned.export { return export }
                let isRead =
                    entry.rule.erasesRows || planned.rule.map { $0.changesValue || $0.isRetained } == true
                return isRead && !SecretColumns.isKept(column, in: table.name)
            }
            return [
                finding(secrets.filter { $0.export == nil }, table), chosen(secrets.filter { $0.export != nil }, table),
            ]
            .compactMap(\.self)
        }
    }

    private func finding(_ columns: [TablePlan.PlannedColumn], _ table: SchemaTable) -> Finding? {
        guard let first = columns.first else { return nil }
        let name = Shown.line(first.name, limit: 80)
        return Finding(
            "export.secret", .warning, table: table.name, column: columns.count == 1 ? first.name : nil,
            "By name, \(shown(columns)) \(columns.count == 1 ? "holds a secret" : "hold secrets"), and an export "
                + "contains the values.",
            remedy: "Write `{\(name): {export: no}}` in `columns`; if the value is no secret, `export: yes`.")
    }

    private func chosen(_ columns: [TablePlan.PlannedColumn], _ table: SchemaTable) -> Finding? {
        guard let first = columns.first else { return nil }
        return Finding(
            "export.secret", .note, table: table.name, column: columns.count == 1 ? first.name : nil,
            "By name, \(shown(columns)) \(columns.count == 1 ? "holds a secret" : "hold secrets"), and the plan says "
                + "`export: yes`.",
            remedy: "Keep it only if users may see and pass on these values.")
    }

    private func shown(_ columns: [TablePlan.PlannedColumn]) -> String {
        let more = columns.count > 10 ? " and \(columns.count - 10) more" : ""
        return columns.prefix(10).map { Shown.line($0.name, limit: 80) }.joined(separator: ", ") + more
    }
}
