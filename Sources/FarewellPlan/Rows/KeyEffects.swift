// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The changes by the database's own keys when rows are erased: `ON DELETE SET NULL` and `ON DELETE SET DEFAULT` update
/// the referring rows, of any table, planned or not.
///
/// Counted after the links of shared rows are removed and before anything else is.
package struct KeyEffects: Sendable {
    /// A key that updates rows when the rows that it refers to are deleted.
    package struct Effect: Sendable {
        package let table: TableName
        package let key: ForeignKey
        /// The node whose rows are deleted.
        package let target: Int
        /// Changes the referring rows as the database would.
        package let change: RowStatement
        /// The state of the subject's own rows before the rows are deleted that they refer to.
        let own: Own
        /// Whether the key is in force.
        let isCertain: Bool
    }

    enum Own: Sendable {
        /// They no longer refer to them: they are deleted, or their rule has changed the column.
        case letGo
        /// They refer to them still.
        case refer
        /// The order of the deletions is unknown.
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
        // Updates on other servers are not counted, so they cannot be compared.
        for table in schema.tables where table.citus?.isDistributed != true {
            for key in table.foreignKeys where key.isPaired && (key.onDelete == .setNull || key.onDelete == .setDefault)
            {
                guard let target = nodes[key.target], target.rule.erasesRows,
                    key.columns.allSatisfy({ table[$0] != nil })
                else { continue }
                let writer = KeyEffectWriter(graph: graph, selection: selection, table: table, key: key, target: target)
                if writer.isThroughRows { wanted.insert(target.index) }
                var others = "count(*)"
                if let own = nodes[table.name] {
                    if writer.isFoundThroughRows(own) { wanted.insert(own.index) }
                    others = "count(CASE WHEN (\(writer.isOwn(own, &build))) THEN NULL ELSE 1 END)"
                }
                parts.append(
                    "SELECT \(effects.count) AS place, count(*) AS n, \(others) AS others "
                        + "FROM \(build.rows(of: table)) AS t WHERE \(writer.refers(&build))")
                effects.append(
                    Effect(
                        table: table.name, key: key, target: target.index, change: writer.change(),
                        own: nodes[table.name].map(writer.fate) ?? .refer, isCertain: key.isValidated))
            }
        }
        self.effects = effects
        // The selections are written first, and number their own parameters.
        let with = selection.with(wanted, &build)
        counts = parts.isEmpty ? nil : build.statement(with + parts.joined(separator: " UNION ALL "))
    }

    /// The number of rows of each table that the keys will update: at least those that stay, at most all.
    ///
    /// - Parameters:
    ///   - result: The answer of `counts`.
    ///   - targets: The nodes whose rows are deleted.
    package func updates(_ result: SQLResult, among targets: Set<Int>) -> [TableName: ClosedRange<Int>] {
        var updates: [TableName: ClosedRange<Int>] = [:]
        for row in result.rows {
            guard row.count == 3, let place = row[0].integer, effects.indices.contains(Int(place)),
                let all = row[1].integer, let others = row[2].integer
            else { continue }
            let effect = effects[Int(place)]
            guard targets.contains(effect.target) else { continue }
            let before = updates[effect.table] ?? 0...0
            let most = effect.own == .letGo ? min(others, all) : all
            let least = effect.isCertain ? (effect.own == .refer ? all : min(others, all)) : 0
            updates[effect.table] = (before.lowerBound + Int(least))...(before.upperBound + Int(most))
        }
        return updates
    }
}

/// Writes the statements about one such key.
private struct KeyEffectWriter {
    let graph: RowGraph
    let selection: RowSelection
    let table: SchemaTable
    let key: ForeignKey
    let target: RowGraph.Node

    /// Whether the rows that go must be selected: not where the key holds the subject's key itself.
    var isThroughRows: Bool {
        target.index != graph.root || key.targetColumns != [graph.keyColumn.name]
    }

    func isFoundThroughRows(_ own: RowGraph.Node) -> Bool {
        own.index != graph.root && !own.links.allSatisfy(\.isDirect)
    }

    /// The state of the subject's own rows of a node before the rows are deleted that they refer to. Rows that link to
    /// other rows by the key are changed before these, unless the two tables form a circle.
    func fate(of own: RowGraph.Node) -> KeyEffects.Own {
        let isLink = own.links.contains { edge in
            edge.parent == target.index && edge.link.path.isEmpty && edge.link.columns == key.columns
        }
        let isCircle = graph.deletionGroups.contains { $0.contains(own.index) && $0.contains(target.index) }
        guard isLink, !isCircle else { return .unknown }
        return own.rule.erasesRows || key.columns.contains(where: own.changes) ? .letGo : .refer
    }

    /// Whether a row `t` is one of the subjects' own.
    func isOwn(_ own: RowGraph.Node, _ build: inout RowStatementBuilder) -> String {
        guard !isFoundThroughRows(own) else {
            return selection.identityCondition(own.index, source: "f\(own.index)", build)
        }
        return selection.directCondition(own.index, &build) ?? "FALSE"
    }

    /// Whether a row `t` refers to a row that goes.
    func refers(_ build: inout RowStatementBuilder) -> String {
        guard isThroughRows else {
            let kind = table[key.columns[0]]?.kind ?? .other
            return RowComparison.isAmong(
                "t." + build.quoted(key.columns[0]), kind: kind, slot: .subjects(kind), graph, &build)
        }
        let matched = zip(key.columns, key.targetColumns).map { name, targetName in
            "t.\(build.quoted(name)) = x.\(build.quoted(targetName))"
        }.joined(separator: " AND ")
        let identity = selection.identity(of: target.index, build, as: "x")
        let names = identity.indices.map { "i\($0)" }.joined(separator: ", ")
        return "EXISTS (SELECT 1 FROM \(build.rows(of: target.table)) AS x WHERE \(matched) "
            + "AND \(selection.tuple(identity)) IN (SELECT \(names) FROM f\(target.index)))"
    }

    /// Does by a statement what the database does by the key.
    func change() -> RowStatement {
        var build = RowStatementBuilder(dialect: graph.dialect)
        let with = isThroughRows ? selection.with([target.index], &build) : ""
        let set = key.columns.map { name in
            let standard = key.onDelete == .setDefault ? table[name]?.defaultExpression : nil
            return "\(build.quoted(name)) = \(standard ?? "NULL")"
        }.joined(separator: ", ")
        let text = "\(with)UPDATE \(build.rows(of: table)) AS t SET \(set) WHERE \(refers(&build))"
        return build.statement(text)
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
