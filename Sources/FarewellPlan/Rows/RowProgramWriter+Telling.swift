// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

extension RowProgramWriter {
    /// Deletes of everything, children before parents, that report the number of deleted rows of each subject.
    ///
    /// Not if the database has a cascade, which deletes rows without a report, or if tables must be deleted together.
    func countingDeletes() -> [RowProgram.CountingDelete]? {
        guard isPlain, !graph.isAboutOne, graph.deletionGroups.allSatisfy({ $0.count == 1 }),
            !graph.nodes.contains(where: { $0.index != graph.root && graph.isCascaded($0.index) })
        else { return nil }
        return graph.deletionGroups.flatMap { group in
            group.filter { graph.nodes[$0].rule.erasesRows }.flatMap { node in
                selection.tellingWays(of: node).map { .init(node: node, statement: telling(node, by: $0)) }
            }
        }
    }

    /// The transaction's own counters (`pg_stat_get_xact_tuples_deleted`) include rows deleted by a cascade, so that
    /// nothing is counted twice. Partitions have their own counters, and do not count for their table. Deletions of
    /// earlier transactions of the session may still be included: only differences count.
    func rowCounters(erasing effects: [RowProgram.Effect]) -> RowProgram.RowCounters? {
        let areOrdinary = graph.nodes.allSatisfy { $0.table.kind == .table && $0.table.parents.isEmpty }
        guard isPlain, graph.isAboutOne, areOrdinary, let first = effects.first else { return nil }
        let build = RowStatementBuilder(dialect: graph.dialect)
        let numbers = graph.nodes.map { node in
            let name = build.quoted(node.table.name).replacing("'", with: "''")
            return "pg_catalog.pg_stat_get_xact_tuples_deleted('\(name)'::regclass)"
        }
        // Null where the server counts nothing.
        let all = numbers.joined(separator: ", ")
        let counters = "SELECT CASE WHEN current_setting('track_counts')::boolean THEN ARRAY[\(all)] END"
        var statements = effects.flatMap(\.statements)
        if first.nodes.count == 1, case .changed = first.numbers {
            // Rows that cascade from these are deleted at the end of the statement, and the next one reports them.
            statements[0].text = "WITH gone AS (\(statements[0].text) RETURNING 1) \(counters), count(*) FROM gone"
        } else {
            statements.insert(build.statement("\(counters), 0"), at: 0)
        }
        return RowProgram.RowCounters(
            places: graph.nodes.map(\.place), statements: statements, begunWith: first.nodes.first ?? graph.root,
            closing: build.statement(counters))
    }

    /// The keys are kept as a setting that ends with the transaction.
    func singleTransaction(after queries: [CaptureQuery]) -> RowProgram.SingleTransaction? {
        let linking = graph.nodes.flatMap { node in node.links.filter { !$0.isDirect }.map { (node, $0) } }
        let areAlike = linking.allSatisfy { node, edge in
            // Composite keys are written and read by the server itself, with their own types.
            guard edge.link.columns.count == 1 else { return true }
            let kinds = [
                edge.link.path.isEmpty ? node.table[edge.link.columns[0]]?.kind : .text,
                graph.nodes[edge.parent].table[edge.link.targetColumns[0]]?.kind,
            ]
            return kinds == [.uuid, .uuid] || kinds == [.integer, .integer]
        }
        guard areAlike else { return nil }
        return RowProgram.SingleTransaction(
            sizing: sizing(), keeping: queries.map(keeping), readBack: readBack(.kept))
    }

    /// Looks for rows behind the limit by each indexed link that holds the subject's key, and reads no more rows than
    /// that. Links by which a row may belong to another subject say too little.
    ///
    /// A table that the server knows as small is not asked. If it has grown, its deletes end at their bound in time.
    private func sizing() -> RowStatement? {
        var build = RowStatementBuilder(dialect: graph.dialect)
        let limit = build.parameter(.limit)
        var found: [String] = []
        for node in graph.nodes where node.index != graph.root && node.table.estimatedRows ?? .max >= Self.smallTable {
            for edge in node.links where edge.isDirect && edge.link.shared != .unlink && !edge.link.isOwnedParent {
                guard selection.isIndexed(edge, node.index) else { continue }
                let condition = RowComparison(graph: graph, edge: edge, child: node.table).direct(&build)
                found.append(
                    "EXISTS (SELECT 1 FROM \(build.rows(of: node.table)) AS t WHERE \(condition) OFFSET \(limit))")
            }
        }
        guard !found.isEmpty else { return nil }
        return build.statement("SELECT 1 / CASE WHEN \(found.joined(separator: " OR ")) THEN 0 ELSE 1 END")
    }

    /// The size of a table, in rows, below which no subject's rows are counted beforehand, and the count of an export
    /// reads the whole table.
    static let smallTable = 10_000

    /// Whether rows are only erased or stay as they are, and nothing but the statements and the database's cascade
    /// erases them. A trigger of the session authority only adds to its feed.
    private var isPlain: Bool {
        graph.changesInQueries && graph.objects.deleted.isEmpty && graph.isOnlyErasing
            && graph.nodes.allSatisfy { node in
                node.foreignTriggers.isEmpty && !node.losesLinks
                    && node.links.allSatisfy { $0.link.list == nil && !$0.link.isOwnedParent }
            }
    }

    private func telling(_ node: Int, by way: RowSelection.Way) -> RowStatement {
        if way == .links { return tellingByLinks(node) }
        var build = RowStatementBuilder(dialect: graph.dialect)
        let (with, condition) = selection.condition(node, by: way, &build)
        let delete = "DELETE FROM \(build.rows(of: graph.nodes[node].table)) AS t WHERE (\(condition))"
        guard let (source, names, values) = keys(of: node, by: way, build) else {
            let subject = selection.subjectKey(node, &build) ?? selection.subject(node, &build)
            return build.statement(
                "WITH gone AS (\(delete) RETURNING \(subject) AS subject) "
                    + "SELECT CAST(subject AS text), count(*) FROM gone GROUP BY subject")
        }
        // The subject of a row is known by the key that found it; a row of several subjects counts for the first.
        let returned = zip(values, names).map { "\($0) AS \($1)" }.joined(separator: ", ")
        let list = names.joined(separator: ", ")
        return build.statement(
            with,
            ", gone AS (\(delete) RETURNING \(returned)) SELECT p.subject, count(*) FROM gone "
                + "JOIN (SELECT \(list), min(subject) AS subject FROM \(source) GROUP BY \(list)) AS p "
                + "USING (\(list)) GROUP BY p.subject")
    }

    /// A row counts for the subject that it names itself, otherwise for its parent's: the first link decides.
    private func tellingByLinks(_ node: Int) -> RowStatement {
        var build = RowStatementBuilder(dialect: graph.dialect)
        let (with, condition) = selection.condition(node, by: .links, &build)
        let indirect = graph.nodes[node].links.filter { !$0.isDirect }
        let subject = selection.named(by: node, &build) ?? "CAST(NULL AS text)"
        let links = indirect.enumerated().map { position, edge in
            let comparison = RowComparison(graph: graph, edge: edge, child: graph.nodes[node].table)
            return "\(comparison.writtenColumn(&build)) AS l\(position)"
        }
        // Usually the row itself names its subject: only for the others the parents matter.
        let keys = indirect.indices.map { "CASE WHEN subject IS NULL THEN l\($0) END AS l\($0)" }
        let places = (1...indirect.count + 1).map(String.init).joined(separator: ", ")
        let parents = indirect.enumerated().map { position, edge in
            let key = selection.name(of: edge.link.targetColumns[0], in: edge.parent)
            return " LEFT JOIN (SELECT \(key), min(subject) AS subject FROM f\(edge.parent) GROUP BY 1) "
                + "AS p\(position) ON g.l\(position) = p\(position).\(key)"
        }
        let owners = [selection.spelled("CAST(g.subject AS text)")] + indirect.indices.map { "p\($0).subject" }
        return build.statement(
            with,
            ", gone AS (DELETE FROM \(build.rows(of: graph.nodes[node].table)) AS t WHERE (\(condition)) "
                + "RETURNING \(([subject + " AS subject"] + links).joined(separator: ", "))) "
                + "SELECT coalesce(\(owners.joined(separator: ", "))), CAST(sum(g.n) AS bigint) "
                + "FROM (SELECT \((["subject"] + keys).joined(separator: ", ")), count(*) AS n FROM gone "
                + "GROUP BY \(places)) AS g\(parents.joined()) GROUP BY 1")
    }

    /// The selection by which rows are found, what their keys are called there, and the rows' own columns with them.
    private func keys(
        of node: Int, by way: RowSelection.Way, _ build: RowStatementBuilder
    ) -> (source: String, names: [String], values: [String])? {
        switch way {
        case .direct, .links: return nil
        case .link(let place):
            let edge = graph.nodes[node].links[place]
            return (
                "f\(edge.parent)", edge.link.targetColumns.map { selection.name(of: $0, in: edge.parent) },
                edge.link.columns.map { "t." + build.quoted($0) }
            )
        case .identity:
            let identity = selection.identity(of: node, build)
            return ("f\(node)", identity.indices.map { "i\($0)" }, identity)
        }
    }
}
