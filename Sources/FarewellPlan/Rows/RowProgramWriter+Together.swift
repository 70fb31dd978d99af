// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Tables that lead to each other.
extension RowProgramWriter {
    /// Tables whose keys restrict each other, or whose rows are found through each other: a lost value must still be
    /// there when the other rows are searched. On PostgreSQL one statement, which sees the state before all changes and
    /// whose keys are checked at its end; on SQLite statement by statement with the keys' checks deferred, by lists
    /// made beforehand.
    ///
    /// - Parameters:
    ///   - isRootLast: Whether the subject's own row is among them and stays as long as anything else is left. If that
    ///     is in another table all of them stay, because their keys may name each other's rows.
    ///   - followers: PostgreSQL: further tables whose rows are found through these, and deleted with them.
    func changeTogether(
        _ nodes: [Int], followers: [Int] = [], isRootLast: Bool
    ) throws -> [RowProgram.Effect] {
        let ordered = isRootLast ? nodes.filter { $0 != graph.root } + [graph.root] : nodes
        return [
            graph.changesInQueries
                ? try changeInOne(ordered, followers: followers, isRootLast: isRootLast)
                : try changeByList(ordered, isRootLast: isRootLast)
        ]
    }

    private func changeInOne(_ nodes: [Int], followers: [Int], isRootLast: Bool) throws -> RowProgram.Effect {
        var build = RowStatementBuilder(dialect: graph.dialect)
        let with = selection.with(Set(nodes + followers), &build)
        var changed: [Int] = []
        var parts: [String] = []
        for node in followers {
            let ways = selection.waysAtOnce(of: node)
            let condition = selection.condition(node, by: ways.count == 1 ? ways[0] : .identity, &build).condition
            guard let change = try change(of: node, where: condition, &build) else { continue }
            changed.append(node)
            parts.append("d\(node) AS (\(change) RETURNING 1)")
        }
        for node in nodes {
            let condition = selection.identityCondition(node, source: "f\(node)", build)
            guard let change = try change(of: node, where: condition, &build) else { continue }
            let waits = isRootLast && mayWait(node)
            let rest = waits ? nothingElseIsLeft(besides: nodes, &build) : ""
            let taken = waits && node == graph.root ? areTaken(changed, build) : ""
            changed.append(node)
            parts.append("d\(node) AS (\(change)\(rest)\(taken) RETURNING 1)")
        }
        guard !changed.isEmpty else { return .init(statements: [], nodes: []) }
        let numbers = changed.map { "(SELECT count(*) FROM d\($0))" }.joined(separator: ", ")
        let text = ", \(parts.joined(separator: ", ")) SELECT \(numbers)"
        return .init(statements: [build.statement(with, text)], nodes: changed, numbers: .row)
    }

    /// A further condition: all rows of these nodes that were to be deleted are. A statement sees the rows as they were
    /// before it, and the results of its own parts only through `RETURNING`.
    private func areTaken(_ nodes: [Int], _ build: RowStatementBuilder) -> String {
        nodes.filter { graph.nodes[$0].rule.erasesRows }.map { node in
            let names = selection.identity(of: node, build).indices.map { "i\($0)" }.joined(separator: ", ")
            return " AND (SELECT count(*) FROM d\(node)) = "
                + "(SELECT count(*) FROM (SELECT DISTINCT \(names) FROM f\(node)) AS a\(node))"
        }.joined()
    }

    private func changeByList(_ nodes: [Int], isRootLast: Bool) throws -> RowProgram.Effect {
        var (changed, changes) = ([Int](), [RowStatement]())
        // Rows that stay are changed before others go, whose keys may be emptied with them.
        let early = nodes.filter { !graph.nodes[$0].rule.erasesRows && !(isRootLast && $0 == graph.root) }
        // Owned parents go behind the rows that name them: a key that restricts is checked at once.
        let late = graph.ownedParents(among: nodes)
        for node in early + nodes.filter({ !early.contains($0) && !late.contains($0) }) + late {
            var build = RowStatementBuilder(dialect: graph.dialect)
            let condition = selection.identityCondition(node, source: "temp.farewell_list_\(node)", build)
            guard let change = try change(of: node, where: condition, &build) else { continue }
            let waits = isRootLast && mayWait(node)
            let rest = waits ? nothingElseIsLeft(besides: node == graph.root ? late : nodes, &build) : ""
            changed.append(node)
            changes.append(build.statement(change + rest))
        }
        let lists = changed.map { node in
            var build = RowStatementBuilder(dialect: graph.dialect)
            let with = selection.with([node], &build)
            let identity = selection.identity(of: node, build).indices.map { "i\($0)" }.joined(separator: ", ")
            return build.statement(
                "CREATE TEMP TABLE farewell_list_\(node) AS \(with)SELECT DISTINCT \(identity) FROM f\(node)")
        }
        let drops = changed.map { RowStatement(text: "DROP TABLE temp.farewell_list_\($0)", slots: []) }
        return .init(statements: lists + changes + drops, nodes: changed, numbers: .lists)
    }
}
