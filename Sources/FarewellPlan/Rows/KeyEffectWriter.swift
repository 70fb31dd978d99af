// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// Writes the statements about a key through which the database updates rows.
struct KeyEffectWriter {
    let graph: RowGraph
    let selection: RowSelection
    let step: KeyStep

    private var target: RowGraph.Node { step.target }
    private var key: ForeignKey { step.key }
    private var table: SchemaTable { step.table }
    /// The key that refers to the target's rows.
    private var nearest: ForeignKey { step.path.first?.key ?? key }

    /// Whether the deleted rows must be selected: not if the key holds the subject's key itself.
    var isThroughRows: Bool {
        target.index != graph.root || nearest.targetColumns != [graph.keyColumn.name]
    }

    func isFoundThroughRows(_ own: RowGraph.Node) -> Bool {
        own.index != graph.root && !own.links.allSatisfy(\.isDirect)
    }

    /// The state of the subject's own rows of a node before the rows are deleted or changed that they refer to. Rows
    /// that link to other rows by the key are changed before these, unless the two tables form a circle.
    func fate(of own: RowGraph.Node) -> KeyEffects.Own {
        let isLink = own.links.contains { edge in
            edge.parent == target.index && edge.link.path.isEmpty && edge.link.columns == key.columns
        }
        let isCircle = graph.deletionGroups.contains { $0.contains(own.index) && $0.contains(target.index) }
        guard step.path.isEmpty, isLink, !isCircle else { return .unknown }
        return own.rule.erasesRows || key.columns.contains(where: own.changes) ? .letGo : .refer
    }

    /// Whether a row `t` is one of the subjects' own.
    func isOwn(_ own: RowGraph.Node, _ build: inout RowStatementBuilder) -> String {
        guard !isFoundThroughRows(own) else {
            return selection.identityCondition(own.index, source: "f\(own.index)", build)
        }
        return selection.directCondition(own.index, &build) ?? "FALSE"
    }

    /// Whether a row `t` refers to a row that is deleted or changed.
    func refers(_ build: inout RowStatementBuilder) -> String {
        // From the farthest table to the target: each row refers to one of the next.
        let parts = [KeyStep.Part(table: table, key: key)] + step.path.reversed()
        var (opening, closing, alias) = ("", "", "t")
        for (number, (part, next)) in zip(parts, parts.dropFirst()).enumerated() {
            let matched = matches(part, next.table, alias, "k\(number)", build)
            opening += "EXISTS (SELECT 1 FROM \(build.rows(of: next.table)) AS k\(number) WHERE \(matched) AND "
            closing += ")"
            alias = "k\(number)"
        }
        return opening + refers(alias, parts[parts.count - 1], &build) + closing
    }

    private func refers(_ alias: String, _ part: KeyStep.Part, _ build: inout RowStatementBuilder) -> String {
        guard isThroughRows else {
            let column = part.table[part.key.columns[0]]
            let value = graph.dialect.equality(of: column, with: graph.keyColumn).side(
                "\(alias)." + build.quoted(part.key.columns[0]))
            let kind = column?.kind ?? .other
            let isPadded = column?.isPadded == true && graph.keyColumn.isPadded
            return RowComparison.isAmong(
                value, kind: kind, isPadded: isPadded, slot: .subjects(kind), graph, &build)
        }
        let identity = selection.identity(of: target.index, build, as: "x")
        let names = identity.indices.map { "i\($0)" }.joined(separator: ", ")
        let referred = step.partition ?? target.table
        return "EXISTS (SELECT 1 FROM \(build.rows(of: referred)) AS x WHERE "
            + "\(matches(part, referred, alias, "x", build)) "
            + "AND \(selection.tuple(identity)) IN (SELECT \(names) FROM f\(target.index)))"
    }

    private func matches(
        _ part: KeyStep.Part, _ target: SchemaTable, _ alias: String, _ other: String, _ build: RowStatementBuilder
    ) -> String {
        zip(part.key.columns, part.key.targetColumns).map { name, targetName in
            let equality = graph.dialect.equality(of: part.table[name], with: target[targetName])
            return "\(equality.side("\(alias).\(build.quoted(name))")) "
                + "= \(equality.keySide("\(other).\(build.quoted(targetName))"))"
        }.joined(separator: " AND ")
    }

    /// Does by a statement what the database does by the key; `nil` if that needs a value that is not known yet.
    ///
    /// - Parameter own: The node of the table, if rows that its rule has not reached should stay as they are.
    func change(sparing own: RowGraph.Node? = nil) -> RowStatement? {
        guard step.path.isEmpty, step.action != .cascade else { return nil }
        var build = RowStatementBuilder(dialect: graph.dialect)
        var wanted: Set<Int> = isThroughRows ? [target.index] : []
        if let own, isFoundThroughRows(own) { wanted.insert(own.index) }
        let with = selection.with(wanted, &build)
        let set = step.changedColumns.map { name in
            let standard = step.action == .setDefault ? table[name]?.defaultExpression : nil
            return "\(build.quoted(name)) = \(standard ?? "NULL")"
        }.joined(separator: ", ")
        let referring = refers(&build)
        let rest = own.map { isNotLeft($0, &build) } ?? ""
        let text = "UPDATE \(build.rows(of: table)) AS t SET \(set) WHERE \(referring)\(rest)"
        return build.statement(with, text)
    }

    /// A further condition: a row `t` is no row of the subjects that should have been erased, and none that still
    /// differs from the rules. Such a row was kept, and must keep what reading back finds it by.
    private func isNotLeft(_ own: RowGraph.Node, _ build: inout RowStatementBuilder) -> String {
        guard !own.rule.erasesRows else { return " AND (\(isOwn(own, &build))) IS NOT TRUE" }
        // Written on a copy: parameters of a condition that is not used must not be part of the statement.
        var writing = build
        guard let violated = RowProgramWriter(graph: graph).violated(own, &writing) else { return "" }
        build = writing
        return " AND ((\(isOwn(own, &build))) AND \(violated)) IS NOT TRUE"
    }
}
