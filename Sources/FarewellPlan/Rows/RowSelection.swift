// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Writes the selections of the subjects' rows as common table expressions `f0`, `f1`, …, one for each node.
///
/// Each yields the subject as text, the row's identity `i0`, `i1`, …, and the columns that other tables link to
/// (`c` and the column's place in its table). Links that lead back to their own table recurse; tables that
/// lead to each other are found together, in one recursion over `(node, subject, values)`.
package struct RowSelection {
    let graph: RowGraph
    /// For each node, the places of the columns that other nodes' links name, and of its own key if reading back finds
    /// its rows by that key.
    private let linked: [[Int]]
    /// For each node the name of SQLite's hidden key.
    private let rowIDs: [String?]
    /// The written selections, because many statements use the same ones.
    private let written = Guarded<[Request: (text: String, build: RowStatementBuilder)]>([:])

    private struct Request: Sendable, Hashable {
        /// The groups of nodes, parents before children.
        let groups: [Int]
        let build: RowStatementBuilder
    }

    package init(graph: RowGraph) {
        self.graph = graph
        var linked = [Set<Int>](repeating: [], count: graph.nodes.count)
        for node in graph.nodes {
            for edge in node.links + node.references where !edge.isDirect {
                for column in edge.link.targetColumns {
                    guard let place = graph.nodes[edge.parent].table.place(of: column) else { continue }
                    linked[edge.parent].insert(place)
                }
            }
            if graph.isKnownByKey(node) { linked[node.index].formUnion(graph.ownKey(of: node)) }
        }
        self.linked = linked.map { $0.sorted() }
        rowIDs = graph.nodes.map(\.table.rowIDName)
    }

    /// The places of the columns that other nodes' links name, and of the node's own key if it is needed.
    func linkedColumns(of node: Int) -> [Int] { linked[node] }

    /// `WITH RECURSIVE f0 AS (…), …` with the selections of `nodes` and of all nodes that they need, or "".
    package func with(_ nodes: Set<Int>, _ build: inout RowStatementBuilder) -> String {
        // Nodes that lead to each other need the same selections.
        let groups = Set(closure(of: nodes).map { graph.groupOfNode[$0] }).sorted(by: >)
        let request = Request(groups: groups, build: build)
        if let known = written.withLock({ $0[request] }) {
            build = known.build
            return known.text
        }
        let text = selections(of: groups.map { graph.groups[$0] }, &build)
        written.withLock { [build] in $0[request] = (text, build) }
        return text
    }

    /// - Parameter groups: Children come before parents in the graph; a selection follows those that it depends on.
    private func selections(of groups: [[Int]], _ build: inout RowStatementBuilder) -> String {
        guard !groups.isEmpty else { return "" }
        var parts: [String] = []
        if areCopied(groups) {
            parts = layered(groups, &build).parts
        } else {
            let word = graph.keptWhole(groups.joined().count)
            for group in groups {
                parts += group.count == 1 ? [single(group[0], word, &build)] : together(group, word, &build)
            }
        }
        return "\(graph.withKeyword(for: groups)) \(parts.joined(separator: ", ")) "
    }

    /// The links by which a row `t` of the node holds the subject's key itself: the subject and the condition of each.
    /// Several of them may reach one row.
    func directBranches(
        _ node: Int, _ build: inout RowStatementBuilder
    ) -> [(subject: String, condition: String)] {
        guard node != graph.root else {
            return directCondition(node, &build).map { [(subject(node, &build), $0)] } ?? []
        }
        return graph.nodes[node].links.filter(\.isDirect).map { edge in
            let comparison = RowComparison(graph: graph, edge: edge, child: graph.nodes[node].table)
            let subject =
                graph.isAboutOne ? "'subject'" : spelled("CAST(\(comparison.value(0, &build)) AS text)")
            return (subject, comparison.direct(&build) + unheld(edge, of: node, &build))
        }
    }

    /// The links by which rows of the node are reached through other tables, if none of those depends on the node
    /// itself; `nil` if one does.
    func indirectLinks(_ node: Int) -> [RowGraph.Edge]? {
        let links = graph.nodes[node].links.filter { !$0.isDirect }
        return links.contains { inGroup($0.parent, of: node) } ? nil : links
    }

    /// Whether a row `t` of the node is reached by its direct links; `nil` when it has none.
    func directCondition(_ node: Int, _ build: inout RowStatementBuilder) -> String? {
        let direct = graph.nodes[node].links.filter(\.isDirect)
        if node == graph.root {
            // Exactly as the key was read there: two letter cases of it would be two subjects.
            let key = "t." + build.quoted(graph.keyColumn.name)
            let kind = graph.keyColumn.kind
            guard graph.dialect.hasArrays || !graph.isAboutOne else {
                return "\(key) = \(build.parameter(.subjects(kind)))"
            }
            return RowComparison.isAmong(
                key, kind: kind, isPadded: graph.keyColumn.isPadded, slot: .subjects(kind), graph, &build)
        }
        guard !direct.isEmpty else { return nil }
        return direct.map { edge in
            let comparison = RowComparison(graph: graph, edge: edge, child: graph.nodes[node].table)
            return comparison.direct(&build) + unheld(edge, of: node, &build)
        }.joined(separator: " OR ")
    }

    /// The values that identify a row of the node: its primary key, otherwise its physical place.
    ///
    /// - Parameter row: The name of the row.
    package func identity(of node: Int, _ build: RowStatementBuilder, as row: String = "t") -> [String] {
        let table = graph.nodes[node].table
        // SQLite's hidden key is never null; its primary key may be.
        if let name = rowIDs[node] { return ["\(row).\(name)"] }
        guard table.primaryKey.isEmpty else {
            return table.primaryKey.map { column in
                let value = "\(row).\(build.quoted(column))"
                return table[column]?.compared(value) ?? value
            }
        }
        return ["\(row).tableoid", "\(row).ctid"]
    }

    // MARK: One node

    /// - Parameter word: What the selection needs before its text.
    private func single(_ node: Int, _ word: String, _ build: inout RowStatementBuilder) -> String {
        let columns = output(node, build).joined(separator: ", ")
        if let body = separate(node, columns, &build) {
            return "f\(node)(\(header(node, build))) AS \(word)(\(body))"
        }
        let branches = seeds(node, &build) + recursion(node, &build)
        let nobody = "SELECT \(graph.dialect.typed("NULL", "text")), \(columns) "
        let body =
            branches.isEmpty
            ? "\(nobody)FROM \(build.rows(of: graph.nodes[node].table)) AS t WHERE FALSE"
            : branches.joined(separator: " UNION ")
        let kept = word.isEmpty ? graph.keptApart(branches.count) : word
        return "f\(node)(\(header(node, build))) AS \(kept)(\(body))"
    }

    /// PostgreSQL, about one subject: the direct links one after the other, each without the rows of earlier ones, then
    /// the rows that only other tables lead to. No row of a large account comes twice, so the server neither sorts nor
    /// compares all of them. `nil` if the node has no direct link, or if its rows lead to each other.
    private func separate(_ node: Int, _ columns: String, _ build: inout RowStatementBuilder) -> String? {
        guard graph.looksUpRowByRow, graph.isAboutOne, let links = indirectLinks(node) else { return nil }
        let from = "FROM \(build.rows(of: graph.nodes[node].table)) AS t"
        var branches: [String] = []
        var excluded = ""
        for (subject, condition) in directBranches(node, &build) {
            branches.append("SELECT \(subject), \(columns) \(from) WHERE (\(condition))\(excluded)")
            excluded += " AND (\(condition)) IS NOT TRUE"
        }
        guard !branches.isEmpty else { return nil }
        if !links.isEmpty {
            let reached = links.map { branch(columns, of: node, by: $0, besides: excluded, &build) }
            branches.append("SELECT DISTINCT * FROM (\(reached.joined(separator: " UNION ALL "))) AS reached")
        }
        return branches.joined(separator: " UNION ALL ")
    }

    /// Selections that do not use the node's own selection.
    private func seeds(_ node: Int, _ build: inout RowStatementBuilder) -> [String] {
        var branches: [String] = []
        let from = "FROM \(build.rows(of: graph.nodes[node].table)) AS t"
        let columns = output(node, build).joined(separator: ", ")
        for (subject, condition) in directBranches(node, &build) {
            branches.append("SELECT \(subject), \(columns) \(from) WHERE \(condition)")
        }
        for edge in graph.nodes[node].links where !edge.isDirect && !inGroup(edge.parent, of: node) {
            branches.append(branch(columns, of: node, by: edge, &build))
        }
        return branches
    }

    /// `(subject, columns…)` of a node's rows reached by one link, through the selection of its parent.
    func branch(
        _ columns: String, of node: Int, by edge: RowGraph.Edge, besides excluded: String = "",
        _ build: inout RowStatementBuilder
    ) -> String {
        let from = "FROM \(build.rows(of: graph.nodes[node].table)) AS t"
        let condition = join(edge, node, &build) + excluded
        guard isIndexed(edge, node) else {
            return "SELECT p.subject, \(columns) \(from) JOIN f\(edge.parent) AS p ON \(condition)"
        }
        // Parent by parent, each by the link's index: the cost grows with the subject's rows only.
        return "SELECT x.* FROM f\(edge.parent) AS p CROSS JOIN LATERAL "
            + "(SELECT p.subject, \(columns) \(from) WHERE \(condition) OFFSET 0) AS x"
    }

    /// PostgreSQL: whether an index finds a node's rows by this link, from a list of keys. Array keys cannot form a
    /// list, because each would be taken as an element.
    func isIndexed(_ edge: RowGraph.Edge, _ node: Int) -> Bool {
        guard graph.looksUpRowByRow, edge.link.path.isEmpty, !needsConversion(edge, node) else { return false }
        let columns = edge.link.columns
        guard !columns.contains(where: { graph.nodes[node].table[$0]?.kind == .array }) else { return false }
        return graph.nodes[node].table.indexes.contains { index in
            index.method == "btree" && index.collation == nil && index.finds(by: columns)
        }
    }

    /// The one recursive branch of a node that links to itself.
    private func recursion(_ node: Int, _ build: inout RowStatementBuilder) -> [String] {
        let loops = graph.nodes[node].links.filter { !$0.isDirect && $0.parent == node }
        guard !loops.isEmpty else { return [] }
        let columns = output(node, build).joined(separator: ", ")
        let joins = loops.map { "(\(join($0, node, &build)))" }.joined(separator: " OR ")
        return [
            "SELECT p.subject, \(columns) FROM \(build.rows(of: graph.nodes[node].table)) AS t "
                + "JOIN f\(node) AS p ON \(joins)"
        ]
    }

    func join(_ edge: RowGraph.Edge, _ node: Int, _ build: inout RowStatementBuilder) -> String {
        let comparison = RowComparison(graph: graph, edge: edge, child: graph.nodes[node].table)
        let condition = comparison.joined(
            "p", column: { "p." + name(of: edge.link.targetColumns[$0], in: edge.parent) }, identity: { "p.i\($0)" },
            &build)
        return condition + unheld(edge, of: node, &build)
    }

    /// For a link that only unlinks shared rows: the row is the subject's own if no other subject's link holds it.
    func unheld(_ edge: RowGraph.Edge, of node: Int, _ build: inout RowStatementBuilder) -> String {
        if edge.link.isOwnedParent { return " AND \(isReleased(node, &build))" }
        guard edge.link.shared == .unlink else { return "" }
        // A row of the subjects' own table always belongs to its own subject.
        guard node != graph.root else { return " AND FALSE" }
        return holders(of: node, besides: edge, &build).map { " AND NOT \($0)" }.joined()
    }

    /// The conditions under which another subject holds a shared row: another link of it is set and does not also name
    /// one of the subjects. Never null.
    func holders(of node: Int, besides edge: RowGraph.Edge, _ build: inout RowStatementBuilder) -> [String] {
        graph.nodes[node].links.filter { $0.stated != edge.stated }.map { other in
            let comparison = RowComparison(graph: graph, edge: other, child: graph.nodes[node].table)
            let values = other.link.columns.indices.map { comparison.value($0, &build) + " IS NOT NULL" }
                .joined(separator: " AND ")
            let isSet = comparison.conditioned(values, &build)
            return other.isDirect ? "(\(isSet) AND NOT (\(comparison.direct(&build))))" : "(\(isSet))"
        }
    }

    // MARK: Columns of a selection

    func header(_ node: Int, _ build: RowStatementBuilder) -> String {
        let identity = identity(of: node, build).indices.map { "i\($0)" }
        return (["subject"] + identity + linked[node].map { "c\($0)" }).joined(separator: ", ")
    }

    func output(_ node: Int, _ build: RowStatementBuilder) -> [String] {
        let table = graph.nodes[node].table
        let columns = linked[node].map { table.columns[$0] }
        return identity(of: node, build)
            + columns.map { graph.dialect.plainlyCollated("t." + build.quoted($0.name), of: $0) }
    }

    func outputTypes(_ node: Int) -> [String] {
        let table = graph.nodes[node].table
        let key = table.primaryKey.map { table[$0]?.comparedType ?? "text" }
        return (key.isEmpty ? ["oid", "tid"] : key) + linked[node].map { table.columns[$0].type }
    }

    func outputPlace(of column: String, in node: Int) -> Int {
        let table = graph.nodes[node].table
        let identity = identity(of: node, RowStatementBuilder(dialect: graph.dialect)).count
        let place = table.place(of: column) ?? 0
        return identity + (linked[node].firstIndex(of: place) ?? 0)
    }

    func name(of column: String, in node: Int) -> String {
        "c\(graph.nodes[node].table.place(of: column) ?? 0)"
    }

    // MARK: Shape

    func closure(of nodes: Set<Int>) -> Set<Int> {
        var found: Set<Int> = []
        var open = Array(nodes)
        while let node = open.popLast() {
            guard found.insert(node).inserted else { continue }
            open += graph.nodes[node].links.filter { !$0.isDirect }.map(\.parent)
            open += graph.nodes[node].holders.compactMap(\.node)
        }
        return found
    }

    /// Whether the selections of two nodes need each other.
    func inGroup(_ other: Int, of node: Int) -> Bool { graph.groupOfNode[other] == graph.groupOfNode[node] }

    /// Whether a link's columns have another type than the columns linked to, such as a number in JSON.
    func needsConversion(_ edge: RowGraph.Edge, _ node: Int) -> Bool {
        guard edge.link.path.isEmpty, edge.link.list == nil, edge.partition == nil else { return true }
        let child = graph.nodes[node].table
        let parent = graph.nodes[edge.parent].table
        let comparison = RowComparison(graph: graph, edge: edge, child: child)
        return edge.link.columns.indices.contains { position in
            let (column, target) = (edge.link.columns[position], edge.link.targetColumns[position])
            return child[column]?.kind != parent[target]?.kind || comparison.isAsText(position)
                || comparison.hasSpellings(position) || !comparison.equality(position).isOfColumn
        }
    }

    func tuple(_ parts: [String]) -> String {
        parts.count == 1 ? parts[0] : "(\(parts.joined(separator: ", ")))"
    }
}

extension SchemaTable {
    /// The place of a column in the table, from 0.
    package func place(of column: String) -> Int? { columns.firstIndex { $0.name == column } }
}
