// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// Every column by which rows are found, or by which the database looks for referring rows, has an index.
///
/// Without one, each erasure reads the whole table: the cost then grows with all subjects' data.
struct IndexCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        context.entries.flatMap { entry in
            let links = !entry.plan.rule.isPersonal ? [] : entry.plan.links
            let wanted: [[String]] =
                links.filter { $0.path.isEmpty && $0.list == nil }.map(\.columns)
                + context.map.keys(of: entry.plan.table).filter { context.isErased($0.key.target) }.map(\.key.columns)
            var seen: Set<[String]> = []
            let missing = wanted.filter { seen.insert($0).inserted && !isIndexed($0, in: entry.table) }
            return missing.map { finding($0, entry.table) }
                + links.filter { !$0.path.isEmpty && $0.list == nil }.map { pathFinding($0, entry.table) }
        }
    }

    /// Whether an index finds rows by one of the columns at least.
    private func isIndexed(_ columns: [String], in table: SchemaTable) -> Bool {
        table.indexes.contains { index in columns.contains { index.finds(by: [$0]) } }
    }

    private func finding(_ columns: [String], _ table: SchemaTable) -> Finding {
        let dialect = context.map.schema.dialect
        let list = columns.map(dialect.quoted).joined(separator: ", ")
        let name = dialect.qualified(table.name)
        // SQLite makes up no name for an index.
        let called = dialect.quoted(([table.name.name] + columns).joined(separator: "_"))
        let how = dialect.buildsIndexesConcurrently ? "CONCURRENTLY" : Shown.line(called, limit: 160)
        return Finding(
            "index.missing", .warning, table: table.name, column: columns.first,
            "No index for equality begins with this column, so each erasure reads the whole table"
                + "\(rows(table)).",
            remedy: "Add one: CREATE INDEX \(how) ON \(Shown.line(name, limit: 160)) "
                + "(\(Shown.line(list, limit: 160))).")
    }

    /// The path is handed over with the statement, so that not even an index over that expression is used for sure.
    private func pathFinding(_ link: Link, _ table: SchemaTable) -> Finding {
        Finding(
            "index.none-for-path", .warning, table: table.name, column: link.columns.first,
            "No index finds rows by a path into JSON, so each erasure reads the whole table\(rows(table)).",
            remedy: "Store the value in a separate column, such as a generated one, index it, and link that column.")
    }

    private func rows(_ table: SchemaTable) -> String {
        table.estimatedRows.map { " (about \($0) rows)" } ?? ""
    }
}
