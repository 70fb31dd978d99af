// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// A column of rows that stay, from whose list an erasure removes the subject.
struct ListRemoval {
    let table: SchemaTable
    let column: SchemaColumn
    let link: Link

    /// The link that removes it, as the subject of a sentence.
    var actor: String { link.isReference ? "The link's role reference" : "`shared: unlink`" }

    /// Another entry of the plan, by which these rows are deleted.
    var answer: String {
        link.isReference
            ? "Write `role: owner` into the link, which deletes these rows"
            : "Write `shared: erase`, which deletes these rows"
    }

    /// The generated columns that are computed from the list.
    var computed: [SchemaColumn] {
        table.columns.filter { Computation(of: $0)?.mentions(column.name) == true }
    }

    /// The names of all columns whose values change with the list.
    var changed: [String] { [column.name] + computed.map(\.name) }

    /// All that a plan leads to, once for each column.
    static func all(_ context: CheckContext) -> [ListRemoval] {
        var seen: Set<ColumnName> = []
        return context.entries.filter { $0.plan.rule.isPersonal }.flatMap { entry, table in
            entry.links.compactMap { link -> ListRemoval? in
                guard link.list != nil, link.isReference || link.shared == .unlink, link.columns.count == 1,
                    let column = table[link.columns[0]], !column.isGenerated,
                    seen.insert(ColumnName(entry.table, column.name)).inserted
                else { return nil }
                return ListRemoval(table: table, column: column, link: link)
            }
        }
    }
}
