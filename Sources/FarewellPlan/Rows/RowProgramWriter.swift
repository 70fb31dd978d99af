// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Writes the statements of a `RowProgram`.
struct RowProgramWriter {
    let graph: RowGraph
    let selection: RowSelection
    /// Whether rows that stay are changed only if reading back shows that their values differ from the rules.
    var isSweeping = false
    /// Whether small tables are read whole to count the rows that links through other tables reach.
    var readsSmallTablesWhole = false

    init(graph: RowGraph) {
        self.graph = graph
        self.selection = RowSelection(graph: graph)
    }

    func presence() -> RowStatement {
        var build = RowStatementBuilder(dialect: graph.dialect)
        let table = graph.subjects(build)
        let condition = selection.directCondition(graph.root, &build) ?? "FALSE"
        return build.statement("SELECT \(selection.subject(graph.root, &build)) FROM \(table) AS t WHERE \(condition)")
    }

    func counts() -> RowStatement {
        var build = RowStatementBuilder(dialect: graph.dialect)
        if let counts = countsOfLayers(&build) { return counts }
        let whole = graph.nodes.filter { selection.indirectLinks($0.index) == nil }.map(\.index)
        let links = graph.nodes.flatMap { (selection.indirectLinks($0.index) ?? []) + $0.references }
        let parents = links.filter { !$0.isDirect }.map(\.parent)
        let holders = graph.nodes.flatMap { $0.holders.compactMap(\.node) }
        let with = selection.with(Set(whole + parents + holders + countedBesideOwn), &build)
        var parts = graph.nodes.flatMap { node in
            guard let links = selection.indirectLinks(node.index) else { return [countOfSelection(node, build)] }
            return countsByLink(node, through: links, &build)
        }
        parts += graph.nodes.flatMap { linksCounted(of: $0, &build) }
        return build.statement(with + build.union(parts))
    }

    /// `(place, subject, rows)` of the rows that stay as they are; `nil` if there are no such tables.
    func stayingCounts() -> RowStatement? {
        let staying = graph.nodes.filter(\.staysAsItIs)
        guard !staying.isEmpty else { return nil }
        var build = RowStatementBuilder(dialect: graph.dialect)
        let with = selection.with(Set(staying.map(\.index)), &build)
        return build.statement(with + build.union(staying.map { countForEach($0, build) }))
    }

    /// A row that stays does so for each of its subjects. About one subject, a selection may name it in two ways.
    private func countForEach(_ node: RowGraph.Node, _ build: RowStatementBuilder) -> String {
        guard !graph.isAboutOne else { return countOfSelection(node, build) }
        let identity = selection.identity(of: node.index, build).indices.map { "i\($0)" }.joined(separator: ", ")
        return "SELECT \(place(node)) AS place, subject, count(*) AS n FROM "
            + "(SELECT DISTINCT subject, \(identity) FROM f\(node.index)) AS once GROUP BY subject"
    }

    /// A node's rows counted link by link, each by its own index; a row reached by two links counts for the first.
    func countsByLink(
        _ node: RowGraph.Node, through links: [RowGraph.Edge], _ build: inout RowStatementBuilder
    ) -> [String] {
        let table = build.rows(of: node.table)
        var parts: [String] = []
        var excluded = ""
        for (subject, condition) in selection.directBranches(node.index, &build) {
            parts.append(
                "SELECT \(place(node)) AS place, \(subject) AS subject, count(*) AS n FROM \(table) AS t "
                    + "WHERE (\(condition))\(excluded) GROUP BY 2")
            excluded += " AND (\(condition)) IS NOT TRUE"
        }
        guard !links.isEmpty else { return parts }
        let identity = selection.identity(of: node.index, build)
        let columns = identity.enumerated().map { "\($1) AS i\($0)" }.joined(separator: ", ")
        let branches = links.map { edge in
            if let whole = reachedInSmallTable(identity, of: node, by: edge, besides: excluded, &build) { return whole }
            return selection.branch(columns, of: node.index, by: edge, besides: excluded, &build)
        }
        let names = identity.indices.map { "i\($0)" }.joined(separator: ", ")
        return parts + [
            "SELECT \(place(node)) AS place, subject, count(*) AS n FROM (SELECT min(subject) AS subject FROM "
                + "(\(branches.joined(separator: " UNION ALL "))) AS reached "
                + "GROUP BY \(names)) AS once GROUP BY subject"
        ]
    }

    private func countOfSelection(_ node: RowGraph.Node, _ build: RowStatementBuilder) -> String {
        let identity = selection.identity(of: node.index, build).indices.map { "i\($0)" }.joined(separator: ", ")
        return "SELECT \(place(node)) AS place, subject, count(*) AS n FROM "
            + "(SELECT min(subject) AS subject FROM f\(node.index) GROUP BY \(identity)) AS once GROUP BY subject"
    }

    /// The table's name as a literal, for a result that says which table a number is about.
    func place(_ node: RowGraph.Node) -> String { literal(node.place) }

    func literal(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

    /// Whether a node's rows can be counted without its selection.
    func isCountedInPlace(_ node: Int) -> Bool {
        (node == graph.root || !graph.nodes[node].links.isEmpty) && graph.nodes[node].links.allSatisfy(\.isDirect)
    }

    /// - Parameters:
    ///   - isAtOnce: Whether a table's rows are deleted in one statement if possible. Not for chunks: each of them
    ///     would repeat the selection.
    ///   - isRootLast: Whether the subject's own row stays as long as anything else is left, and with it the tables
    ///     with which it forms a circle.
    ///   - isLeft: Whether a node's rows are left to the database's cascade. Rows there that only name the subject are
    ///     not.
    ///   - followers: The nodes whose rows are deleted together with a later group, by that group's place.
    func effects(
        isAtOnce: Bool = false, isRootLast: Bool = false, leaving isLeft: (Int) -> Bool = { _ in false },
        joining followers: [Int: [Int]] = [:], of isWanted: (Int) -> Bool
    ) throws -> [RowProgram.Effect] {
        let all = Set(graph.nodes.indices.filter(isWanted))
        let wanted = all.filter { $0 == graph.root || !isLeft($0) }
        var effects = unlinks(all)
        let following = Set(followers.values.joined())
        for (place, group) in graph.deletionGroups.enumerated() {
            let nodes = group.filter { wanted.contains($0) && !following.contains($0) }
            let joined = followers[place] ?? []
            if nodes.count + joined.count > 1 {
                effects += try changeTogether(
                    nodes, followers: joined, isRootLast: isRootLast && nodes.contains(graph.root))
            } else {
                for node in joined + nodes {
                    effects += try changes(of: node, isAtOnce: isAtOnce, isLast: isRootLast && node == graph.root)
                }
            }
        }
        return effects
    }

    /// The changes of the subjects' rows of one node; none if they stay as they are.
    ///
    /// Rows are deleted link by link. Rows that are changed are changed once, all together, since a value must
    /// not be hashed twice.
    private func changes(of node: Int, isAtOnce: Bool, isLast: Bool) throws -> [RowProgram.Effect] {
        let isErased = graph.nodes[node].rule.erasesRows
        let ways = isErased && isAtOnce ? selection.waysAtOnce(of: node) : selection.ways(of: node)
        return try (isErased || ways.count == 1 ? ways : [.identity]).flatMap { way -> [RowProgram.Effect] in
            let through: Int? = if case .link(let place) = way { graph.nodes[node].links[place].parent } else { nil }
            return try shares(of: node).compactMap { share -> RowProgram.Effect? in
                guard let statement = try change(node, share, by: way, isLast: isLast) else { return nil }
                let isWhole = graph.refersToItself(node)
                return RowProgram.Effect(
                    statements: [statement], nodes: [node],
                    chunks: isWhole ? nil : chunks(node, by: way, statement),
                    division: isWhole ? try division(node) : nil, isAgain: share == .known, through: through)
            }
        }
    }

    /// Which rows of a node a change is about.
    private enum Share {
        case all
        /// Rows that are found by their own key: they were changed before, and lead to the subject again.
        case known
        case new
    }

    private func shares(of node: Int) -> [Share] {
        isSweeping && graph.isKnownByKey(graph.nodes[node]) ? [.new, .known] : [.all]
    }

    /// Deletes the rows of a node that one way finds.
    func delete(_ node: Int, by way: RowSelection.Way) throws -> RowStatement? {
        try change(node, .all, by: way, isLast: false)
    }

    private func change(
        _ node: Int, _ share: Share, by way: RowSelection.Way, isLast: Bool
    ) throws -> RowStatement? {
        var build = RowStatementBuilder(dialect: graph.dialect)
        let (with, found) = selection.condition(node, by: way, &build)
        let condition =
            switch share {
            case .all: found
            case .known: "(\(found)) AND \(isAmongOwnKeys(graph.nodes[node], &build))"
            case .new: "(\(found)) AND (\(isAmongOwnKeys(graph.nodes[node], &build))) IS NOT TRUE"
            }
        guard let change = try change(of: node, where: condition, &build) else { return nil }
        let rest = isLast && mayWait(node) ? nothingElseIsLeft(&build) : ""
        return build.statement(with, change + rest)
    }

    /// Deletes the rows of a node, or changes those that stay; `nil` if nothing of them is changed.
    func change(
        of node: Int, where condition: String, _ build: inout RowStatementBuilder
    ) throws -> String? {
        let entry = graph.nodes[node]
        let table = build.rows(of: entry.table)
        if entry.rule.erasesRows { return "DELETE FROM \(table) AS t WHERE (\(condition))" }
        let violated = isSweeping ? violated(entry, &build) : nil
        // A value that reading cannot check was made once, and a sweep would derive it from itself.
        if isSweeping, violated == nil { return nil }
        let assignment = ColumnAssignment(dialect: graph.dialect, table: entry.table)
        let assignments = try entry.columns.compactMap { try assignment.text(for: $0, &build) }
        guard !assignments.isEmpty else { return nil }
        let wanted = "(\(condition))" + (violated.map { " AND \($0)" } ?? "")
        return "UPDATE \(table) AS t SET \(assignments.joined(separator: ", ")) WHERE \(wanted)"
    }

    /// Whether rows can wait until nothing else is left: not if a rule derives values from the old ones, because no
    /// sweep could tell afterwards whether that was done.
    func mayWait(_ node: Int) -> Bool {
        let entry = graph.nodes[node]
        return entry.rule.erasesRows || !entry.columns.contains { $0.rule?.isMadeOfOld == true }
    }

    func captures() -> [RowProgram.Capture] {
        let keysKept = graph.keysKept()
        return graph.nodes.compactMap { node in
            let columns = selection.linkedColumns(of: node.index)
            guard !columns.isEmpty else { return nil }
            let keys = keysKept[node.index]
            let written = graph.dialect.hasColumnTypes ? Set(keys.flatMap(\.self)).sorted() : []
            return RowProgram.Capture(
                node: node.index, columns: columns, keys: keys, written: written,
                types: capturedTypes(columns, written, of: node), statement: capture(node, columns, written))
        }
    }

    private func capture(_ node: RowGraph.Node, _ columns: [Int], _ written: [Int]) -> RowStatement {
        if let found = firstRows(node, columns, written) { return found }
        var build = RowStatementBuilder(dialect: graph.dialect)
        let isInPlace = isCountedInPlace(node.index)
        let values = (columns + written).map { column in
            isInPlace ? "t." + graph.dialect.quoted(node.table.columns[column].name) : "c\(column)"
        }
        let names = captured(values, node, columns)
        if isInPlace {
            let table = build.rows(of: node.table)
            let branches = selection.directBranches(node.index, &build).map { subject, condition in
                "SELECT DISTINCT \(subject), \(names) FROM \(table) AS t WHERE \(condition)"
            }
            let limit = build.parameter(.limit)
            return build.statement("\(branches.joined(separator: " UNION ")) LIMIT \(limit)")
        }
        let with = selection.with([node.index], &build)
        let limit = build.parameter(.limit)
        return build.statement(with, "SELECT DISTINCT subject, \(names) FROM f\(node.index) LIMIT \(limit)")
    }
}
