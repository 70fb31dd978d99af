// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellPlan
import FarewellSQL
import Foundation

/// A step that erases rows of some subjects and records it, in one transaction.
///
/// On PostgreSQL it takes two round trips: the lease's guard, the schema's guard, the counts and the deletes; then the
/// record and the commit, unless other rows were changed than predicted.
struct RowErasure: Sendable {
    let transaction: StepTransaction

    private var prepared: PreparedPlan { transaction.prepared }
    private var control: ControlStore { transaction.control }
    private var dialect: SQLDialect { prepared.schema.dialect }

    /// One part of the rows, as a step.
    struct Part: Sendable {
        let step: String
        let scope: RowProgram.Scope
        /// The state the erasures have afterwards.
        let next: ErasureState
    }

    /// How a part is applied to small accounts.
    struct Manner: Sendable {
        /// How many rows of one subject are too many for this way; found out before anything is deleted.
        var limit: Int
        /// Whether the transaction leaves waiting for the disk to a later one.
        var leavesWaiting: Bool
    }

    /// Applies a part for all erasures and returns each one's counts by place.
    ///
    /// - Parameter now: The clock, which is read again when the changes have been made: they may take long.
    /// - Throws: `run.lease-lost` if another worker has taken one of them over; `run.schema-changed`;
    ///   `run.large-account` if a subject has more rows than fit into one transaction; or the database's error. In
    ///   every case nothing was changed.
    func apply(
        _ part: Part, to erasures: [OpenedErasure], _ manner: Manner, on connection: any SQLConnection,
        now: @escaping @Sendable () -> Date
    ) async throws -> [UUID: [String: Int]] {
        let mayStay =
            part.scope == .leftovers || prepared.programForOne.mayBeResisted || prepared.countsByStatements
        if !mayStay {
            do {
                return try await dialect.countsCascades
                    ? together(part, erasures, manner, on: connection, now: now)
                    : oneByOne(.withCascades, part, erasures, manner, on: connection, now: now)
            } catch is RowsLeft {
                // All of it was rolled back.
            }
        }
        return try await oneByOne(.inPieces, part, erasures, manner, on: connection, now: now)
    }

    /// Something is left of a subject, or the subject's own row does not exist: the transaction was rolled back.
    private struct RowsLeft: Error {}

    /// Reads back before the transaction ends, where a list may name a subject in another form than the plan says:
    /// then the subject's own row must stay.
    private func readingBack(_ part: Part, _ erasures: [OpenedErasure]) -> [SQLStatement] {
        guard prepared.programForOne.mayBeMentioned, part.scope != .rows else { return [] }
        return ReadBack(prepared: prepared).statements(about: erasures)
    }

    /// - Throws: `RowsLeft`, after the transaction is rolled back.
    private func requireNothingLeft(
        _ answers: some Sequence<SQLResult>, on connection: any SQLConnection
    ) async throws {
        guard !ReadBack.leftovers(answers).isEmpty else { return }
        try await connection.run(control.rollback)
        throw RowsLeft()
    }

    /// Whether a part changes the subject's own row and that row does not exist: then no key of the database does
    /// anything, and everything is left to statements.
    ///
    /// - Parameter found: The subject's rows by place.
    private func isOrphaned(_ part: Part, _ found: [String: Int]) -> Bool {
        let root = prepared.program.graph.nodes[prepared.program.graph.root]
        guard part.scope == .everything || part.scope == .identity, !root.staysAsItIs else { return false }
        return found[root.place, default: 0] == 0
    }

    /// PostgreSQL: in two round trips; the changes are compared with the prediction before the second. If the deletes
    /// themselves should report their numbers and turn out not to, they are rolled back and the rows are counted
    /// beforehand.
    ///
    /// - Throws: `RowsLeft` if a list still names a subject, or a subject's own row does not exist.
    private func together(
        _ part: Part, _ erasures: [OpenedErasure], _ manner: Manner, on connection: any SQLConnection,
        now: @escaping @Sendable () -> Date
    ) async throws -> [UUID: [String: Int]] {
        try await transaction.guarded(erasures, on: connection) { () -> [UUID: [String: Int]] in
            for way in CountedPart.manners(part, of: erasures.count, in: prepared) {
                let counted = CountedPart(
                    part, of: erasures, way, limit: manner.limit, in: prepared, control, now: now())
                let isCounting = way == .beforehand && (part.scope != .identity || prepared.hasLinkedRoot)
                var guarded = transaction.changes(
                    erasures, next: part.next, leavesWaiting: manner.leavesWaiting, isCounting: isCounting)
                guarded[.changes] = counted.statements
                if way == .byDeletes { guarded[.schemaAgain] = [prepared.schemaGuard] }
                guarded[.readingBack] = readingBack(part, erasures)
                let sent = guarded.next(through: .readingBack)
                let results = try await connection.pipeline(sent.statements)
                try await requireNothingLeft(sent.answers(of: .readingBack, in: results), on: connection)
                let answers = sent.answers(of: .changes, in: results)
                guard let counts = try counted.counts(of: erasures, answers) else {
                    try await connection.run(control.rollback)
                    continue
                }
                guard !erasures.contains(where: { isOrphaned(part, counts[$0.id] ?? [:]) }) else {
                    try await connection.run(control.rollback)
                    throw RowsLeft()
                }
                try guarded.require(counted.evidence(answers, counts), sent, results)
                guard counts.values.allSatisfy({ $0.values.reduce(0, +) < manner.limit }) else {
                    throw GuardFailure.largeAccount
                }
                return try await ended(
                    part, erasures, counts, isRecorded: counted.isRecorded, on: connection, now: now())
            }
            throw RowsLeft()
        }
    }

    /// Records a part with its counts, and ends the transaction.
    ///
    /// - Parameter isRecorded: Whether the part was recorded before its changes were made: then its end is set.
    private func ended(
        _ part: Part, _ erasures: [OpenedErasure], _ counts: [UUID: [String: Int]], isRecorded: Bool,
        on connection: any SQLConnection, now: Date
    ) async throws -> [UUID: [String: Int]] {
        let recording =
            isRecorded
            ? [control.steps.end(step: part.step, of: erasures.map(\.id), at: now)]
            : erasures.map {
                control.steps.finish(step: part.step, of: $0.id, counts: counts[$0.id] ?? [:], at: now)
            }
        _ = try await connection.pipeline(recording + transaction.closing(erasures))
        return counts
    }

    // MARK: One subject after the other

    /// How the rows of one subject are changed.
    private enum Way {
        /// SQLite: by its cascades.
        case withCascades
        /// Effect by effect, if something may keep rows or has kept them: it counts the deleted rows, not the found
        /// ones, and the subject's own row stays as long as anything else is left.
        case inPieces
    }

    /// The changed rows of one subject by place, and the evidence about the changes.
    private typealias Changed = (counts: [String: Int], evidence: ChangeEvidence)

    /// One subject after the other, in the transaction of all.
    ///
    /// - Throws: `RowsLeft` if a list still names a subject.
    private func oneByOne(
        _ way: Way, _ part: Part, _ erasures: [OpenedErasure], _ manner: Manner, on connection: any SQLConnection,
        now: @escaping @Sendable () -> Date
    ) async throws -> [UUID: [String: Int]] {
        try await transaction.guarded(erasures, on: connection) { () -> [UUID: [String: Int]] in
            var guarded = transaction.changes(
                erasures, next: part.next, leavesWaiting: manner.leavesWaiting, isCounting: way == .inPieces)
            let first = guarded.next(through: .countersBefore)
            let begun = try await connection.pipeline(first.statements)
            var counts: [UUID: [String: Int]] = [:]
            var evidence = ChangeEvidence()
            for erasure in erasures {
                let counting = prepared.programForOne.counts.bound(prepared.values([erasure]), dialect: dialect)
                let found = RowCounts.byPlace(try await connection.run(counting))
                guard found.values.reduce(0, +) < manner.limit else { throw GuardFailure.largeAccount }
                let changed =
                    switch way {
                    case .withCascades: try await changeWithCascades(part, erasure, found, on: connection)
                    case .inPieces: try await changeInPieces(part, erasure, found, on: connection)
                    }
                counts[erasure.id] = changed.counts
                evidence.add(changed.evidence)
            }
            let second = guarded.next(through: .readingBack)
            let checked = try await connection.pipeline(second.statements)
            try guarded.watch.require(
                evidence, from: first.answers(of: .countersBefore, in: begun).last,
                to: second.answers(of: .countersAfter, in: checked).last)
            return try await ended(part, erasures, counts, isRecorded: false, on: connection, now: now())
        }
    }

    private func changeWithCascades(
        _ part: Part, _ erasure: OpenedErasure, _ found: [String: Int], on connection: any SQLConnection
    ) async throws -> Changed {
        let program = prepared.programForOne
        let places = program.places(of: part.scope)
        let counted = found.filter { places?.contains($0.key) ?? true }
        // Without the subject's own row no cascade begins. SQLite enforces keys only where a program asks it to.
        let isOrphaned = isOrphaned(part, found)
        let effects = isOrphaned ? program.pieces(of: part.scope) : program.effects(of: part.scope)
        let standIns = isOrphaned ? try await prepared.standIns(for: erasure, on: connection) : nil
        let watched = GuardedEffects(effects, prepared.values([erasure]), in: prepared, standIns: standIns)
        var sent = StatementParts()
        let (changed, left) = (sent.add(watched.statements), sent.add(readingBack(part, [erasure])))
        let results = try await connection.pipeline(sent.statements)
        try await requireNothingLeft(left.answers(in: results), on: connection)
        return (counted, watched.evidence(in: changed.answers(in: results), found: counted))
    }

    private func changeInPieces(
        _ part: Part, _ erasure: OpenedErasure, _ found: [String: Int], on connection: any SQLConnection
    ) async throws -> Changed {
        var pieces = prepared.programForOne.pieces(of: part.scope)
        var standIns: [RowProgram.Effect]?
        // A sweep also knows rows by keys that no link leads from any longer.
        let isOrphaned = isOrphaned(part, found)
        if part.scope != .leftovers, prepared.firesWithoutRows || isOrphaned {
            pieces.removeAll { prepared.isIdle($0, found: found) }
            if isOrphaned { standIns = try await prepared.standIns(for: erasure, on: connection) }
        }
        let rows = CountedRowChanges(of: erasure, in: prepared, by: pieces, standIns: standIns)
        var sent = StatementParts()
        let (changed, counted) = (sent.add(rows.changes), sent.add([rows.counting]))
        let readBack = sent.add(rows.readingBack)
        let results = try await connection.pipeline(sent.statements)
        let left = counted.answers(in: results).first.map(RowCounts.byPlace) ?? [:]
        let counts = rows.counts(changed.answers(in: results), found: found, left: left)
        var evidence = rows.evidence(
            changed.answers(in: results), found: found, left: left, readBack: readBack.answers(in: results))
        // A sweep changes of rows that stay only those that do not hold what the rules say.
        evidence.isOfAll = part.scope != .leftovers && prepared.countsByStatements
        return (counts, evidence)
    }
}
