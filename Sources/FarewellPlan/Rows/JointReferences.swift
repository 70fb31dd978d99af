// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The references of a table whose values rows lose in one statement: a row that names the subject twice changes once.
/// A check may be about both values, and refuse a row that has lost only one.
package struct JointReferences {
    /// A reference of the table.
    struct Reference {
        let link: Link
        /// The columns that it changes.
        let columns: Set<String>
        /// Whether its first column holds the subject's key itself.
        let isDirect: Bool
        /// Whether its values name rows of one partition only.
        let isOfPartition: Bool
    }

    /// Their places among the table's references; empty if each has a statement of its own.
    package let places: [Int]
    /// The same references.
    let references: [Reference]

    package init(_ node: RowGraph.Node, in graph: RowGraph) {
        let references = node.references.map { edge in
            Reference(
                link: edge.link, columns: Set(ReferenceChange(graph: graph, edge: edge, table: node.table).columns),
                isDirect: edge.isDirect, isOfPartition: edge.partition != nil)
        }
        self.init(references, in: node.table, dialect: graph.dialect, isDistributed: graph.isDistributed)
    }

    /// Those of a plan's entry that a check of the table binds: the others are in one statement only for its speed.
    init(boundIn entry: TablePlan, _ table: SchemaTable, _ context: CheckContext) {
        let schema = context.map.schema
        let partitions = KeyPartitions(context.map)
        let references = entry.links.filter(\.isReference).map { link in
            Reference(
                link: link,
                columns: Set(ReferenceChange.columns(of: link, in: table, to: context.referenceTarget(link))),
                isDirect: false, isOfPartition: partitions.target(of: link, in: table) != nil)
        }
        self.init(references, in: table, dialect: schema.dialect, isDistributed: schema.isDistributed)
    }

    private init(_ all: [Reference], in table: SchemaTable, dialect: SQLDialect, isDistributed: Bool) {
        guard !isDistributed, all.count > 1 else {
            (places, references) = ([], [])
            return
        }
        var changed: [Int: Set<String>] = [:]
        for (place, reference) in all.enumerated()
        where reference.link.list == nil && reference.link.path.isEmpty && !reference.isOfPartition {
            let columns = reference.columns
            // A statement can give a column one value only.
            guard !columns.isEmpty, changed.values.allSatisfy({ columns.isDisjoint(with: $0) }) else { continue }
            changed[place] = columns
        }
        let bound = table.checks.reduce(into: Set<Int>()) { bound, check in
            let found = changed.filter { !$0.value.isDisjoint(with: check.columns) }
            if found.count > 1 { bound.formUnion(found.keys) }
        }
        // A trigger may fire for a column that a statement names, whether its value changes or not. A link through
        // other rows is found by an index only if it is alone.
        let isSeen = table.triggers.contains { $0.events.contains("update") }
        // SQLite checks a key again that a statement names, also if its value stays: one that leads nowhere is refused.
        let checked = dialect.hasColumnTypes ? [] : Set(table.foreignKeys.flatMap(\.columns))
        let quick = changed.filter { place, columns in
            !isSeen && all[place].isDirect && checked.isDisjoint(with: columns)
        }.keys
        let together = bound.union(quick)
        places = together.count > 1 ? together.sorted() : []
        references = places.map { all[$0] }
    }
}
