// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Citus: requirements of the plan that statements over several servers cannot meet. Citus 13.2 refused each of them,
/// or did it without counting.
struct CitusCheck {
    private let context: CheckContext

    init(_ context: CheckContext) { self.context = context }

    func findings() -> [Finding] {
        // If no graph can be made, other checks say why.
        guard context.map.schema.isDistributed,
            let graph = try? RowGraph(plan: context.plan, schema: context.map.schema)
        else { return [] }
        return recursions(graph) + circles(graph)
            + graph.nodes.flatMap { node -> [Finding] in
                guard let citus = node.table.citus, citus.isDistributed || citus.isColumnar else { return [] }
                return columnar(node, citus) + changes(node, citus) + identity(node) + letters(node, citus)
                    + values(node, graph) + (citus.isElsewhere ? triggers(node) + objects(node, graph) : [])
            }
    }

    private func error(
        _ code: Finding.Code, _ node: RowGraph.Node, _ column: String? = nil, _ message: String, _ remedy: String
    ) -> Finding {
        Finding(code, .error, table: node.table.name, column: column, message, remedy: remedy)
    }

    // MARK: Several tables

    private func recursions(_ graph: RowGraph) -> [Finding] {
        graph.groups.filter(graph.recurses).map { group in
            let names = self.names(group, graph)
            return error(
                "citus.recursion", graph.nodes[group[0]], nil,
                group.count == 1
                    ? "Rows of this table lead to each other; Citus follows no such link across servers."
                    : "These tables lead to each other: \(names); Citus follows no such link across servers.",
                "Find the rows by a column that holds the subject's key, and remove the link that leads back, or give "
                    + "it `role: reference`.")
        }
    }

    private func circles(_ graph: RowGraph) -> [Finding] {
        graph.deletionGroups.filter { group in group.count > 1 && !graph.groups.contains(group) }.map { group in
            // A parent goes together with its rows, whatever the keys of the database do.
            let isOwned = group.contains { node in
                graph.nodes[node].links.contains { $0.link.isOwnedParent && group.contains($0.parent) }
            }
            return error(
                "citus.circle", graph.nodes[group[0]], nil,
                isOwned
                    ? "Rows of these tables are deleted together, because of `parent: owned`: \(names(group, graph)). "
                        + "Citus changes one table with each statement."
                    : "Keys of these tables restrict each other: \(names(group, graph)). Citus changes one table with "
                        + "each statement, so neither can be first.",
                isOwned
                    ? "Remove `parent: owned`, and link these rows to the subject by a column of their own, or let the "
                        + "app delete them."
                    : "Drop one of the keys, or let it cascade.")
        }
    }

    private func names(_ group: [Int], _ graph: RowGraph) -> String {
        let names = group.map { Shown.name(graph.nodes[$0].table.name.description) }.sorted()
        return names.prefix(6).joined(separator: ", ") + (names.count > 6 ? " …" : "")
    }

    // MARK: One table

    private func columnar(_ node: RowGraph.Node, _ citus: CitusTable) -> [Finding] {
        guard citus.isColumnar, node.rule.erasesRows || node.isChanged || node.losesLinks else { return [] }
        return [
            error(
                "citus.columnar", node, nil, "The table uses columnar storage, which cannot delete or update rows.",
                "Use row storage: call alter_table_set_access_method('…', 'heap').")
        ]
    }

    private func triggers(_ node: RowGraph.Node) -> [Finding] {
        node.table.triggers.filter { !Set($0.events).isDisjoint(with: ["delete", "update"]) }.map { trigger in
            error(
                "citus.trigger", node, nil,
                "The trigger \(Shown.name(trigger.name)) fires on other servers, where its changes are not counted.",
                "Drop it and do its work in the app.")
        }
    }

    private func changes(_ node: RowGraph.Node, _ citus: CitusTable) -> [Finding] {
        guard let column = citus.column else { return [] }
        let cleared = released(node).flatMap { edge in
            ReferenceChange.columns(of: edge.link, in: node.table, to: context.referenceTarget(edge.link))
        }
        guard node.changes(column) && !node.rule.erasesRows || cleared.contains(column) else { return [] }
        return [
            error(
                "citus.distribution-column", node, column,
                "The value decides which server stores a row, so Citus never changes it.",
                "Erase the rows, keep the value (not personal), or distribute the table by another column: "
                    + "call alter_distributed_table('…', distribution_column := '…').")
        ]
    }

    /// Rows found through other tables, and those that only lose a link, are identified by their key.
    private func identity(_ node: RowGraph.Node) -> [Finding] {
        guard node.table.primaryKey.isEmpty, node.losesLinks || node.links.contains(where: { !$0.isDirect }) else {
            return []
        }
        return [
            error(
                "citus.no-primary-key", node, nil,
                "The table has no primary key, and rows on different servers may have the same ctid, so they "
                    + "cannot be distinguished.",
                "Give it a primary key that contains the distribution column.")
        ]
    }

    /// Addresses that differ only by case need a query inside the condition, which Citus refuses.
    private func letters(_ node: RowGraph.Node, _ citus: CitusTable) -> [Finding] {
        // Without such a column, one server has all rows, and carries out the statement as PostgreSQL does.
        guard citus.column != nil else { return [] }
        return (node.links + node.references).filter(\.link.ignoresCase).map { edge in
            error(
                "citus.case", node, edge.link.columns[0],
                "Citus cannot compare this link's values without regard to case.",
                "Remove `case: ignored` if both columns hold the same letters, or keep the table on the coordinator.")
        }
    }

    private func values(_ node: RowGraph.Node, _ graph: RowGraph) -> [Finding] {
        let assignment = ColumnAssignment(dialect: context.map.schema.dialect, table: node.table)
        let unsettled = node.columns.compactMap { planned -> Finding? in
            guard let expression = planned.rule?.computation, !assignment.isSettled(expression) else {
                return nil
            }
            return error(
                "citus.expression", node, planned.name,
                "The expression depends on the session's settings, such as the time zone; Citus cannot use it.",
                "Use columns whose text is the same under all settings, or null, a constant or hash.")
        }
        let lists = released(node).filter { $0.link.list == .comma }.map { edge in
            error(
                "citus.list", node, edge.link.columns[0],
                "Citus cannot change comma-separated lists: PostgreSQL's functions for them depend on settings.",
                "Make the column an array, or use another role.")
        }
        return unsettled + lists + documents(node, graph)
    }

    /// Entries of documents that keep what the app wrote: a query for each level finds them, and Citus refuses queries
    /// inside such a query.
    private func documents(_ node: RowGraph.Node, _ graph: RowGraph) -> [Finding] {
        released(node).filter { edge in
            let isText = RowComparison(graph: graph, edge: edge, child: node.table).isJSONText
            return isText && !edge.link.path.isEmpty
        }.map { edge in
            error(
                "citus.json", node, edge.link.columns[0],
                "Citus cannot change an entry inside a document of the type json.",
                "Make the column jsonb, or use another role.")
        }
    }

    /// The links of which a row that stays loses the value.
    private func released(_ node: RowGraph.Node) -> [RowGraph.Edge] {
        node.links.filter { $0.link.shared == .unlink } + node.references
    }

    private func objects(_ node: RowGraph.Node, _ graph: RowGraph) -> [Finding] {
        (graph.objects.deleted[node.index] ?? []).map { column in
            error(
                "citus.large-object", node, column,
                "Large objects are on the coordinator, and rows of this table on other servers, which cannot delete "
                    + "them.",
                "Store the bytes in the row (bytea) or as files, or keep the table on the coordinator.")
        }
    }
}
