// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The references of a table whose values rows lose in one statement: a row that names the subject twice changes once.
/// A check may be about both values, and refuse a row that has lost only one.
struct JointReferences {
    /// Their places among the node's references; empty if each has a statement of its own.
    let places: [Int]

    init(_ node: RowGraph.Node, in graph: RowGraph) {
        guard !graph.isDistributed, node.references.count > 1 else {
            places = []
            return
        }
        var changed: [Int: Set<String>] = [:]
        for (place, edge) in node.references.enumerated()
        where edge.link.list == nil && edge.link.path.isEmpty && edge.partition == nil {
            let columns = Set(ReferenceChange(graph: graph, edge: edge, table: node.table).columns)
            // A statement can give a column one value only.
            guard !columns.isEmpty, changed.values.allSatisfy({ columns.isDisjoint(with: $0) }) else { continue }
            changed[place] = columns
        }
        let bound = node.table.checks.reduce(into: Set<Int>()) { bound, check in
            let found = changed.filter { !$0.value.isDisjoint(with: check.columns) }
            if found.count > 1 { bound.formUnion(found.keys) }
        }
        // A trigger may fire for a column that a statement names, whether its value changes or not. A link through
        // other rows is found by an index only if it is alone.
        let isSeen = node.table.triggers.contains { $0.events.contains("update") }
        // SQLite checks a key again that a statement names, also if its value stays: one that leads nowhere is refused.
        let checked = graph.dialect.hasColumnTypes ? [] : Set(node.table.foreignKeys.flatMap(\.columns))
        let quick = changed.filter { place, columns in
            !isSeen && node.references[place].isDirect && checked.isDisjoint(with: columns)
        }.keys
        let together = bound.union(quick)
        places = together.count > 1 ? together.sorted() : []
    }
}
