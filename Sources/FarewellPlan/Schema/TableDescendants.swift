// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellSQL

/// The tables that inherit from others on PostgreSQL (`INHERITS`): a row of a descendant is a row of its ancestors too.
///
/// Keys are not inherited. A foreign key finds no row of a descendant, and a unique key does not bind it.
package struct TableDescendants: Sendable {
    private let children: [TableName: [TableName]]

    package init(_ schema: Schema) {
        var children: [TableName: [TableName]] = [:]
        for table in schema.tables where !table.isPartition {
            for parent in table.parents { children[parent, default: []].append(table.name) }
        }
        self.children = children
    }

    package var isEmpty: Bool { children.isEmpty }

    /// The children of a table, their children, and so on; each once, without the table itself.
    package func of(_ table: TableName) -> [TableName] {
        var found: [TableName] = []
        var seen: Set<TableName> = [table]
        var open = children[table] ?? []
        while let next = open.popLast() {
            guard seen.insert(next).inserted else { continue }
            found.append(next)
            open += children[next] ?? []
        }
        return found.sorted()
    }
}
