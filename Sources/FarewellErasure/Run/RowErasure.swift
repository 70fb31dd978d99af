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
    /// - Throws: `run.lease-lost` if another worker has taken one of them over; `run.schema-changed`;
    ///   `run.large-account` if a subject has more rows than fit into one transaction; or the database's error. In
    ///   every case nothing was changed.
    func apply(
        _ part: Part, to erasures: [OpenedErasure], _ manner: Manner, on connection: any SQLConnection, now: Date
    ) async throws -> [UUID: [String: Int]] {
        let mayStay =
            part.scope == .leftovers || prepared.programForOne.mayBeResisted || prepared.countsByStatements
        guard !mayStay else { return try await countingAfterwards(part, erasures, manner, on: connection, now: now) }
        let counts =
            dialect.countsCascades
            ? try await counted(part, erasures, manner, on: connection, now: now)
            : try await oneByOne(part, erasures, manner, on: connection, now: now)
        if let counts { return counts }
        // Something is left of a subject, so the own row must stay.
        return try await countingAfterwards(part, erasures, manner, on: connection, now: now)
    }

    /// One after the other, if something may keep rows or has kept them: it counts the deleted rows, not the found
    /// ones, and the subject's own row stays as long as anything else is left.
    private func countingAfterwards(
        _ part: Part, _ erasures: [OpenedErasure], _ manner: Manner, on connection: any SQLConnection, now: Date
    ) async throws -> [UUID: [String: Int]] {
        try await transaction.guarded(erasures, on: connection) {
            let watch = ChangeGuard(prepared)
            let before = try await connection.pipeline(
                transaction.opening(erasures, next: part.next, leavesWaiting: manner.leavesWaiting, isCounting: true)
                    + watch.beginning
            ).last
            var counts: [UUID: [String: Int]] = [:]
            var evidence = ChangeEvidence()
            for erasure in erasures {
                let pieces = prepared.programForOne.pieces(of: part.scope)
                var rows = CountedRowChanges(of: erasure, in: prepared, by: pieces)
                let found = RowCounts.byPlace(try await connection.run(rows.counting))
                guard found.values.reduce(0, +) < manner.limit else { throw GuardFailure.largeAccount }
                // A sweep also knows rows by keys that no link leads from any longer.
                let isOrphaned = isOrphaned(part, found)
                if part.scope != .leftovers, prepared.firesWithoutRows || isOrphaned {
                    let standIns = isOrphaned ? try await prepared.standIns(for: erasure, on: connection) : nil
                    rows = CountedRowChanges(
                        of: erasure, in: prepared, by: pieces.filter { !prepared.isIdle($0, found: found) },
                        standIns: standIns)
                }
                var sent = StatementParts()
                let (changed, counted) = (sent.add(rows.changes), sent.add([rows.counting]))
                let readBack = sent.add(rows.readingBack)
                let results = try await connection.pipeline(sent.statements)
                let left = counted.answers(in: results).first.map(RowCounts.byPlace) ?? [:]
                counts[erasure.id] = rows.counts(changed.answers(in: results), found: found, left: left)
                var own = rows.evidence(
                    changed.answers(in: results), found: found, left: left, readBack: readBack.answers(in: results))
                // A sweep changes of rows that stay only those that do not hold what the rules say.
                own.isOfAll = part.scope != .leftovers && prepared.countsByStatements
                evidence.add(own)
            }
            _ = try await connection.pipeline(transaction.checkedKeys)
            try await watch.require(evidence, from: before, on: connection)
            return try await recorded(part, erasures, counts, on: connection, now: now)
        }
    }

    /// Reads back before the transaction ends, where a list may name a subject in another form than the plan says:
    /// then the subject's own row must stay.
    private func readingBack(_ part: Part, _ erasures: [OpenedErasure]) -> [SQLStatement] {
        guard prepared.programForOne.mayBeMentioned, part.scope != .rows else { return [] }
        return ReadBack(prepared: prepared).statements(about: erasures)
    }

    private func isNothingLeft(_ answers: some Sequence<SQLResult>, on connection: any SQLConnection) async throws
        -> Bool
    {
        guard !ReadBack.leftovers(answers).isEmpty else { return true }
        try await connection.run(control.rollback)
        return false
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
    /// - Returns: `nil` if all of it was rolled back, because a list still names a subject, or a subject's own row
    ///   does not exist.
    private func counted(
        _ part: Part, _ erasures: [OpenedErasure], _ manner: Manner, on connection: any SQLConnection, now: Date
    ) async throws -> [UUID: [String: Int]]? {
        try await transaction.guarded(erasures, on: connection) { () -> [UUID: [String: Int]]? in
            let watch = ChangeGuard(prepared)
            for way in CountedPart.manners(part, of: erasures.count, in: prepared) {
                let counted = CountedPart(
                    part, of: erasures, way, limit: manner.limit, in: prepared, control, now: now)
                let isCounting = way == .beforehand && (part.scope != .identity || prepared.hasLinkedRoot)
                var sent = StatementParts()
                _ = sent.add(
                    transaction.opening(
                        erasures, next: part.next, leavesWaiting: manner.leavesWaiting, isCounting: isCounting))
                let before = sent.add(watch.beginning)
                let changed = sent.add(counted.statements)
                // No lock of a table keeps a trigger's function from being replaced while the deletes wait.
                _ = sent.add((way == .byDeletes ? [prepared.schemaGuard] : []) + transaction.checkedKeys)
                let after = sent.add(watch.reading)
                let left = sent.add(readingBack(part, erasures))
                let results = try await connection.pipeline(sent.statements)
                guard try await isNothingLeft(left.answers(in: results), on: connection) else { return nil }
                let answers = changed.answers(in: results)
                guard let counts = try counted.counts(of: erasures, answers) else {
                    try await connection.run(control.rollback)
                    continue
                }
                guard !erasures.contains(where: { isOrphaned(part, counts[$0.id] ?? [:]) }) else {
                    try await connection.run(control.rollback)
                    return nil
                }
                try watch.require(
                    counted.evidence(answers, counts), from: before.answers(in: results).last,
                    to: after.answers(in: results).last)
                guard counts.values.allSatisfy({ $0.values.reduce(0, +) < manner.limit }) else {
                    throw GuardFailure.largeAccount
                }
                guard counted.isRecorded else {
                    return try await recorded(part, erasures, counts, on: connection, now: now)
                }
                try await connection.run(control.commit)
                return counts
            }
            return nil
        }
    }

    /// Records a part with its counts, and ends the transaction.
    private func recorded(
        _ part: Part, _ erasures: [OpenedErasure], _ counts: [UUID: [String: Int]], on connection: any SQLConnection,
        now: Date
    ) async throws -> [UUID: [String: Int]] {
        let finishing = erasures.map {
            control.steps.finish(step: part.step, of: $0.id, counts: counts[$0.id] ?? [:], at: now)
        }
        _ = try await connection.pipeline(finishing + [control.commit])
        return counts
    }

    /// SQLite, whose statements are about one subject each: one after the other in the transaction of all.
    ///
    /// - Returns: `nil` if all of it was rolled back, because a list still names a subject.
    private func oneByOne(
        _ part: Part, _ erasures: [OpenedErasure], _ manner: Manner, on connection: any SQLConnection, now: Date
    ) async throws -> [UUID: [String: Int]]? {
        try await transaction.guarded(erasures, on: connection) { () -> [UUID: [String: Int]]? in
            let watch = ChangeGuard(prepared)
            let before = try await connection.pipeline(
                transaction.opening(erasures, next: part.next, leavesWaiting: manner.leavesWaiting) + watch.beginning
            ).last
            guard let (counts, evidence) = try await one(part, erasures, manner, on: connection, now: now) else {
                return nil
            }
            try await watch.require(evidence, from: before, on: connection)
            try await connection.run(control.commit)
            return counts
        }
    }

    private func one(
        _ part: Part, _ erasures: [OpenedErasure], _ manner: Manner, on connection: any SQLConnection, now: Date
    ) async throws -> ([UUID: [String: Int]], ChangeEvidence)? {
        var counts: [UUID: [String: Int]] = [:]
        var evidence = ChangeEvidence()
        let program = prepared.programForOne
        let places = program.places(of: part.scope)
        for erasure in erasures {
            let values = prepared.values([erasure])
            let found = RowCounts.byPlace(try await connection.run(program.counts.bound(values, dialect: dialect)))
            guard found.values.reduce(0, +) < manner.limit else { throw GuardFailure.largeAccount }
            let counted = found.filter { places?.contains($0.key) ?? true }
            // Without the subject's own row no cascade begins. SQLite enforces keys only where a program asks it to.
            let isOrphaned = isOrphaned(part, found)
            let effects = isOrphaned ? program.pieces(of: part.scope) : program.effects(of: part.scope)
            let standIns = isOrphaned ? try await prepared.standIns(for: erasure, on: connection) : nil
            let watched = GuardedEffects(effects, values, in: prepared, standIns: standIns)
            var sent = StatementParts()
            let (changed, left) = (sent.add(watched.statements), sent.add(readingBack(part, [erasure])))
            _ = sent.add([control.steps.finish(step: part.step, of: erasure.id, counts: counted, at: now)])
            let results = try await connection.pipeline(sent.statements)
            guard try await isNothingLeft(left.answers(in: results), on: connection) else { return nil }
            evidence.add(watched.evidence(in: changed.answers(in: results), found: counted))
            counts[erasure.id] = counted
        }
        return (counts, evidence)
    }
}
