// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Takes over erasures whose worker died, and completes them.
struct ErasureResumption: Sendable {
    let context: ErasureContext
    /// The work at a take-over, before the erasure continues.
    var opening: @Sendable (OpenedErasure) async throws -> Void = { _ in }

    /// The owners whose erasures are taken over.
    enum Former: Sendable {
        /// Owners whose lease has run out or was handed back, or whose process is known to be dead.
        case theDead
        /// All owners: the operator states that no other process works on the erasures. The lease number keeps a worker
        /// that is alive after all from changing anything.
        case anyone
    }

    /// The number of crashed attempts after which the erasure is parked, because it may kill the worker.
    private static let crashes = 10
    /// How long after their change rows that stay are found by their former keys: an hour.
    static let secondsKnown = 3_600.0

    /// The reason to park an erasure whose worker died too often; `nil` for any other.
    static func crashed(_ record: ErasureRecord) -> FarewellError? {
        guard record.attempts > crashes else { return nil }
        return FarewellError(
            "run.crashes", .ours,
            "The erasure was attempted \(record.attempts - 1) times, and its worker died each time.",
            remedy: "Read the worker's log, then release the erasure.")
    }

    func takeUp(_ records: [ErasureRecord], from former: Former) async -> [ErasureOutcome] {
        var outcomes: [ErasureOutcome] = []
        for record in records {
            do {
                guard let taken = try await take(record, from: former) else {
                    if try await isLeft(record, from: former) {
                        outcomes.append(.unfinished(record.id, subject: "", PlanStanding.laterPlan))
                    }
                    continue
                }
                outcomes += try await goOn(taken)
            } catch let error as FarewellError {
                outcomes.append(.unfinished(record.id, subject: "", error))
            } catch {
                outcomes.append(.interrupted(record.id, subject: ""))
            }
        }
        return outcomes
    }

    private func take(_ record: ErasureRecord, from former: Former) async throws -> ErasureRecord? {
        let plan = context.prepared.planFingerprint
        return try await context.control.leases.take(
            record, owner: context.owner, under: plan, isForced: isForced(record, former),
            locked: context.hasWorkers ? .skipped : .awaited
        ).run(in: context.database)
    }

    /// Whether an erasure could be taken over if its plan were not later than this one.
    private func isLeft(_ record: ErasureRecord, from former: Former) async throws -> Bool {
        let plan = context.prepared.planFingerprint
        guard record.planFingerprint != plan else { return false }
        return try await context.control.leases.isLeft(record, under: plan, isForced: isForced(record, former))
            .run(in: context.database)
    }

    private func isForced(_ record: ErasureRecord, _ former: Former) -> Bool {
        former == .anyone || record.owner.map(context.environment.isDead) ?? true
    }

    private func goOn(_ record: ErasureRecord) async throws -> [ErasureOutcome] {
        var erasure = try SubjectSeal.opened(record, keys: context.keys)
        let context = context.searching(for: erasure.subject)
        do {
            try await opening(erasure)
        } catch {
            await context.handBack(erasure, failed: !(error is CancellationError))
            throw error
        }
        if let trouble = trouble(record) { return [await ErasureParking(context: context).park(erasure, trouble)] }
        let steps = try await context.control.steps.records(of: record.id).run(in: context.database)
        if areLongChanged(steps) { erasure.forgetOwnKeys(under: context.prepared) }
        erasure.record.state = .running
        if record.state == .verifying { return await ErasureRun(context: context).finish(erasure, steps: steps) }
        return await ErasureRun(context: context).run([erasure], done: [record.id: steps])
    }

    /// Whether rows that stay were changed so long ago that later values in them are left alone, as by the second look.
    /// Not if a sweep came last: the values that it left are still the subject's, and may be the reason why a released
    /// run was parked.
    private func areLongChanged(_ steps: [StepRecord]) -> Bool {
        guard steps.last?.name.hasPrefix(ErasureRun.sweep) != true else { return false }
        let now = context.environment.now()
        return context.parts.allSatisfy { part in
            guard let end = steps.first(where: { $0.name == part.step })?.finishedAt else { return false }
            return now.timeIntervalSince(end) > Self.secondsKnown
        }
    }

    /// The reason why a run cannot simply continue: too many crashes, or another plan or schema.
    private func trouble(_ record: ErasureRecord) -> FarewellError? {
        if let crashed = Self.crashed(record) { return crashed }
        if let unfit = context.unfit { return unfit.error }
        if !context.prepared.isOf(schemaFingerprint: record.schemaFingerprint) { return GuardFailure.schemaChanged }
        if record.planFingerprint != context.prepared.planFingerprint {
            return GuardFailure.planChanged
        }
        return nil
    }
}

extension ErasureEngine {
    /// Completes every abandoned erasure.
    ///
    /// - Parameter takingOver: Also those with a valid lease; use it only if their worker is known to be dead.
    /// - Throws: `erasure.clock` as `erase` does; errors of the database.
    public func resume(
        takingOver: Bool = false, options: ErasureOptions = ErasureOptions(),
        observe: @escaping ErasureObserver = { _ in }
    ) async throws -> [ErasureOutcome] {
        try await requireClock()
        let records = try await control.requests.live().run(in: database)
        let open = records.filter { $0.state != .needsAttention && $0.state != .requested && $0.state != .grace }
        let resumption = ErasureResumption(context: context(options, observe))
        return await resumption.takeUp(open, from: takingOver ? .anyone : .theDead)
    }

    /// Releases a parked erasure, under the present plan and schema; pauses after further failures begin with the
    /// shortest one.
    ///
    /// - Throws: `run.not-parked` if it is not parked; `run.schema-changed` if this engine's plan was compared with
    ///   another schema than the present one; `subject.key-given-again` if another person has the key by now;
    ///   `erasure.clock` as `erase` does. It then stays parked.
    public func release(
        _ id: UUID, options: ErasureOptions = ErasureOptions(), observe: @escaping ErasureObserver = { _ in }
    ) async throws -> [ErasureOutcome] {
        try await requireClock()
        let context = context(options, observe)
        let released = try await database.transaction { connection in
            let released = try await unpark(id, on: connection)
            if released != nil { try await connection.run(control.leases.forgetFailures(of: id)) }
            return released
        }
        guard let released else {
            throw try await control.requests.find(id).run(in: database).isEmpty ? Self.unknown : Self.notParked
        }
        return await ErasureResumption(context: context).takeUp([released], from: .theDead)
    }

    private static let unknown = FarewellError(
        "run.unknown", .yoursToFix, "There is no erasure with this identifier.",
        remedy: "Look for it with farewell status.")
    static let notParked = FarewellError(
        "run.not-parked", .yoursToFix, "This erasure is not parked.", remedy: "farewell status shows its state.")

    /// Brings a parked erasure back to work, within a transaction; nil if it is not parked.
    ///
    /// - Throws: `run.schema-changed`; `subject.key-given-again`.
    func unpark(_ id: UUID, on connection: any SQLConnection) async throws -> ErasureRecord? {
        guard var record = try await control.requests.release(id).run(on: connection) else {
            return nil
        }
        if let unfit { throw unfit.error }
        guard try await prepared.isCurrent(on: connection) else { throw GuardFailure.schemaChanged }
        let erasure = try SubjectSeal.opened(record, keys: keys)
        let key = erasure.subject.key.value
        let steps = try await control.steps.records(of: id).run(on: connection)
        try await KeyHolder(prepared: prepared).require(erasure.subject, after: steps, on: connection)
        if let found = try await SubjectResolver(prepared: prepared).resolve([key], on: connection)[key] {
            record.sealed = try SubjectSeal.sealed(erasure.subject.renewed(by: found), under: erasure.seal)
        }
        if record.planFingerprint != prepared.planFingerprint
            || record.schemaFingerprint != prepared.schemaFingerprint
        {
            _ = try await connection.pipeline(try await rewound(id, on: connection))
        }
        record.planFingerprint = prepared.planFingerprint
        record.schemaFingerprint = prepared.schemaFingerprint
        try await connection.run(control.requests.adopt(record))
        return record
    }

    /// Under another plan a stored cursor is meaningless: the rest of a long step is read from its beginning. No later
    /// request to a system has the key of an earlier one.
    private func rewound(_ id: UUID, on connection: any SQLConnection) async throws -> [SQLStatement] {
        try await control.steps.records(of: id).run(on: connection).compactMap { step in
            step.progress.map {
                var progress = StepProgress(effect: 0, counts: $0.counts)
                (progress.round, progress.look, progress.place) = ($0.round, $0.look, $0.place)
                progress.isUnreported = $0.isUnreported
                (progress.pausedUntil, progress.isUncounted) = ($0.pausedUntil, $0.isUncounted)
                return control.steps.store(progress, step: step.name, of: id)
            }
        }
    }
}

extension SealedSubject {
    /// The subject after another resolution: known identifiers, keys and files are kept, because the rows that held
    /// them may be deleted.
    func renewed(by found: SealedSubject) -> SealedSubject {
        var renewed = found
        renewed.identifiers = (identifiers + found.identifiers).exactlyDistinct
        renewed.others = ((others ?? []) + (found.others ?? [])).exactlyDistinct
        renewed.incarnation = incarnation
        renewed.tokenLife = tokenLife
        renewed.deepRows = deepRows
        // The erasure itself may have deleted the rows since.
        renewed.unnamed = unnamed
        renewed.counts.merge(counts) { new, old in max(new, old) }
        renewed.captured.merge(captured) { new, old in Array(Set(new + old)) }
        renewed.capturedKeys = (found.capturedKeys ?? [:]).merging(capturedKeys ?? [:]) { new, old in
            Array(Set(new + old))
        }
        renewed.isCaptureBounded = isCaptureBounded || found.isCaptureBounded
        renewed.retained = (found.retained ?? [:]).merging(retained ?? [:]) { new, old in Array(Set(new + old)) }
        for (folder, paths) in files {
            renewed.files[folder] = (paths + (found.files[folder] ?? [])).exactlyDistinct
        }
        return renewed
    }
}
