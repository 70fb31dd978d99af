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
            let wanted =
                links.filter { $0.path.isEmpty && $0.list == nil }.map { search(by: $0, entry.table) }
                + context.map.keys(of: entry.plan.table).filter { context.isErased($0.key.target) }.map {
                    search(by: $0.key.link, entry.table)
                }
            var seen: Set<Search> = []
            return wanted.filter { seen.insert($0).inserted && !isIndexed($0, entry.table) }
                .map { finding($0, entry.table) }
                + links.filter { !$0.path.isEmpty && $0.list == nil }.map { pathFinding($0, entry.table) }
        }
    }

    /// The columns by which rows are found, and how the values of each are compared.
    private struct Search: Hashable {
        let columns: [String]
        let equalities: [KeyEquality]
    }

    private func search(by link: Link, _ table: SchemaTable) -> Search {
        let dialect = context.map.schema.dialect
        let columns = link.columns.map { table[$0] }
        if link.ignoresCase, columns.allSatisfy({ $0?.looseEquality == nil }) {
            return Search(columns: link.columns, equalities: columns.map { _ in dialect.equalityInAnyCase })
        }
        let equalities = zip(columns, link.targetColumns).map { column, target -> KeyEquality in
            let key = context.map.column(link.target, target)
            if let column, let key, isCompared(column, asTextWith: key, of: link) { return .exact }
            return dialect.equality(of: column, with: key)
        }
        return Search(columns: link.columns, equalities: equalities)
    }

    /// PostgreSQL: whether a link's values are compared as text although they are none, as in `RowComparison`. Of types
    /// whose text depends on settings no index can hold it.
    private func isCompared(_ column: SchemaColumn, asTextWith key: SchemaColumn, of link: Link) -> Bool {
        guard context.map.schema.dialect.hasColumnTypes, link.onDelete == nil, column.labels == nil,
            column.kind != key.kind, !(column.kind.isNumeric && key.kind.isNumeric)
        else { return false }
        // The subject's key is converted to the column's type.
        guard !context.paths.holdsSubjectKey(link) else { return column.kind == .number && key.kind == .text }
        return [.uuid, .integer, .number, .boolean, .bytes].contains(column.kind)
    }

    /// Whether an index finds rows by one of the columns at least.
    private func isIndexed(_ search: Search, _ table: SchemaTable) -> Bool {
        let dialect = context.map.schema.dialect
        return zip(search.columns, search.equalities).contains { name, equality in
            guard let column = table[name] else { return false }
            return table.indexes.contains { $0.finds(by: column, equality, dialect) }
        }
    }

    private func finding(_ search: Search, _ table: SchemaTable) -> Finding {
        let dialect = context.map.schema.dialect
        let list = zip(search.columns, search.equalities).map { name, equality in
            dialect.indexed(dialect.quoted(name), equality, of: table[name])
        }.joined(separator: ", ")
        let name = dialect.qualified(table.name)
        // SQLite makes up no name for an index.
        let called = dialect.quoted(([table.name.name] + search.columns).joined(separator: "_"))
        let how = dialect.buildsIndexesConcurrently ? "CONCURRENTLY" : Shown.line(called, limit: 160)
        return Finding(
            "index.missing", .warning, table: table.name, column: search.columns.first,
            "No index for equality begins with this column\(form(search)), so each erasure reads the whole table"
                + "\(rows(table)).",
            remedy: "Add one: CREATE INDEX \(how) ON \(Shown.line(name, limit: 160)) "
                + "(\(Shown.line(list, limit: 160))).")
    }

    /// Words for an index over more than the column itself.
    private func form(_ search: Search) -> String {
        search.equalities.contains { !$0.isOfColumn } ? " as it is compared" : ""
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
