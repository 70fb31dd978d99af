// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL

/// Carries out the erasure of one subject, effect by effect, in the open transaction of a rehearsal.
struct RehearsalRun {
    let prepared: PreparedPlan
    let control: ControlStore
    let erasure: OpenedErasure
    let limits: RehearsalLimits
    private let transaction: RehearsalTransaction
    private let trial: RehearsalTrial
    private let connection: any SQLConnection
    private var evidence = ChangeEvidence()
    /// How many rows the database's keys may update.
    private var keyCounts: SQLResult?
    private var refusals: [RehearsalRefusal] = []
    /// Tables whose rows are still there because the database refused to delete them.
    private var stuck: Set<TableName> = []
    private var causes = ChangeCauses()
    private let keysBefore: OpenKeys?

    private var graph: RowGraph { prepared.programForOne.graph }
    private var keyEffects: KeyEffects { prepared.keyEffects(for: 1) }
    private var dialect: SQLDialect { prepared.schema.dialect }

    init(
        in transaction: RehearsalTransaction, about erasure: OpenedErasure, on connection: any SQLConnection
    ) async throws {
        self.transaction = transaction
        prepared = transaction.prepared
        control = transaction.control
        limits = transaction.limits
        self.erasure = erasure
        self.connection = connection
        trial = try await RehearsalTrial(ChangeGuard(prepared), prepared.counters, on: connection)
        keysBefore = prepared.schema.dialect.takesSeveralWriters ? nil : try await OpenKeys.mark(on: connection)
    }

    /// The effects as a real run would carry them out.
    private var effects: [RowProgram.Effect] {
        let program = prepared.programForOne
        let isPiecewise =
            program.mayBeResisted || prepared.countsByStatements || erasure.size >= limits.largeAccount
            || !absent.isEmpty
        return isPiecewise ? program.stepwise : program.everything
    }

    /// The subject's own node if its row does not exist.
    private var absent: Set<Int> {
        erasure.subject.counts[graph.nodes[graph.root].place, default: 0] > 0 ? [] : [graph.root]
    }

    mutating func rehearse(_ subject: String) async throws -> Rehearsal {
        let effects = effects
        let values = prepared.values([erasure])
        evidence.found = erasure.subject.counts
        evidence.mayBeResisted = prepared.programForOne.mayBeResisted
        evidence.isOfAll = prepared.countsByStatements
        var isCounted = false
        for effect in effects where !trial.isOver && !prepared.isIdle(effect, found: erasure.subject.counts) {
            if !isCounted, !effect.nodes.isEmpty {
                isCounted = true
                try await countKeyUpdates(values)
            }
            try await carryOut(effect, values)
        }
        if !absent.isEmpty, !trial.isOver, keyEffects.hasStandIns {
            if !isCounted { try await countKeyUpdates(values) }
            let standIns = keyCounts.map(keyEffects.standIns) ?? []
            for effect in standIns where !trial.isOver { try await carryOut(effect, values) }
        }
        var rehearsal = Rehearsal(subject: subject, isKnown: true)
        if !trial.isOver {
            try await checkKeys(rest: effects)
            if refusals.isEmpty {
                rehearsal.left = try await ReadBack(prepared: prepared).leftovers(of: [erasure], on: connection)
                leave(rehearsal.left, after: effects)
            }
        }
        let watch = ChangeGuard(prepared)
        var found = prepared.isWatching ? watch.differences(of: trial.changes, evidence) : []
        for difference in try await sweep(&rehearsal, after: effects)
        where !found.contains(where: { $0.table == difference.table && $0.kind == difference.kind }) {
            found.append(difference)
        }
        rehearsal.refusals = refusals
        let changes = trial.changes.merging(watch.changesElsewhere(evidence)) { $1 }
        rehearsal.changes = changes.sorted { $0.key < $1.key }.map { .init(table: $0.key, rows: $0.value) }
        guard prepared.isWatching else { return rehearsal }
        // After a refusal less is changed than without it; additional changes count all the same.
        rehearsal.differences = refusals.isEmpty ? found : found.filter { $0.excess > 0 }
        // Changes of rows that should be gone are no effect to declare: the erasure would not end with them.
        let explained = rehearsal.differences.filter { rehearsal.left[$0.table.description] == nil }
        rehearsal.effects = causes.effects(explaining: explained, in: prepared)
        rehearsal.triggers = ChangeCauses.triggers(behind: rehearsal.effects, in: prepared)
        rehearsal.keepers = keepers(of: rehearsal.left)
        return rehearsal
    }

    /// Erases again what reading back finds, as a run does: copies that a trigger made of deleted rows, and the rows
    /// that waited for these. The remaining rows stay in the rehearsal's `left`.
    ///
    /// - Returns: The changes that the plan does not predict; each sweep is a transaction of its own in a run.
    private mutating func sweep(
        _ rehearsal: inout Rehearsal, after effects: [RowProgram.Effect]
    ) async throws -> [ChangeDifference] {
        let watch = ChangeGuard(prepared)
        let pieces = prepared.programForOne.pieces(of: .leftovers)
        let rows = CountedRowChanges(of: erasure, in: prepared, by: pieces)
        let changed = Set(pieces.flatMap { $0.nodes + [$0.unlinked].compactMap(\.self) })
        let tables = changed.map { graph.nodes[$0].table.name }
        var differences: [ChangeDifference] = []
        for _ in 0..<ErasureVerification.sweeps where !rehearsal.left.isEmpty && refusals.isEmpty && !trial.isOver {
            let found = RowCounts.byPlace(try await connection.run(rows.counting))
            try await transaction.deferAgain(on: connection)
            switch try await trial.attempt(rows.changes) {
            case .refused(let error):
                refuse(error, nil)
            case .done(let results, let changes):
                causes.note(changes, of: tables)
                let left = RowCounts.byPlace(try await connection.run(rows.counting))
                let readBack = try await connection.pipeline(rows.readingBack)
                if prepared.isWatching {
                    let swept = rows.evidence(results, found: found, left: left, readBack: readBack)
                    differences += watch.differences(of: changes, swept)
                }
                try await checkKeys(rest: effects)
                rehearsal.left = try await ReadBack(prepared: prepared).leftovers(of: [erasure], on: connection)
            }
        }
        return differences
    }

    /// The triggers that prevent the deletion or change of rows in places where rows are left.
    private func keepers(of left: [String: Int]) -> [String] {
        graph.nodes.filter { left[$0.place] != nil }.flatMap { node in
            SuppressingTrigger.all(of: node.table, preventing: node.rule.erasesRows ? "delete" : "update", dialect).map
            {
                "\(Shown.name($0.name)) of \(Shown.name(node.table.name.description))"
            }
        }
    }

    // MARK: Effects

    private mutating func countKeyUpdates(_ values: RowValues) async throws {
        guard let counts = keyEffects.counts else { return }
        let counted = try await connection.run(counts.bound(values, dialect: dialect))
        keyCounts = counted
        evidence.keyUpdates = keyEffects.updates(
            counted, among: prepared.nodes(changedBy: effects).union(absent), absent: absent)
    }

    /// Notes which rows are left: a trigger keeps them, or the subject's own row waits for them. The database's keys do
    /// nothing because of these rows.
    private mutating func leave(_ left: [String: Int], after effects: [RowProgram.Effect]) {
        let own = graph.nodes[graph.root].place
        let isOwnKept = evidence.told[graph.root, default: 0] == 0
        evidence.left = evidence.mayBeResisted ? left : left.filter { isOwnKept && $0.key == own }
        guard let keyCounts else { return }
        let kept = UnerasedRows(evidence, of: graph)
        evidence.keyUpdates = keyEffects.updates(
            keyCounts, among: prepared.nodes(changedBy: effects).subtracting(kept.whole).union(absent),
            keeping: kept.partly, absent: absent)
    }

    private mutating func carryOut(_ effect: RowProgram.Effect, _ values: RowValues) async throws {
        let statements = effect.statements.map { $0.bound(values, dialect: dialect) }
        guard !statements.isEmpty else { return }
        switch try await trial.attempt(statements) {
        case .done(let results, let changes):
            note(effect, results, changes)
        case .refused(let error):
            stuck.formUnion((effect.nodes + [effect.unlinked].compactMap(\.self)).map { graph.nodes[$0].table.name })
            guard !trial.isOver else { return refuse(error, effect) }
            let byKeys = try await refusedByKeys(of: effect, values)
            let isMetInCascade = try await isRefusedInCascade(of: effect, values)
            // The errors of its keys and its cascade, reported one by one, include the first error.
            if !byKeys.contains(ErrorPlace(error.message)), !isMetInCascade { refuse(error, effect) }
        }
    }

    /// Deletes table by table the rows that the database's cascade would delete, so that each refusal names its table.
    private mutating func isRefusedInCascade(of effect: RowProgram.Effect, _ values: RowValues) async throws -> Bool {
        let cascaded = prepared.nodes(changedBy: [effect]).subtracting(effect.nodes)
        var isRefused = false
        for part in prepared.programForOne.stepwise where !part.nodes.isEmpty && !trial.isOver {
            guard cascaded.isSuperset(of: part.nodes) else { continue }
            let statements = part.statements.map { $0.bound(values, dialect: dialect) }
            guard case .refused(let error) = try await trial.attempt(statements, isKept: false) else { continue }
            isRefused = true
            refuse(error, part)
            stuck.formUnion(part.nodes.map { graph.nodes[$0].table.name })
        }
        return isRefused
    }

    private mutating func note(
        _ effect: RowProgram.Effect, _ results: [SQLResult], _ changes: [TableName: RowChanges]
    ) {
        evidence.nodes.formUnion(prepared.nodes(changedBy: [effect]))
        if let node = effect.unlinked {
            evidence.unlinked[node, default: 0] += results.reduce(0) { $0 + $1.affected }
        }
        for (node, rows) in zip(effect.nodes, effect.told(by: results)) { evidence.told[node, default: 0] += rows }
        let own = effect.nodes + [effect.unlinked].compactMap(\.self)
        causes.note(changes, of: own.map { graph.nodes[$0].table.name })
    }

    private mutating func refuse(_ error: FarewellError, _ effect: RowProgram.Effect?) {
        let nodes = (effect?.nodes ?? []) + [effect?.unlinked].compactMap(\.self)
        let tables = nodes.map { graph.nodes[$0].table.name }
        let refusal = RehearsalRefusal(
            error, changing: tables.first, triggers: triggers(behind: effect), prepared.schema)
        // A key that refers to deleted rows adds nothing if its own rows should have been deleted and were refused.
        let isConsequence =
            ["sql.23503", "sql.23001"].contains(error.code.rawValue)
            && (refusal.table.map { stuck.contains($0) && !tables.contains($0) } ?? !refusals.isEmpty)
        guard !isConsequence, !refusals.contains(refusal) else { return }
        refusals.append(refusal)
    }

    /// The triggers that may fire while an effect is performed.
    private func triggers(behind effect: RowProgram.Effect?) -> [(table: TableName, name: String)] {
        let nodes =
            effect.map { prepared.nodes(changedBy: [$0]).union([$0.unlinked].compactMap(\.self)) }
            ?? Set(graph.nodes.indices)
        let keyed = keyEffects.effects.filter { nodes.contains($0.target) }.map(\.table)
        let tables = Set(nodes.map { graph.nodes[$0].table.name }).union(keyed)
        return prepared.schema.tables.filter { tables.contains($0.name) }.flatMap { table in
            table.triggers.filter { !Set($0.events).isDisjoint(with: ["update", "delete"]) }
                .map { (table.name, $0.name) }
        }
    }

    /// Simulates one by one the actions of the database's keys on referring rows when these rows are deleted, so that
    /// each refusal is found and not only the first.
    private mutating func refusedByKeys(of effect: RowProgram.Effect, _ values: RowValues) async throws -> [ErrorPlace]
    {
        let nodes = prepared.nodes(changedBy: [effect])
        var places: [ErrorPlace] = []
        for key in keyEffects.effects where nodes.contains(key.target) && !trial.isOver {
            guard let change = key.change?.bound(values, dialect: dialect) else { continue }
            guard case .refused(let error) = try await trial.attempt([change], isKept: false) else { continue }
            places.append(ErrorPlace(error.message))
            let refusal = RehearsalRefusal(error, changing: key.table, triggers: [], prepared.schema)
            if !refusals.contains(refusal) { refusals.append(refusal) }
        }
        return places
    }

    // MARK: The end of the transaction

    /// Has everything checked that the database would check only when the transaction is committed.
    private mutating func checkKeys(rest: [RowProgram.Effect]) async throws {
        guard dialect.takesSeveralWriters else {
            guard let keysBefore else { return }
            let search = BlockerSearch(prepared: prepared)
            for var refusal in try await keysBefore.broken(since: prepared.schema, on: connection)
            where !(refusal.table.map(stuck.contains) ?? false) {
                refusal.remedy = refusal.table.flatMap(search.remedyOfOpenKey) ?? refusal.remedy
                if !refusals.contains(refusal) { refusals.append(refusal) }
            }
            return
        }
        let changed = Set(trial.changes.keys)
        for table in prepared.schema.tables {
            for key in table.foreignKeys where key.isDeferrable {
                guard changed.contains(table.name) || changed.contains(key.target) else { continue }
                let name = [table.name.schema, key.name].compactMap(\.self).map(dialect.quoted).joined(separator: ".")
                let check = SQLStatement("SET CONSTRAINTS \(name) IMMEDIATE")
                if case .refused(let error) = try await trial.attempt([check]) { refuse(error, nil) }
            }
        }
        switch try await trial.attempt([control.checkKeys]) {
        case .done(_, let changes): causes.note(changes, of: rest.flatMap(\.nodes).map { graph.nodes[$0].table.name })
        case .refused(let error)
        where !refusals.contains(where: { $0.code == error.code && $0.message == error.message }):
            refuse(error, nil)
        case .refused: break
        }
    }
}
