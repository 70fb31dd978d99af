// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

extension RowProgramWriter {
    /// PostgreSQL, about one subject: `(subject, values…)` of a node's rows, of which the server reads no more than the
    /// limit.
    ///
    /// The direct links are read first and one after the other, each without the rows of the links before it. No row
    /// comes twice, so the server reads up to the limit and stops: it does not compare all rows of a large account
    /// first.
    ///
    /// - Parameter written: The columns read once more as text.
    /// - Returns: `nil` if rows cannot be told apart by these columns, or if the node's rows lead to each other.
    func firstRows(_ node: RowGraph.Node, _ columns: [Int], _ written: [Int]) -> RowStatement? {
        let key = node.table.primaryKey.compactMap { node.table.place(of: $0) }
        guard graph.looksUpRowByRow, graph.isAboutOne, !key.isEmpty, key.count == node.table.primaryKey.count,
            Set(key).isSubset(of: columns), let links = selection.indirectLinks(node.index)
        else { return nil }
        var build = RowStatementBuilder(dialect: graph.dialect)
        // Rows that another owner still has are left out, by the selection of that owner.
        let with = selection.with(Set(links.map(\.parent) + node.holders.compactMap(\.node)), &build)
        let table = build.rows(of: node.table)
        let values = (columns + written).map { "t." + graph.dialect.quoted(node.table.columns[$0].name) }
        let names = captured(values, node, columns)
        var parts: [String] = []
        var excluded = ""
        for (subject, condition) in selection.directBranches(node.index, &build) {
            parts.append("(SELECT \(subject), \(names) FROM \(table) AS t WHERE (\(condition))\(excluded))")
            excluded += " AND (\(condition)) IS NOT TRUE"
        }
        if !links.isEmpty {
            let reached = links.map { selection.branch(names, of: node.index, by: $0, besides: excluded, &build) }
            parts.append("(SELECT DISTINCT * FROM (\(reached.joined(separator: " UNION ALL "))) AS reached)")
        }
        guard !parts.isEmpty else { return nil }
        let limit = build.parameter(.limit)
        return build.statement(with, "\(parts.joined(separator: " UNION ALL ")) LIMIT \(limit)")
    }

    /// The values that are read of a row, the columns before those written as text. An array is remembered as it is
    /// written, like every other type that has no value of its own, and a padded value without its spaces.
    func captured(_ values: [String], _ node: RowGraph.Node, _ columns: [Int]) -> String {
        values.enumerated().map { position, value in
            let column = position < columns.count ? node.table.columns[columns[position]] : nil
            return column.map(isCapturedAsText) ?? true ? "CAST(\(value) AS text)" : value
        }.joined(separator: ", ")
    }

    private func isCapturedAsText(_ column: SchemaColumn) -> Bool { column.kind == .array || column.isPadded }

    /// The types of captured values, in their order; `nil` if one is of another type than keys usually are. On SQLite
    /// values have their own types.
    func capturedTypes(_ columns: [Int], _ written: [Int], of node: RowGraph.Node) -> [String]? {
        guard graph.dialect.hasColumnTypes else { return (columns + written).map { _ in "" } }
        let types = columns.map { place -> String? in
            let column = node.table.columns[place]
            if isCapturedAsText(column) { return "text" }
            let isPlain = ["int2", "int4", "int8", "uuid", "text", "varchar"].contains(column.baseType)
            return isPlain ? "pg_catalog.\(column.baseType)" : nil
        }
        guard !types.contains(nil) else { return nil }
        return types.compactMap(\.self) + written.map { _ in "text" }
    }

    /// PostgreSQL: keeps the keys of some nodes' rows until the end of the transaction.
    func keeping(_ query: CaptureQuery) -> RowStatement {
        let build = RowStatementBuilder(dialect: graph.dialect)
        let isAlone = query.captures.count == 1
        let parts = query.captures.map { capture -> String in
            let kept = settings(of: capture).joined(separator: ", ")
            let names = capture.columns.indices.map { "c\($0)" } + capture.written.map { "w\($0)" }
            let source = isAlone ? capture.statement.text : capture.statement.rest
            return "SELECT \(isAlone ? kept : "concat(\(kept))") FROM (\(source)) "
                + "AS k (subject, \(names.joined(separator: ", ")))"
        }
        let slots = query.statement.slots
        guard !isAlone else { return RowStatement(text: parts[0], slots: slots) }
        return RowStatement(query.statement.selections, text: build.union(parts), slots: slots)
    }

    private func settings(of capture: RowProgram.Capture) -> [String] {
        let own = capture.columns.enumerated().map { position, column in
            let name = RowStatement.setting(node: capture.node, column: column)
            return "set_config('\(name)', coalesce(array_agg(DISTINCT k.c\(position))::text, '{}'), true)"
        }
        return own + capture.keys.map { writing($0, of: capture.node) }
    }

    private func writing(_ key: [Int], of node: Int) -> String {
        let values = key.map { "k.w\($0)" }
        let isWhole = values.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        return "set_config('\(RowStatement.setting(node: node, columns: key))', coalesce("
            + "jsonb_agg(DISTINCT jsonb_build_array(\(values.joined(separator: ", ")))) FILTER (WHERE \(isWhole)), "
            + "'[]')::text, true)"
    }
}
