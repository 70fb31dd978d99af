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
            let forms = Dictionary(
                links.compactMap { link in form(of: link, in: entry.table).map { (link.columns, $0) } },
                uniquingKeysWith: { first, _ in first })
            let missing = wanted.filter { columns in
                seen.insert(columns).inserted
                    && !(forms[columns].map { isIndexed(columns, as: $0, in: entry.table) }
                        ?? isIndexed(columns, in: entry.table))
            }
            return missing.map { finding($0, entry.table, forms[$0]) }
                + links.filter { !$0.path.isEmpty && $0.list == nil }.map { pathFinding($0, entry.table) }
        }
    }

    /// Whether an index finds rows by one of the columns at least.
    private func isIndexed(_ columns: [String], in table: SchemaTable) -> Bool {
        table.indexes.contains { index in columns.contains { index.finds(by: [$0]) } }
    }

    /// A form in which a link compares its column's values, other than as they are.
    private enum Form {
        /// Without regard to letter case.
        case inAnyCase
        /// Without regard to spaces at the end.
        case unpadded
    }

    private func form(of link: Link, in table: SchemaTable) -> Form? {
        if link.ignoresCase, link.columns.allSatisfy({ table[$0]?.looseEquality == nil }) { return .inAnyCase }
        guard link.path.isEmpty, link.list == nil, link.columns.count == 1, link.targetColumns.count == 1,
            let column = table[link.columns[0]]
        else { return nil }
        let key = context.map.column(link.target, link.targetColumns[0])
        return context.map.schema.dialect.equality(of: column, with: key) == .unpadded ? .unpadded : nil
    }

    /// Whether an index may find rows by a form of a column: one over an expression, of which the catalog tells no more
    /// here.
    private func isIndexed(_ columns: [String], as form: Form, in table: SchemaTable) -> Bool {
        let dialect = context.map.schema.dialect
        return table.indexes.contains { index in
            !index.isPartial && index.method == "btree"
                && (dialect.hasColumnTypes ? index.columns.first == "" : index.finds(by: columns))
        }
    }

    private func finding(_ columns: [String], _ table: SchemaTable, _ form: Form?) -> Finding {
        let dialect = context.map.schema.dialect
        let list = columns.map { column -> String in
            let name = dialect.quoted(column)
            return switch form {
            case .inAnyCase: dialect.indexedInAnyCase(name)
            case .unpadded: dialect.indexedUnpadded(name)
            case nil: name
            }
        }.joined(separator: ", ")
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
