// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Other subjects' rows that only name the subject (`role: reference`, `list:`): they stay and lose that value.
extension RowProgramWriter {
    /// Takes the subject out of rows that stay, link by link, or by several links together.
    func clears(_ node: RowGraph.Node) -> [RowProgram.Effect] {
        let joint = JointReferences(node, in: graph).places
        let together = joint.isEmpty ? nil : clear(joint.map { node.references[$0] }, node)
        let others = node.references.indices.filter { !joint.contains($0) }
        return [together].compactMap(\.self) + others.compactMap { clear([node.references[$0]], node) }
    }

    /// `nil` if nothing in the rows can be changed, which `check` refuses.
    ///
    /// Rows that another link makes the subject's go as a whole; those that stay by their rule lose the value as well.
    private func clear(_ edges: [RowGraph.Edge], _ node: RowGraph.Node) -> RowProgram.Effect? {
        var build = RowStatementBuilder(dialect: graph.dialect)
        let isAmongOwn = node.rule.erasesRows && areFoundThroughParents(node)
        let parents = edges.filter { !$0.isDirect }.map(\.parent)
        let with = selection.with(Set(parents + (isAmongOwn ? [node.index] : [])), &build)
        let named = edges.map { names($0, node, &build) }
        let anyNamed = named.count == 1 ? named[0] : "(\(named.map { "(\($0))" }.joined(separator: " OR ")))"
        let rows: Rows = (with, "\(anyNamed)\(node.rule.erasesRows ? isNotOwn(node, &build) : "")")
        // Written last: the statement that lists the rows has no parameter of the new values.
        var changing = build
        let assignments = edges.flatMap { edge -> [String] in
            let change = ReferenceChange(graph: graph, edge: edge, table: node.table)
            guard edges.count > 1 else { return change.assignments(member(of: edge, node, &changing), &changing) }
            return change.assignments(where: names(edge, node, &changing), &changing)
        }
        guard !assignments.isEmpty else { return nil }
        let statement = changing.statement(
            with,
            "UPDATE \(build.rows(of: node.table)) AS t SET \(assignments.joined(separator: ", ")) "
                + "WHERE \(rows.condition)")
        // A selection that rests on the rows themselves would be made anew for every piece.
        let isDivided =
            !isAmongOwn && edges.allSatisfy { $0.isDirect || !selection.inGroup($0.parent, of: node.index) }
        return .init(
            statements: [statement], nodes: [],
            chunks: isDivided ? chunks(unlinking: node.index, rows, build, statement) : nil,
            unlinked: node.index)
    }

    /// Whether a row `t` names the subject by a link.
    private func names(
        _ edge: RowGraph.Edge, _ node: RowGraph.Node, _ build: inout RowStatementBuilder
    ) -> String {
        guard edge.isDirect else { return selection.isFound(node.index, by: edge, &build) }
        return RowComparison(graph: graph, edge: edge, child: node.table).direct(&build)
    }

    /// Whether a member `m` of a list is the subject's, or one of the keys of the subject's rows; `nil` for no list.
    private func member(
        of edge: RowGraph.Edge, _ node: RowGraph.Node, _ build: inout RowStatementBuilder
    ) -> String? {
        guard edge.link.list != nil else { return nil }
        let comparison = RowComparison(graph: graph, edge: edge, child: node.table)
        guard !edge.isDirect else { return comparison.isDirectMember(&build) }
        let key = "p." + selection.name(of: edge.link.targetColumns[0], in: edge.parent)
        return "EXISTS (SELECT 1 FROM f\(edge.parent) AS p WHERE \(comparison.isMember(of: key)))"
    }

    /// `(subject, columns…)` of rows that name the subject by one link and are not the subject's.
    func naming(
        _ columns: String, of node: RowGraph.Node, by edge: RowGraph.Edge, besides others: String,
        _ build: inout RowStatementBuilder
    ) -> String {
        guard edge.isDirect else {
            return selection.branch(columns, of: node.index, by: edge, besides: others, &build)
        }
        let comparison = RowComparison(graph: graph, edge: edge, child: node.table)
        let key = selection.spelled("CAST(\(comparison.value(0, &build)) AS text)")
        return "SELECT \(graph.isAboutOne ? "'subject'" : key) AS subject, \(columns) "
            + "FROM \(build.rows(of: node.table)) AS t WHERE \(comparison.direct(&build))\(others)"
    }
}

extension RowGraph {
    /// Whether rows of the subject's own table that refer to the subject's other rows are freed before those go, and
    /// not with the subject's own row.
    func isFreedEarly(_ node: Int) -> Bool { node == root && !nodes[node].references.isEmpty }

    /// Whether other subjects' rows that only lose their link are counted with this part of the subject's rows.
    func isFreed(_ node: Int, with scope: RowProgram.Scope) -> Bool {
        (isOfIdentity(node) && !isFreedEarly(node)) == (scope == .identity)
    }

    /// Whether rows of this node are erased with the subject's own row: that row itself, its owned parents, and rows
    /// that it cannot be without.
    package func isOfIdentity(_ node: Int) -> Bool {
        var (open, seen) = ([node], Set<Int>())
        while let next = open.popLast() {
            guard next != root, !isNeededBySubject(next) else { return true }
            guard seen.insert(next).inserted else { continue }
            open += nodes[next].links.filter(\.link.isOwnedParent).map(\.parent)
        }
        return false
    }

    /// Whether a key of the subject's own row restricts rows of this node, which are deleted with it and have a key to
    /// it, and no link takes the key's value away (`OwnRows`).
    private func isNeededBySubject(_ node: Int) -> Bool {
        let (own, other) = (nodes[root], nodes[node])
        guard own.rule.erasesRows, other.rule.erasesRows,
            other.links.contains(where: { edge in
                let action = edge.link.onDelete
                return edge.parent == root && action != nil && action != .setNull && action != .setDefault
                    && !edge.link.isOwnedParent
            })
        else { return false }
        return own.table.foreignKeys.contains { key in
            (key.onDelete == .noAction || key.onDelete == .restrict) && key.target == other.table.name
                && !(own.links + own.references).contains { key.isSame(as: $0.link) }
        }
    }
}
