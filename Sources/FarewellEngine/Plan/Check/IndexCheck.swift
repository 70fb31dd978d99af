// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Every column by which rows are found, or by which the database looks for referring rows, has an index.
///
/// Without one, each erasure reads the whole table: the cost then grows with everybody's data.
struct IndexCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.flatMap { entry in
            var wanted: [[String]] = []
            if entry.plan.rule != .notPersonal {
                wanted += entry.plan.links.filter(\.path.isEmpty).map(\.columns)
            }
            wanted += context.map.keys(of: entry.plan.table)
                .filter { context.isErased($0.key.target) }.map(\.key.columns)
            var seen: Set<[String]> = []
            return wanted.filter { seen.insert($0).inserted && !isIndexed($0, in: entry.table) }.map { columns in
                finding(columns, entry.table)
            }
        }
    }

    private func isIndexed(_ columns: [String], in table: SchemaTable) -> Bool {
        let indexes = table.indexes.filter { !$0.isPartial }.map(\.columns) + [table.primaryKey] + table.uniqueKeys
        return indexes.contains { index in index.first.map(columns.contains) ?? false }
    }

    private func finding(_ columns: [String], _ table: SchemaTable) -> Finding {
        let dialect = context.map.schema.dialect
        let list = columns.map(dialect.quoted).joined(separator: ", ")
        let name = [table.name.schema, table.name.name].compactMap(\.self).map(dialect.quoted).joined(separator: ".")
        let rows = table.estimatedRows.map { " (about \($0) rows)" } ?? ""
        return Finding(
            "index.missing", .warning, table: table.name, column: columns.first,
            "No index begins with this column, so each erasure reads the whole table\(rows).",
            remedy: "Add one: CREATE INDEX\(dialect == .postgresql ? " CONCURRENTLY" : "") ON "
                + "\(Shown.line(name, limit: 160)) (\(Shown.line(list, limit: 160))).")
    }
}
