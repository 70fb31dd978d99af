// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// PostgreSQL: the columns that name large objects to be deleted with the subject's rows, and those that may name the
/// same ones.
package struct LargeObjectColumns: Sendable {
    /// For each node the columns whose objects are deleted: those that the plan says so of, and those whose type says
    /// that they name some.
    let deleted: [Int: [String]]
    /// All columns of all tables that may name a large object.
    let naming: [(table: SchemaTable, column: SchemaColumn)]
    /// For each node the columns that may name large objects, and of which the plan says neither that they do nor that
    /// they do not.
    package let undecided: [Int: [String]]
    /// For each node the columns that name large objects, whether or not an erasure deletes these.
    let known: [Int: [String]]

    init(nodes: [RowGraph.Node], schema: Schema) {
        guard schema.dialect.hasLargeObjects else {
            (deleted, naming, undecided, known) = ([:], [], [:], [:])
            return
        }
        var deleted: [Int: [String]] = [:]
        var undecided: [Int: [String]] = [:]
        var known: [Int: [String]] = [:]
        for node in nodes {
            let rules = Dictionary(node.columns.map { ($0.name, $0.rule) }) { first, _ in first }
            let change = node.rule.erasesRows ? "delete" : "update"
            for column in node.table.columns where column.mayNameLargeObjects {
                let rule = rules[column.name] ?? nil
                let managing = ["delete", "update"].filter { node.table.managesLargeObjects(of: column.name, at: $0) }
                if rule?.deletesObjects == true || column.namesLargeObjects || !managing.isEmpty {
                    known[node.index, default: []].append(column.name)
                }
                guard !managing.contains(change) else { continue }
                let isMeant = rule?.deletesObjects ?? (column.namesLargeObjects && node.rule.erasesRows)
                if isMeant {
                    deleted[node.index, default: []].append(column.name)
                } else if rule == nil, node.rule.erasesRows {
                    undecided[node.index, default: []].append(column.name)
                }
            }
        }
        self.deleted = deleted
        self.undecided = undecided
        self.known = known
        naming =
            deleted.isEmpty
            ? []
            : schema.tables.filter { !$0.isPartition && $0.kind != .materializedView }.flatMap { table in
                table.columns.filter(\.mayNameLargeObjects).map { (table, $0) }
            }
    }
}

extension RowGraph {
    /// The columns that name large objects.
    package var largeObjectColumns: [ColumnName] {
        objects.known.sorted { $0.key < $1.key }.flatMap { node, columns in
            columns.map { ColumnName(nodes[node].table.name, $0) }
        }
    }
}

extension RowProgramWriter {
    /// Deletes the large objects that the rows of some nodes name, each once, before the rows: not those that another
    /// row names as well, and no identifiers of missing objects.
    func objects(of isWanted: (Int) -> Bool) -> [RowProgram.Effect] {
        let wanted = graph.objects.deleted.filter { isWanted($0.key) }.sorted { $0.key < $1.key }
        guard !wanted.isEmpty else { return [] }
        var build = RowStatementBuilder(dialect: graph.dialect)
        // Rows of every node that may name the same object: the subject's own rows do not keep it.
        let indexes = Dictionary(graph.nodes.map { ($0.table.name, $0.index) }) { first, _ in first }
        let naming = graph.objects.naming.map { (place: $0, node: indexes[$0.table.name]) }
        let with = selection.with(Set(naming.compactMap(\.node) + wanted.map(\.key)), &build)
        let own = wanted.flatMap { node, columns in
            let table = build.rows(of: graph.nodes[node].table)
            let isOwn = selection.identityCondition(node, source: "f\(node)", build)
            return columns.map { column in
                let value = "t.\(build.quoted(column))"
                let isList = graph.nodes[node].table[column]?.listsLargeObjects ?? false
                let number = isList ? "unnest(CAST(\(value) AS oid[]))" : "CAST(\(value) AS oid)"
                // Several rows may name one object, which is deleted once.
                return "SELECT DISTINCT \(number) FROM \(table) AS t WHERE \(isOwn)"
            }
        }
        let others = naming.map { place, node in
            let isOwn = node.map { selection.identityCondition($0, source: "f\($0)", build) }
            let besides = isOwn.map { " AND (\($0)) IS NOT TRUE" } ?? ""
            let value = "t.\(build.quoted(place.column.name))"
            let isNamed =
                place.column.listsLargeObjects
                ? "o.id = ANY (CAST(\(value) AS oid[]))" : "CAST(\(value) AS oid) = o.id"
            return " AND NOT EXISTS (SELECT 1 FROM \(build.rows(of: place.table)) AS t WHERE \(isNamed)\(besides))"
        }
        let text =
            "\(with)SELECT count(pg_catalog.lo_unlink(o.id)) FROM (\(own.joined(separator: " UNION "))) AS o (id) "
            + "WHERE EXISTS (SELECT 1 FROM pg_catalog.pg_largeobject_metadata AS m WHERE m.oid = o.id)"
            + others.joined()
        return [.init(statements: [build.statement(text)], nodes: [])]
    }
}
