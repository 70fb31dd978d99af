// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The part of one table that an export reads: the rows that an erasure would delete or change, and those of their
/// columns that are the subject's.
package struct RowExport: Sendable {
    /// The owner of the rows.
    package enum Share: Sendable, Hashable {
        /// The subject's.
        case own
        /// Other subjects' rows that name the subject: only the values that name the subject are read.
        case naming
    }

    /// One column of the answer, in its order.
    package struct Column: Sendable, Hashable {
        package let name: String
        package let label: String
        package let kind: SchemaColumn.Kind
    }

    /// A column of the subject's rows that is not read, or not in every row: that one is among the columns too.
    package struct OmittedColumn: Sendable, Hashable {
        package let name: String
        package let reason: Reason

        package enum Reason: String, Sendable, Hashable {
            /// The plan says `export: no`.
            case refused = "the plan says that it is not the subject's"
            /// The row stays with this value, and the plan does not say whether the value is the subject's.
            case undecided = "the plan does not say if it is the subject's"
            /// It is in a table by which users sign in, and the plan does not say `export: yes`.
            case secret = "a secret of the sign-in"
            /// The row is erased, and the value may be another user's key.
            case otherUsers = "where it names another user"
            /// The row is erased, and its author may be another user. The plan does not say `export: yes`.
            case otherAuthors = "in rows that another user wrote, because the plan does not say if it is the subject's"
        }
    }

    package let share: Share
    package let table: TableName
    /// The place under which the same rows are counted (`RowProgram.counts`).
    package let place: String
    package let rule: Rule
    /// The table's name for people.
    package let label: String
    package let columns: [Column]
    package let omitted: [OmittedColumn]
    package let rows: RowStatement
    /// The rows that only other tables lead to, none of which is in `rows`; `nil` if `rows` has them all. Unneeded if
    /// `rows` has as many rows as were counted: the count covers both.
    package let rest: RowStatement?

    /// For each table with rows of a subject, in the order of the plan.
    package static func all(of plan: Plan, in graph: RowGraph) -> [RowExport] {
        let writer = RowProgramWriter(graph: graph.aboutOne)
        let labels = Dictionary(plan.tables.map { ($0.table, $0.label) }) { first, _ in first }
        return writer.graph.nodes.flatMap { node in
            let label = (labels[node.table.name] ?? nil) ?? NameSpelling.name(node.table.name.name)
            let own = node.index == graph.root || !node.links.isEmpty ? [writer.own(node, label)] : []
            return own + (writer.naming(node, label).map { [$0] } ?? [])
        }
    }
}
