// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Finds the checks that would refuse a subject's erasure, because a link or a rule sets a column to null.
///
/// Only rows that hold the subject's key themselves are read: a rehearsal finds the others.
struct CheckSearch {
    let prepared: PreparedPlan

    private var graph: RowGraph { prepared.program.graph }

    /// Columns that become null together in the rows that hold the subject's key in a column, and in no other ones.
    private struct Emptying {
        let columns: [String]
        let holder: String
        let others: [String]
        /// The place of their reference among the node's; `nil` for a key or rules.
        var reference: Int?
    }

    func blockers(of subject: SQLValue, on connection: any SQLConnection) async throws -> [Blocker] {
        var blockers: [Blocker] = []
        for node in graph.nodes where !node.table.checks.isEmpty {
            for emptying in emptyings(node) {
                for check in node.table.checks where mayRefuse(check, emptying, node) {
                    let emptied = check.columns.filter(emptying.columns.contains)
                    guard let joint = lostTogether(check, emptying, node) else { continue }
                    let owner = RefusedRows.Owner(subject, in: emptying.holder, notIn: emptying.others)
                    let found = try await RefusedRows.read(
                        check, emptying: emptied, with: joint, in: node.table, of: owner, on: connection)
                    guard let found, found.refused > 0 else { continue }
                    blockers.append(
                        Blocker(
                            table: node.table.name, columns: emptied, target: graph.nodes[graph.root].table.name,
                            onDelete: .noAction, rows: found.refused, examples: [], check: check.name))
                }
            }
        }
        return blockers
    }

    /// Whether a check may refuse null there; what other columns become at the same time is left to the database.
    private func mayRefuse(_ check: SchemaCheck, _ emptying: Emptying, _ node: RowGraph.Node) -> Bool {
        let emptied = check.columns.filter(emptying.columns.contains)
        let others = check.columns.filter { !emptying.columns.contains($0) }
        let areChanged = node.columns.contains { column in
            others.contains(column.name) && column.rule?.changesValue == true
        }
        return !emptied.isEmpty && !areChanged && node.table.refusal(by: check, of: emptied) != .never
    }

    /// The columns of a check that a row loses in the same change where it names the subject there as well
    /// (`JointReferences`); `nil` if the check accepts that, and it cannot be read there whom the row names.
    private func lostTogether(
        _ check: SchemaCheck, _ emptying: Emptying, _ node: RowGraph.Node
    ) -> [RefusedRows.Joint]? {
        let places = JointReferences(node, in: graph).places
        guard let own = emptying.reference, places.contains(own) else { return [] }
        let others = places.filter { $0 != own }.map { node.references[$0] }.filter { other in
            other.link.replacement == nil && other.link.columns.contains(where: check.columns.contains)
        }
        let readable = others.filter { isPlain($0, node.table) }
        if readable.count < others.count {
            let lost = Set(emptying.columns + others.flatMap(\.link.columns)).intersection(check.columns)
            guard node.table.refusal(by: check, of: lost.sorted()) != .never else { return nil }
        }
        return readable.map { other in
            RefusedRows.Joint(other.link.columns, where: [.init(other.link.columns[0], emptying.holder)])
        }
    }

    private func emptyings(_ node: RowGraph.Node) -> [Emptying] {
        // Rows that another kind of link gives to the subject cannot be distinguished here.
        guard node.index != graph.root, node.links.allSatisfy({ isPlain($0, node.table) }) else {
            return []
        }
        let owners = node.links.map { $0.link.columns[0] }
        let references = node.references.enumerated().filter { _, edge in
            edge.link.replacement == nil && isPlain(edge, node.table)
        }.map { place, edge in
            Emptying(columns: edge.link.columns, holder: edge.link.columns[0], others: owners, reference: place)
        }
        // The database empties these keys where no link does.
        let keys = node.table.foreignKeys.filter { key in
            key.onDelete == .setNull && key.target == prepared.plan.subject.table
                && key.targetColumns == [prepared.plan.subject.key] && key.columns.count == 1
                && !(node.links + node.references).contains { $0.link.columns == key.columns }
        }.map { Emptying(columns: $0.emptiedColumns, holder: $0.columns[0], others: owners) }
        let nulls = node.columns.filter { $0.rule?.givesNull == true }.map(\.name)
        guard node.rule.rowsStay, node.rule.retention == nil, !nulls.isEmpty else {
            return references + keys
        }
        return references + keys + owners.map { Emptying(columns: nulls, holder: $0, others: []) }
    }

    /// Whether a link is one column with the subject's key, of the same type.
    private func isPlain(_ edge: RowGraph.Edge, _ table: SchemaTable) -> Bool {
        let link = edge.link
        guard edge.isDirect, link.columns.count == 1, link.path.isEmpty, link.list == nil, link.condition.isEmpty,
            !link.isOwnedParent, link.shared != .unlink
        else { return false }
        return table[link.columns[0]]?.kind == graph.keyColumn.kind
    }
}
