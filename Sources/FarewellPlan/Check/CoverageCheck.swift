// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The plan names every table and column of the schema, and nothing else.
struct CoverageCheck {
    private let context: CheckContext
    private let unknown: [TablePlan]

    init(_ context: CheckContext) {
        self.context = context
        unknown = context.plan.tables.filter { context.map[$0.table] == nil }
    }

    /// One finding instead of hundreds when the plan is not about this database at all.
    func otherSchema() -> Finding? {
        let total = context.plan.tables.count
        guard total > 0, unknown.count == total || unknown.count >= 3 && unknown.count * 2 > total else { return nil }
        return Finding(
            "plan.other-schema", .error,
            "The plan is for another database: of its \(total) tables, \(unknown.count) are not in this one, "
                + "which is \(context.map.schema.dialect.name) "
                + "with \(context.map.listed.count) tables.",
            remedy: "Check the database's address and the plan's path, or write a plan with `farewell init`.")
    }

    func findings() -> [Finding] {
        unknownTables() + context.map.listed.flatMap(accounted) + context.plan.tables.flatMap(partition)
    }

    private func unknownTables() -> [Finding] {
        let names = context.map.listed.map(\.name.description)
        return unknown.map { entry in
            Finding(
                "table.unknown", .error, table: entry.table,
                "The plan names a table that this database does not have"
                    + "\(context.hints.hint(entry.table.description, in: names)).",
                remedy: "Remove its entry, or correct the name.")
        }
    }

    private func accounted(_ table: SchemaTable) -> [Finding] {
        guard let entry = context[table.name] else {
            return [
                Finding(
                    "table.unaccounted", .error, table: table.name, "The plan has no entry for this table.",
                    remedy: "Add an entry with a rule, links and columns; `farewell init --merge` proposes one.")
            ]
        }
        let planned = Set(entry.columns.map(\.name))
        let live = Set(table.columns.map(\.name))
        let missing = table.columns.filter { !planned.contains($0.name) }.map { column in
            Finding(
                "column.unaccounted", .error, table: table.name, column: column.name,
                "The plan has no entry for this column.",
                remedy: "Add it to `columns`, with a rule if the table is retained or anonymised.")
        }
        let extra = entry.columns.filter { !live.contains($0.name) }.map { column in
            Finding(
                "column.unknown", .error, table: table.name, column: column.name,
                "The plan names a column that this table does not have\(context.hints.hint(column.name, in: live)).",
                remedy: "Remove it, or correct the name.")
        }
        return missing + extra
    }

    private func partition(_ entry: TablePlan) -> [Finding] {
        let parent = context.map.listedName(of: entry.table)
        guard parent != entry.table else { return [] }
        return [
            Finding(
                "table.partition", .warning, table: entry.table,
                "This is a partition; its parent \(Shown.name(parent.description)) accounts for it.",
                remedy: "Remove this entry.")
        ]
    }
}
