// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Compares the rows that a transaction changed in every table with what the plan predicts.
struct ChangeGuard: Sendable {
    let prepared: PreparedPlan

    init(_ prepared: PreparedPlan) { self.prepared = prepared }

    private var counters: ChangeCounters? { prepared.counters.flatMap { $0.isCounting ? $0 : nil } }
    private var graph: RowGraph { prepared.program.graph }

    /// Begins to count, and reads the counters: the last answer is the reading. Empty without counters.
    var beginning: [SQLStatement] { counters.map { $0.opening + [$0.reading] } ?? [] }

    /// Reads the counters.
    var reading: [SQLStatement] { counters.map { [$0.reading] } ?? [] }

    // MARK: Real transactions

    /// - Parameters:
    ///   - before: The reading from before the changes; `nil` without counters.
    ///   - after: The reading from after them.
    /// - Returns: The changes.
    /// - Throws: `run.unpredicted` naming the tables in which other rows were changed than predicted.
    @discardableResult
    func require(
        _ evidence: ChangeEvidence, from before: SQLResult?, to after: SQLResult?
    ) throws -> [TableName: RowChanges] {
        guard let counters, let before, let after else {
            let differences = elsewhere(evidence)
            guard differences.isEmpty else { throw ChangeDifference.error(differences) }
            return [:]
        }
        let actual = try counters.changes(from: before, to: after)
        let differences = differences(of: actual, evidence)
        guard differences.isEmpty else {
            let tables = evidence.nodes.sorted().map { graph.nodes[$0].table.name }
            throw ChangeDifference.error(differences, advice: advice(about: differences, actual, of: tables))
        }
        return actual
    }

    /// The entry that the plan can declare, in the words of a rehearsal; `nil` where no trigger explains anything.
    ///
    /// - Parameter tables: Those whose rows the transaction was to change.
    private func advice(
        about differences: [ChangeDifference], _ actual: [TableName: RowChanges], of tables: [TableName]
    ) -> String? {
        var causes = ChangeCauses()
        causes.note(actual, of: tables)
        let effects = causes.effects(explaining: differences, in: prepared)
        guard !effects.isEmpty else { return nil }
        let known = prepared.written.effects
        let advice = TriggerEffectText.advice(
            about: ChangeCauses.triggers(behind: effects, in: prepared), isReplacing: !known.isEmpty)
        let explained = Set(effects.map(\.also))
        let isRest = differences.contains { $0.excess == 0 || !explained.contains($0.table) }
        return "\(advice) \(TriggerEffectText.line(for: TriggerEffect.merged(known + effects)))."
            + (isRest ? " Run farewell rehearse for this subject about the other changes." : "")
            + " Then release the erasure."
    }

    /// Rows of a table that the end of a retention changed, as its statements report them.
    struct EndedRows {
        let table: TableName
        /// Whether they were deleted; otherwise they were emptied.
        let areErased: Bool
        let number: Int
    }

    /// The comparison at the end of retentions.
    func requireEnding(_ ended: [EndedRows], from before: SQLResult?, on connection: any SQLConnection) async throws {
        guard let counters, let before, let after = try await connection.pipeline(reading).last else { return }
        let actual = try counters.changes(from: before, to: after)
        var expected: [TableName: ExpectedChanges] = [:]
        func add(_ changes: ExpectedChanges, _ table: TableName) {
            expected[place(of: table), default: ExpectedChanges()] =
                expected[place(of: table), default: ExpectedChanges()] + changes
        }
        for rows in ended {
            let changed = ExpectedNumber(rows.number)
            add(rows.areErased ? .init(deleted: changed) : .init(updated: changed), rows.table)
        }
        let erased = Set(ended.filter(\.areErased).map(\.table))
        for other in prepared.schema.tables {
            for key in other.foreignKeys where erased.contains(key.target) {
                let isEmptied = key.onDelete == .setNull || key.onDelete == .setDefault
                let isTaken = key.onDelete == .cascade && prepared.plan[other.name]?.rule.erasesRows == true
                add(.init(updated: isEmptied ? .any : .none, deleted: isTaken ? .any : .none), other.name)
            }
        }
        let differences = differences(of: actual, expected)
        guard differences.isEmpty else {
            let advice = advice(about: differences, actual, of: ended.map(\.table))
            throw ChangeDifference.error(differences, advice: advice)
        }
    }

    // MARK: Comparing

    /// The deviations from the prediction, in the tables whose rows the database counts.
    func differences(of actual: [TableName: RowChanges], _ evidence: ChangeEvidence) -> [ChangeDifference] {
        differences(of: actual, expectation(evidence)) + leftOut(evidence) + elsewhere(evidence)
    }

    /// Predicted rows that the database skipped without an error (SQLite's `ON CONFLICT IGNORE`). A key of the database
    /// may change them afterwards, so the counters alone do not show the omission.
    private func leftOut(_ evidence: ChangeEvidence) -> [ChangeDifference] {
        guard isExact(evidence), let found = evidence.found else { return [] }
        return graph.nodes.compactMap { node in
            guard node.rule.rowsStay, evidence.nodes.contains(node.index), let told = evidence.told[node.index],
                let counted = found[node.place], told < counted
            else { return nil }
            return ChangeDifference(
                table: node.table.name, kind: .updated, rows: told, predicted: "\(counted)", excess: 0)
        }
    }

    private func differences(
        of actual: [TableName: RowChanges], _ prediction: [TableName: ExpectedChanges]
    ) -> [ChangeDifference] {
        var expected = prediction
        if let feed = prepared.revocationFeed {
            let isCounted = prepared.publishedTable.map { prepared.counters?.uncounted.contains($0) != true } ?? false
            let published = isCounted ? prepared.publishedTable : nil
            let users = published.map { actual[place(of: $0)]?.deleted ?? 0 }
            let added = ExpectedChanges(inserted: users.map { ExpectedNumber(0...$0) } ?? .any)
            expected[place(of: feed)] = (expected[place(of: feed)] ?? ExpectedChanges()) + added
        }
        for effect in prepared.plan.effects {
            let also = place(of: effect.also)
            let changed = actual[place(of: effect.table)].map { $0.inserted + $0.updated + $0.deleted }
            guard changed != nil || mayFireWithoutRows(effect, actual) else { continue }
            expected[also, default: ExpectedChanges()] =
                expected[also, default: ExpectedChanges()]
                + ExpectedChanges(
                    inserted: Self.extra(effect.inserts, changed ?? 0),
                    updated: Self.extra(effect.updates, changed ?? 0),
                    deleted: Self.extra(effect.deletes, changed ?? 0))
        }
        // A cascade also deletes rows that triggers inserted before; no statement reports those. Triggers' writes
        // that the plan does not declare already count as a difference.
        for node in graph.nodes where node.rule.erasesRows {
            let table = place(of: node.table.name)
            guard let rows = actual[table], rows.inserted > 0, goes(node.table, with: actual) else { continue }
            expected[table, default: ExpectedChanges()] =
                expected[table, default: ExpectedChanges()]
                + ExpectedChanges(deleted: ExpectedNumber(0...rows.inserted))
        }
        let uncounted = prepared.counters?.uncounted ?? []
        let partitioned = Set(prepared.schema.tables.filter { $0.kind == .partitioned }.map(\.name))
        return Set(actual.keys).union(expected.keys).subtracting(uncounted).sorted().flatMap { table in
            let prediction = expected[table] ?? ExpectedChanges()
            let changes = actual[table] ?? RowChanges()
            let isPartitioned = partitioned.contains(table)
            return prediction.differences(of: isPartitioned ? prediction.withoutMoves(changes) : changes, in: table)
        }
    }

    /// Whether a trigger for statements may have fired although no row of its table was changed: the database's keys
    /// look for rows there when rows that these refer to go.
    private func mayFireWithoutRows(_ effect: TriggerEffect, _ actual: [TableName: RowChanges]) -> Bool {
        guard let table = prepared.schema[effect.table],
            table.triggers.contains(where: { !$0.isForEachRow && !$0.isRule })
        else { return false }
        return table.foreignKeys.contains { key in
            ![.noAction, .restrict].contains(key.onDelete) && (actual[place(of: key.target)]?.deleted ?? 0) > 0
        }
    }

    /// Whether a key of the database deletes rows of a table with others that were deleted.
    private func goes(_ table: SchemaTable, with actual: [TableName: RowChanges]) -> Bool {
        table.foreignKeys.contains { $0.onDelete == .cascade && (actual[place(of: $0.target)]?.deleted ?? 0) > 0 }
    }

    private static func extra(_ bound: TriggerEffect.Bound?, _ changed: Int) -> ExpectedNumber {
        guard let bound else { return .none }
        return bound.limit(of: changed).map { ExpectedNumber(0...$0) } ?? .any
    }

    private func place(of table: TableName) -> TableName { prepared.counters?.place(of: table) ?? table }

    /// The expected counters, by table.
    func expectation(_ evidence: ChangeEvidence) -> [TableName: ExpectedChanges] {
        var expected: [TableName: ExpectedChanges] = [:]
        func add(_ changes: ExpectedChanges, _ table: TableName) {
            expected[place(of: table)] = expected[place(of: table)].map { $0 + changes } ?? changes
        }
        for node in graph.nodes {
            if evidence.nodes.contains(node.index) {
                add(node.rule.erasesRows ? deletes(of: node, evidence) : updates(of: node, evidence), node.table.name)
            }
            if let rows = unlinked(node, evidence) { add(.init(updated: ExpectedNumber(rows)), node.table.name) }
        }
        for (table, rows) in evidence.keyUpdates { add(.init(updated: ExpectedNumber(rows)), table) }
        return expected
    }

    /// Whether an earlier count is still right: no other transaction writes meanwhile, and nothing keeps rows.
    private func isExact(_ evidence: ChangeEvidence) -> Bool {
        !prepared.schema.dialect.takesSeveralWriters && !evidence.mayBeResisted
    }

    private func deletes(of node: RowGraph.Node, _ evidence: ChangeEvidence) -> ExpectedChanges {
        let counted = evidence.found.map { found in
            // A row that a trigger kept does not count: otherwise another deleted row could stand in for it.
            max((found[node.place] ?? 0) - (evidence.left?[node.place] ?? 0), 0)
        }
        switch (evidence.told[node.index], counted) {
        // The database's own cascade deletes them, and the counters report their number.
        case (nil, nil): return .init(deleted: .any)
        case (nil, let counted?): return .init(deleted: ExpectedNumber(counted))
        case (let told?, nil):
            return .init(
                deleted: isTakenByKey(node, evidence) ? ExpectedNumber(told...Int.max / 4) : .init(told))
        // Another transaction may have written between counting and deleting; then the statement's number counts.
        case (let told?, let counted?):
            return .init(deleted: isExact(evidence) ? ExpectedNumber(counted) : ExpectedNumber(told, counted))
        }
    }

    /// Whether a key of the database deletes rows of this node when rows of another node go that are changed as well.
    private func isTakenByKey(_ node: RowGraph.Node, _ evidence: ChangeEvidence) -> Bool {
        let changed = graph.nodes.filter { evidence.nodes.contains($0.index) && $0.rule.erasesRows }
        return node.table.foreignKeys.contains { key in
            key.onDelete == .cascade && changed.contains { $0.table.name == key.target }
        }
    }

    private func updates(of node: RowGraph.Node, _ evidence: ChangeEvidence) -> ExpectedChanges {
        guard let told = evidence.told[node.index] else { return ExpectedChanges() }
        guard isExact(evidence), let counted = evidence.found?[node.place] else { return .init(updated: .init(told)) }
        return .init(updated: ExpectedNumber(counted))
    }

    /// A row may lose several links, each by a statement of its own.
    private func unlinked(_ node: RowGraph.Node, _ evidence: ChangeEvidence) -> Int? {
        guard let told = evidence.unlinked[node.index] else { return nil }
        guard isExact(evidence), let counted = evidence.found?[node.linkPlace] else { return told }
        return max(told, counted)
    }
}
