// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The changes by the database's own keys when an erasure deletes or changes rows: `ON DELETE SET NULL` and
/// `SET DEFAULT` update the rows that refer to deleted rows; `ON UPDATE CASCADE`, `SET NULL` and `SET DEFAULT` update
/// the rows that refer to a value that a rule replaces. This affects rows of any table, planned or not, and continues
/// from key to key.
///
/// Counted after the links of shared rows are removed and before anything else is.
package struct KeyEffects: Sendable {
    /// A key that updates rows when the rows that it refers to are deleted or changed.
    package struct Effect: Sendable {
        package let table: TableName
        package let key: ForeignKey
        /// The node whose rows are deleted or changed.
        package let target: Int
        /// Changes the referring rows as the database would; `nil` if that needs a new value.
        package let change: RowStatement?
        /// Changes them for a subject without its own row; `nil` for other targets.
        let standIn: RowStatement?
        /// Whether it leaves the subject's own rows as they are, because these are erased.
        let sparesOwn: Bool
        /// The state of the subject's own rows before the rows are deleted or changed that they refer to.
        let own: Own
        /// Whether the key updates every row that was counted.
        let isCertain: Bool
    }

    enum Own: Sendable {
        /// They no longer refer to them: they are deleted, or their rule has changed the column.
        case letGo
        /// They refer to them still.
        case refer
        /// The order of the changes is unknown.
        case unknown
    }

    package let effects: [Effect]
    /// `(position of the effect, referring rows, those of them that stay)`; `nil` if there are no such keys.
    package let counts: RowStatement?

    package init(graph: RowGraph, schema: Schema) {
        var build = RowStatementBuilder(dialect: graph.dialect)
        let selection = RowSelection(graph: graph)
        let nodes = Dictionary(graph.nodes.map { ($0.table.name, $0) }) { first, _ in first }
        var effects: [Effect] = []
        var wanted: Set<Int> = []
        var parts: [String] = []
        let map = SchemaMap(schema)
        for step in KeyStep.all(graph, map, nodes) {
            let writer = KeyEffectWriter(graph: graph, selection: selection, step: step)
            if writer.isThroughRows { wanted.insert(step.target.index) }
            let own = nodes[map.listedName(of: step.table.name)]
            var others = "count(*)"
            if let own {
                if writer.isFoundThroughRows(own) { wanted.insert(own.index) }
                others = "count(CASE WHEN (\(writer.isOwn(own, &build))) THEN NULL ELSE 1 END)"
            }
            parts.append(
                "SELECT \(effects.count) AS place, count(*) AS n, \(others) AS others "
                    + "FROM \(build.rows(of: step.table)) AS t WHERE \(writer.refers(&build))")
            effects.append(
                Effect(
                    table: step.table.name, key: step.key, target: step.target.index, change: writer.change(),
                    standIn: step.target.index == graph.root ? writer.change(sparing: own) : nil,
                    sparesOwn: own?.rule.erasesRows == true, own: own.map(writer.fate) ?? .refer,
                    isCertain: step.isCertain))
        }
        self.effects = effects
        // The selections are written first, and number their own parameters.
        let with = selection.with(wanted, &build)
        counts = parts.isEmpty ? nil : build.statement(with + build.union(parts))
    }

    /// The number of rows of each table that the keys will update: at least those that stay, at most all.
    ///
    /// - Parameters:
    ///   - result: The answer of `counts`.
    ///   - targets: The nodes whose rows are deleted or changed.
    ///   - kept: The targets of which some rows stay: because of these rows, a key updates nothing.
    ///   - absent: The targets without a row of the subject: other statements do the work of their keys where they can
    ///     (`standIns`).
    package func updates(
        _ result: SQLResult, among targets: Set<Int>, keeping kept: Set<Int> = [], absent: Set<Int> = []
    ) -> [TableName: ClosedRange<Int>] {
        var updates: [TableName: ClosedRange<Int>] = [:]
        for row in result.rows {
            guard row.count == 3, let place = row[0].integer, effects.indices.contains(Int(place)),
                let all = row[1].integer, let others = row[2].integer
            else { continue }
            let effect = effects[Int(place)]
            guard targets.contains(effect.target) else { continue }
            let before = updates[effect.table] ?? 0...0
            let most = effect.own == .letGo ? min(others, all) : all
            let isDone = effect.standIn != nil || !absent.contains(effect.target)
            let isCertain = effect.isCertain && isDone && !kept.contains(effect.target)
            let least = isCertain ? (effect.own == .refer ? all : min(others, all)) : 0
            updates[effect.table] = (before.lowerBound + Int(least))...(before.upperBound + Int(most))
        }
        return updates
    }

    /// Whether there are statements for a subject without its own row.
    package var hasStandIns: Bool { effects.contains { $0.standIn != nil } }

    /// Statements that do what the keys would do if the subject's own row were deleted or changed. Rows may name a row
    /// that does not exist, because an app has not enforced the key. Then no key of the database acts on them.
    ///
    /// - Parameter result: The answer of `counts`. A statement demands the right to change its table even if it finds
    ///   no row there, so only those are returned that find some.
    package func standIns(_ result: SQLResult) -> [RowProgram.Effect] {
        var finding: Set<Int> = []
        for row in result.rows {
            guard row.count == 3, let place = row[0].integer, effects.indices.contains(Int(place)),
                let all = row[1].integer, let others = row[2].integer
            else { continue }
            if (effects[Int(place)].sparesOwn ? min(others, all) : all) > 0 { finding.insert(Int(place)) }
        }
        return finding.sorted().compactMap { effects[$0].standIn }.map { .init(statements: [$0], nodes: []) }
    }
}

extension RowGraph {
    /// The other nodes whose rows cascading keys of the database delete together with rows of these nodes.
    package func erasedWith(_ nodes: [Int]) -> Set<Int> {
        var found = Set(nodes)
        var open = nodes.filter { self.nodes[$0].rule.erasesRows }
        while let parent = open.popLast() {
            let name = self.nodes[parent].table.name
            for child in self.nodes where child.rule.erasesRows && !found.contains(child.index) {
                guard child.table.foreignKeys.contains(where: { $0.onDelete == .cascade && $0.target == name }) else {
                    continue
                }
                found.insert(child.index)
                open.append(child.index)
            }
        }
        return found.subtracting(nodes)
    }
}
