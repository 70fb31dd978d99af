// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Citus refuses most conditions that compare each changed row with rows of another table. So the ended rows are
/// gathered first, by their marks; what they lead to is found from these, and then compared by their own keys.
extension RetentionEnding {
    /// Gathers the rows that a list's rows lead to by a link.
    ///
    /// - Returns: The name of their list.
    func gatheredParents(
        of node: RowGraph.Node, _ source: String, by edge: RowGraph.Edge, _ build: inout RowStatementBuilder,
        _ gathered: inout GatheredRows
    ) -> String {
        let parents = build.rows(of: graph.nodes[edge.parent].table)
        return gathered.add("SELECT p.* FROM \(source) AS t JOIN \(parents) AS p ON \(joined(node, edge, &build))")
    }

    /// Whether a row `t` is among a list's rows that have a counterpart. Never null.
    ///
    /// - Parameter join: Rows `p`, and when one is a counterpart of a row `t`.
    func isOne(
        of source: String, _ node: RowGraph.Node, _ edge: RowGraph.Edge, joining join: String,
        _ build: inout RowStatementBuilder
    ) -> String {
        let table = node.table
        let own: [String]
        if table.primaryKey.isEmpty {
            // Rows that hold the same in the link lead to the same rows.
            own = edge.link.columns.map { name in
                let column = "t.\(dialect.quoted(name))"
                return table[name]?.kind == .json ? "CAST(\(column) AS text)" : column
            }
        } else {
            own = identity(node, "t", build)
        }
        let found = "\(tuple(own)) IN (SELECT \(own.joined(separator: ", ")) FROM \(source) AS t JOIN \(join))"
        let comparison = RowComparison(graph: graph, edge: edge, child: table)
        return "((\(table.primaryKey.isEmpty ? comparison.conditioned(found, &build) : found)) IS TRUE)"
    }

    /// Whether a row `p` is the same as one of a list's rows `t` of which a condition is true.
    func isOne(
        of list: String, where condition: String, _ edge: RowGraph.Edge, _ build: RowStatementBuilder
    ) -> String {
        let parent = graph.nodes[edge.parent]
        func key(_ row: String) -> [String] {
            guard parent.table.primaryKey.isEmpty else { return identity(parent, row, build) }
            return edge.link.targetColumns.map { "\(row).\(dialect.quoted($0))" }
        }
        let listed = "SELECT \(key("t").joined(separator: ", ")) FROM \(list) AS t WHERE \(condition)"
        return "\(tuple(key("p"))) IN (\(listed))"
    }

    private func tuple(_ parts: [String]) -> String { RowSelection(graph: graph).tuple(parts) }

    /// PostgreSQL: whether a column that is no key holds the value that a mark has as text. Citus evaluates no function
    /// of a changed row whose result depends on a setting, as the text of a date does; there the values are compared.
    func same(_ column: String, as parameter: String, in described: SchemaColumn?) -> String {
        guard graph.isDistributed, let described, described.dependsOnSettings else {
            return "CAST(\(column) AS text) IS NOT DISTINCT FROM \(parameter)::text"
        }
        return "\(column) IS NOT DISTINCT FROM CAST(\(parameter)::text AS \(described.type))"
    }
}

extension SchemaColumn {
    /// Whether the text of a value may depend on the session's settings, and the values themselves can be compared.
    fileprivate var dependsOnSettings: Bool {
        kind == .timestamp || kind == .array || labels != nil || baseType.hasSuffix("range")
    }
}
