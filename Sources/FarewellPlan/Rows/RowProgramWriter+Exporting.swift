// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Reads the rows that an erasure would delete or change, by the same selections.
extension RowProgramWriter {
    /// The subject's rows of one table.
    func own(_ node: RowGraph.Node, _ label: String) -> RowExport {
        let links = linksApart(of: node)
        let (columns, omitted, rows) = own(node, links == nil ? .all : .direct)
        let rest = links.flatMap { $0.isEmpty ? nil : own(node, .reached(by: $0)).rows }
        return RowExport(
            share: .own, table: node.table.name, place: node.place, rule: node.rule, label: label, columns: columns,
            omitted: omitted, rows: rows, rest: rest)
    }

    /// Which of the subject's rows of a table a statement reads.
    private enum Part {
        case all
        /// Rows that hold the subject's key.
        case direct
        /// Rows to which only these links lead.
        case reached(by: [RowGraph.Edge])
    }

    /// PostgreSQL: the links through other tables, of a node whose rows may hold the subject's key themselves; `nil` if
    /// its rows are to be found all together.
    private func linksApart(of node: RowGraph.Node) -> [RowGraph.Edge]? {
        let hasDirect = node.index == graph.root || node.links.contains(where: \.isDirect)
        guard graph.looksUpRowByRow, hasDirect, !isCountedInPlace(node.index) else { return nil }
        return selection.indirectLinks(node.index)
    }

    /// The nodes whose selections a part rests on.
    private func sources(of part: Part, _ node: RowGraph.Node) -> [Int] {
        switch part {
        case .all: isCountedInPlace(node.index) ? [] : [node.index]
        case .direct: node.holders.compactMap(\.node)
        case .reached(let links): links.map(\.parent) + node.holders.compactMap(\.node)
        }
    }

    private func own(
        _ node: RowGraph.Node, _ part: Part
    ) -> (columns: [RowExport.Column], omitted: [RowExport.OmittedColumn], rows: RowStatement) {
        var build = RowStatementBuilder(dialect: graph.dialect)
        let decided = node.table.columns.map { ($0, ExportedColumn($0, of: node, in: graph)) }
        let naming = decided.flatMap { column -> [RowGraph.Edge] in
            switch column.1 {
            case .whereNaming(let edges): edges
            case .inPart(let part): part.edges
            case .whole, .omitted: []
            }
        }
        let parents = naming.filter { !$0.isDirect }.map(\.parent)
        let with = selection.with(Set(parents + sources(of: part, node)), &build)
        var (columns, omitted, values): ([RowExport.Column], [RowExport.OmittedColumn], [String]) = ([], [], [])
        for (column, exported) in decided {
            var whole = Self.column(column, of: node)
            switch exported {
            case .omitted(let reason):
                omitted.append(.init(name: column.name, reason: reason))
                continue
            case .whole: values.append(self.whole(column.name, node, build))
            case .whereNaming(let edges):
                values.append(value(of: column.name, naming: edges, node, &build))
                // A part of a document or list is not itself a document.
                let isWhole = edges.allSatisfy { $0.link.path.isEmpty && $0.link.list == nil }
                whole = .init(name: whole.name, label: whole.label, kind: isWhole ? whole.kind : .text)
            case .inPart(let part):
                values.append(value(of: column.name, in: part, node, &build))
                let isWhole = part.users.allSatisfy { !$0.isPlainList }
                whole = .init(name: whole.name, label: whole.label, kind: isWhole ? whole.kind : .text)
                omitted += part.omissions.map { .init(name: column.name, reason: $0) }
            }
            columns.append(whole)
        }
        let list = values.isEmpty ? "NULL" : values.joined(separator: ", ")
        let from = "SELECT \(list) FROM \(build.rows(of: node.table)) AS t WHERE "
        let selections = conditions(of: part, node, &build).map { from + $0 }
        return (columns, omitted, build.statement(with, selections.joined(separator: " UNION ALL ")))
    }

    /// The conditions of a part's rows; no row meets two of them. Direct links come one after the other, each without
    /// the rows of those before.
    private func conditions(of part: Part, _ node: RowGraph.Node, _ build: inout RowStatementBuilder) -> [String] {
        if case .all = part {
            return isCountedInPlace(node.index)
                ? [selection.directCondition(node.index, &build) ?? "FALSE"]
                : [selection.identityCondition(node.index, source: "f\(node.index)", build)]
        }
        var direct: [String] = []
        var excluded = ""
        for (_, condition) in selection.directBranches(node.index, &build) {
            direct.append("(\(condition))\(excluded)")
            excluded += " AND (\(condition)) IS NOT TRUE"
        }
        guard case .reached(let links) = part else { return direct }
        let identity = selection.identity(of: node.index, build).enumerated().map { "\($1) AS i\($0)" }
        let reached = links.map {
            selection.branch(identity.joined(separator: ", "), of: node.index, by: $0, besides: excluded, &build)
        }
        let source = "(\(reached.joined(separator: " UNION ALL "))) AS reached"
        return [selection.identityCondition(node.index, source: source, build)]
    }

    /// Other subjects' rows that name the subject: only the values that name the subject, which an erasure removes from
    /// them; `nil` where the table has none.
    func naming(_ node: RowGraph.Node, _ label: String) -> RowExport? {
        guard node.losesLinks else { return nil }
        var build = RowStatementBuilder(dialect: graph.dialect)
        let edges = Self.unlinking(node) + node.references
        let parents = edges.filter { !$0.isDirect }.map(\.parent)
        let with = selection.with(Set(parents + (areFoundThroughParents(node) ? [node.index] : [])), &build)
        let others = isNotOwn(node, &build)
        let conditions = edges.map { edge in
            guard !edge.link.isReference else { return isNaming(edge, node, &build) }
            let found =
                edge.isDirect
                ? isNaming(edge, node, &build)
                : "EXISTS (SELECT 1 FROM f\(edge.parent) AS p WHERE \(joined(edge, node, &build)))"
            return found + isHeld(node, besides: edge, &build)
        }
        var (columns, values): ([RowExport.Column], [String]) = ([], [])
        var omitted: [RowExport.OmittedColumn] = []
        for column in node.table.columns {
            let planned = node.columns.first { $0.name == column.name }
            let paths = edges.filter { lost($0, in: node.table).contains(column.name) }.map(\.link.path)
            guard paths.isEmpty || planned?.export != false else {
                omitted.append(.init(name: column.name, reason: .refused))
                continue
            }
            for path in paths.reduce(into: [[String]](), { if !$0.contains($1) { $0.append($1) } }) {
                let own = edges.indices.filter {
                    edges[$0].link.path == path && lost(edges[$0], in: node.table).contains(column.name)
                }
                let cases = own.map { place in
                    "WHEN \(conditions[place]) THEN \(value(of: column.name, in: edges[place], node, &build))"
                }
                values.append("CASE \(cases.joined(separator: " ")) END")
                let name = path.isEmpty ? column.name : "\(column.name)#/\(path.joined(separator: "/"))"
                let isPlain = path.isEmpty && own.allSatisfy { edges[$0].link.list == nil }
                let label = planned?.label ?? NameSpelling.name(name)
                columns.append(.init(name: name, label: label, kind: isPlain ? column.kind : .text))
            }
        }
        let table = build.rows(of: node.table)
        let list = values.isEmpty ? "NULL" : values.joined(separator: ", ")
        var earlier = ""
        let branches = conditions.map { condition in
            defer { earlier += " AND (\(condition)) IS NOT TRUE" }
            return "SELECT \(list) FROM \(table) AS t WHERE (\(condition))\(others)\(earlier)"
        }
        return RowExport(
            share: .naming, table: node.table.name, place: node.linkPlace, rule: .anonymise, label: label,
            columns: columns, omitted: omitted, rows: build.statement(with, branches.joined(separator: " UNION ALL ")),
            rest: nil)
    }

    private static func column(_ column: SchemaColumn, of node: RowGraph.Node) -> RowExport.Column {
        let label = node.columns.first { $0.name == column.name }?.label
        return .init(name: column.name, label: label ?? NameSpelling.name(column.name), kind: column.kind)
    }

    /// The columns of a link that another subject's row loses.
    private func lost(_ edge: RowGraph.Edge, in table: SchemaTable) -> [String] {
        ReferenceChange(graph: graph, edge: edge, table: table).columns
    }

    /// A column's value if one of these links names the subject, otherwise null.
    private func value(
        of column: String, naming edges: [RowGraph.Edge], _ node: RowGraph.Node, _ build: inout RowStatementBuilder
    ) -> String {
        let cases = edges.map { edge in
            "WHEN \(isNaming(edge, node, &build)) THEN \(value(of: column, in: edge, node, &build))"
        }
        return "CASE \(cases.joined(separator: " ")) END"
    }

    /// Whether a row `t` names the subject, or a row of the subject's, by this link.
    private func isNaming(_ edge: RowGraph.Edge, _ node: RowGraph.Node, _ build: inout RowStatementBuilder) -> String {
        guard edge.isDirect else { return selection.isFound(node.index, by: edge, &build) }
        return RowComparison(graph: graph, edge: edge, child: node.table).direct(&build)
    }

    /// The value of a link about the subject: of a list or a document only the members that name the subject.
    func value(
        of column: String, in edge: RowGraph.Edge, _ node: RowGraph.Node, _ build: inout RowStatementBuilder
    ) -> String {
        let comparison = RowComparison(graph: graph, edge: edge, child: node.table)
        guard edge.link.list != nil else {
            guard let place = edge.link.columns.firstIndex(of: column), !edge.link.path.isEmpty else {
                return whole(column, node, build)
            }
            return text(comparison.value(place, &build))
        }
        return text(comparison.allMembers(where: isOwnMember(edge, comparison, &build), &build))
    }

    /// The whole value of a column of a row `t`, as the database itself writes it.
    ///
    /// PostgreSQL sends keys and integers as it casts them to text, so it need not do both. A column whose values are
    /// taken apart has parts that are texts.
    func whole(_ column: String, _ node: RowGraph.Node, _ build: RowStatementBuilder) -> String {
        let value = "t.\(build.quoted(column))"
        let isTakenApart = (node.links + node.references).contains { edge in
            edge.link.columns.contains(column) && (!edge.link.path.isEmpty || edge.link.list != nil)
        }
        let kind = node.table[column]?.kind
        return !isTakenApart && (kind == .uuid || kind == .integer) ? value : text(value)
    }

    /// A value as the database itself writes it; on SQLite the value itself, which has a type of its own.
    func text(_ value: String) -> String { graph.dialect.cast(value, as: "text") }
}
