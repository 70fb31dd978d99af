// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// A key from a table to itself forbids the deletion of a row while another row refers to it, and both may be the
/// subject's (comments that answer comments). One statement deletes both; pieces may be refused.
extension RowProgramWriter {
    /// How the rows of a node are deleted in pieces nevertheless; `nil` if they cannot be divided.
    func division(_ node: Int) throws -> RowProgram.Division? {
        let ways = selection.singleWays(of: node)
        var deletes: [RowProgram.Effect] = []
        for way in ways {
            guard let statement = try delete(node, by: way), let chunks = chunks(node, by: way, statement) else {
                return nil
            }
            deletes.append(.init(statements: [statement], nodes: [node], chunks: chunks))
        }
        let keys = graph.selfKeys(of: node)
        let freed = ways.flatMap { freeing(node, by: $0) }
        let areAllFreed = freed.count == ways.count * keys.count && freed.allSatisfy { $0.chunks != nil }
        return .init(deletes: deletes, freeing: areAllFreed ? freed : [])
    }

    /// Takes keys of the table to itself out of the subject's own rows, which are deleted then; no statement for a key
    /// that cannot be taken out.
    func freeing(_ node: Int, by way: RowSelection.Way) -> [RowProgram.Effect] {
        guard node != graph.root else { return [] }
        return graph.selfKeys(of: node).compactMap { key -> RowProgram.Effect? in
            let columns = graph.freedColumns(of: key, in: node)
            guard let first = columns.first else { return nil }
            var build = RowStatementBuilder(dialect: graph.dialect)
            var rows: Rows = selection.condition(node, by: way, &build)
            rows.condition = "(\(rows.condition)) AND t.\(build.quoted(first)) IS NOT NULL"
            let emptied = columns.map { "\(build.quoted($0)) = NULL" }.joined(separator: ", ")
            // A row that must not lose its key keeps it: the deletion decides whether that matters.
            let update = graph.dialect.updateOrLeave
            let statement = build.statement(
                rows.with,
                "\(update) \(build.rows(of: graph.nodes[node].table)) AS t SET \(emptied) "
                    + "WHERE \(rows.condition)")
            let isDivided = way != .identity && !graph.isUndivided(node)
            return .init(
                statements: [statement], nodes: [],
                chunks: isDivided ? chunks(unlinking: node, rows, build, statement) : nil, unlinked: node)
        }
    }
}

extension RowGraph {
    /// Whether rows of a node are deleted that other rows of the same table may keep from being deleted.
    func refersToItself(_ node: Int) -> Bool { nodes[node].rule.erasesRows && !selfKeys(of: node).isEmpty }

    /// The keys from the table of a node to itself that forbid a deletion.
    func selfKeys(of node: Int) -> [ForeignKey] {
        let table = nodes[node].table
        return table.foreignKeys.filter { key in
            key.target == table.name && (key.onDelete == .noAction || key.onDelete == .restrict)
        }
    }

    /// The columns of a key to the table itself that rows can lose before they are deleted: no row is found by them, no
    /// other key needs them, and no trigger sees the change. Empty if there are none.
    func freedColumns(of key: ForeignKey, in node: Int) -> [String] {
        let (entry, table) = (nodes[node], nodes[node].table)
        guard !table.triggers.contains(where: { $0.events.contains("update") }) else { return [] }
        var needed = Set(table.primaryKey).union(referredColumns[table.name] ?? [])
        for other in table.foreignKeys where other != key { needed.formUnion(other.columns) }
        // Rows that refer to others by this key itself are their own subject's all the same.
        let references = entry.references.filter { $0.parent != node || $0.link.columns != key.columns }
        for link in (entry.links + references).map(\.link) {
            needed.formUnion(link.columns + link.condition.parts.map(\.column))
        }
        let possible = key.columns.filter { column in
            !needed.contains(column) && table[column]?.isNullable == true && table[column]?.isGenerated == false
        }
        // Elsewhere one null is enough to name no row.
        return key.matchesFull ? (possible.count == key.columns.count ? possible : []) : Array(possible.prefix(1))
    }

    /// The columns of each table that keys of the schema or links of the plan lead to.
    static func referredColumns(_ schema: Schema, _ nodes: [Node]) -> [TableName: Set<String>] {
        var columns: [TableName: Set<String>] = [:]
        for key in schema.tables.flatMap(\.foreignKeys) {
            columns[key.target, default: []].formUnion(key.targetColumns)
        }
        for edge in nodes.flatMap({ $0.links + $0.references }) {
            columns[nodes[edge.parent].table.name, default: []].formUnion(edge.link.targetColumns)
        }
        return columns
    }
}
