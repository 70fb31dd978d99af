// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Obstacles in the database itself: rights, row security, copies.
struct DatabaseCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.flatMap { entry in
            let about = [refusal, rights, rowSecurity, copies, identity]
            return about.flatMap { $0(entry.plan, entry.table) }
        }
    }

    private func refusal(_ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        guard let refusal = table.refusal else { return [] }
        return [
            Finding(
                "table.unreadable", entry.rule.isPersonal ? .error : .warning, table: entry.table,
                "This virtual table cannot be read, so its rows are neither erased nor searched. \(refusal)",
                remedy: "Keep its rows in an ordinary table, or drop it. Until then, have the program that reads it "
                    + "erase what it holds of a subject, and call it not personal here.")
        ]
    }

    private func rights(_ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        table.missingRights.compactMap { name in
            let right = MissingRight(name, on: table.name, in: context.map.schema)
            guard !entry.rule.isPersonal else {
                let needed = needs(name, entry)
                return Finding(
                    "right.missing", needed ? .error : .warning, table: entry.table,
                    "\(right.who) may not \(right.act)\(needed ? ", which the plan needs" : "").", remedy: right.remedy)
            }
            guard name == "select" || name == "usage" else { return nil }
            return Finding(
                "right.missing", .warning, table: entry.table,
                "\(right.who) may not \(right.act), so a deep scan cannot search here.", remedy: right.remedy)
        }
    }

    private func needs(_ right: String, _ entry: TablePlan) -> Bool {
        right == "usage" || right == "select" || entry.rule.kind.needs(right, entry)
    }

    private func rowSecurity(_ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        guard table.rowSecurity.appliesToRole else {
            guard table.rowSecurity.isEnabled, !context.map.schema.role.bypassesRowSecurity else { return [] }
            let message = "Row security is on, but does not apply to this role today, because it owns the table."
            return [Finding("row-security.enabled", .note, table: entry.table, message)]
        }
        let isPersonal = entry.rule.isPersonal
        return [
            Finding(
                "row-security.hides", isPersonal ? .error : .warning, table: entry.table,
                isPersonal
                    ? "Row security may hide the subject's rows from this role: they would not be erased."
                    : "Row security may hide rows from this role, so a deep scan cannot search everywhere.",
                remedy: "Use a role with BYPASSRLS, or the table's owner without FORCE ROW LEVEL SECURITY.")
        ]
    }

    private func copies(_ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        let isAcknowledged = entry.columns.contains { $0.rule?.isNotPersonal == true }
        switch (table.kind, entry.rule.isPersonal) {
        case (.materializedView, false) where CopyingView.mayKeepErasedRows(table, entry):
            return [
                Finding(
                    "copy.materialised-view", .warning, table: entry.table,
                    "A materialised view keeps its copy of erased rows until it is refreshed.",
                    remedy:
                        "Refresh it after erasures. Once that is arranged, or if no data is personal, list a column as "
                        + "{name: not personal}.")
            ]
        case (.materializedView, true):
            return [
                Finding(
                    "copy.not-erasable", .error, table: entry.table,
                    "Rows of a materialised view cannot be changed; only a refresh changes them.",
                    remedy: "Call it not personal here, and refresh it after erasures.")
            ]
        case (.virtual, false) where !isAcknowledged && table.isReadable:
            return [
                Finding(
                    "copy.virtual-table", .warning, table: entry.table,
                    "A virtual table may hold a copy of personal text.",
                    remedy: "Make sure that triggers keep it in step with its source, then list a column as "
                        + "{name: not personal}.")
            ]
        default: return []
        }
    }

    private func areToldByPlace(_ table: SchemaTable) -> Bool {
        context.map.schema.dialect.hasRowPlaces && table.citus?.isDistributed != true
    }

    private func identity(_ entry: TablePlan, _ table: SchemaTable) -> [Finding] {
        guard entry.rule.isPersonal, table.primaryKey.isEmpty, table.kind != .virtual else { return [] }
        guard !table.hasRowID || table.rowIDName != nil else {
            return [
                Finding(
                    "table.no-identity", .error, table: entry.table,
                    "The table has no primary key, and its columns use all three names of its "
                        + "rowid: its rows cannot be distinguished.",
                    remedy: "Give it a primary key, or rename one of the columns rowid, _rowid_ and oid.")
            ]
        }
        let how =
            table.hasRowID
            ? "its rowid" : areToldByPlace(table) ? "physical location" : "all columns"
        let message = "The table has no primary key; Farewell distinguishes its rows by \(how)."
        return [Finding("table.no-primary-key", .note, table: entry.table, message)]
    }
}
