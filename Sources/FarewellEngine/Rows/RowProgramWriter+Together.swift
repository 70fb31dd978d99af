// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Tables that lead to each other.
extension RowProgramWriter {
    /// Tables whose keys restrict each other, or whose rows are found through each other: what one loses must still be
    /// there when the others' rows are looked for. On PostgreSQL one statement, which sees everything as it was and
    /// whose keys are checked at its end; on SQLite statement by statement with the keys' checks deferred, by lists
    /// made beforehand.
    func changeTogether(_ nodes: [Int]) throws -> [RowProgram.Effect] {
        [graph.dialect == .postgresql ? try changeInOne(nodes) : try changeByList(nodes)]
    }

    private func changeInOne(_ nodes: [Int]) throws -> RowProgram.Effect {
        var build = RowStatementBuilder(dialect: graph.dialect)
        let with = selection.with(Set(nodes), &build)
        var changed: [Int] = []
        var parts: [String] = []
        for node in nodes {
            let condition = selection.identityCondition(node, source: "f\(node)", build)
            guard let change = try change(of: node, where: condition, &build) else { continue }
            changed.append(node)
            parts.append("d\(node) AS (\(change) RETURNING 1)")
        }
        guard !changed.isEmpty else { return .init(statements: [], nodes: []) }
        let numbers = changed.map { "(SELECT count(*) FROM d\($0))" }.joined(separator: ", ")
        let text = "\(with), \(parts.joined(separator: ", ")) SELECT \(numbers)"
        return .init(statements: [build.statement(text)], nodes: changed, numbers: .row)
    }

    private func changeByList(_ nodes: [Int]) throws -> RowProgram.Effect {
        var (changed, changes) = ([Int](), [RowStatement]())
        // Rows that stay are changed before others go, whose keys may be emptied with them.
        let staying = nodes.filter { graph.nodes[$0].rule != .erase }
        for node in staying + nodes.filter({ !staying.contains($0) }) {
            var build = RowStatementBuilder(dialect: graph.dialect)
            let condition = selection.identityCondition(node, source: "temp.farewell_list_\(node)", build)
            guard let change = try change(of: node, where: condition, &build) else { continue }
            changed.append(node)
            changes.append(build.statement(change))
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
