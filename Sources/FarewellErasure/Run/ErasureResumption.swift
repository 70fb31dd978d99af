// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Takes up erasures whose worker died, and brings them to their end.
struct ErasureResumption: Sendable {
    let context: ErasureContext
    /// What has to be done, once one is ours, before it goes on.
    var opening: @Sendable (ErasureMember) async throws -> Void = { _ in }

    /// From whom erasures are taken.
    enum Former: Sendable {
        /// Those whose lease has run out, were handed back, or whose owner is known to be dead.
        case theDead
        /// Anybody: the operator says that nobody else works on them. The lease number keeps a worker that is
        /// alive after all from changing anything.
        case anybody
    }

    /// After so many attempts that ended in a crash the erasure is parked: it may be what kills the worker.
    static let crashes = 10
    /// For so long after they were changed rows that stay are known by the keys they had (an hour).
    static let secondsKnown = 3_600.0

    func takeUp(_ records: [ErasureRecord], from former: Former) async -> [ErasureOutcome] {
        var outcomes: [ErasureOutcome] = []
        for record in records {
            do {
                guard let taken = try await take(record, from: former) else { continue }
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
        let isForced = former == .anybody || record.owner.map(context.environment.isDead) ?? true
        let control = context.control
        return try await control.leases.take(record, owner: context.owner, isForced: isForced).run(in: context.database)
    }

    private func goOn(_ record: ErasureRecord) async throws -> [ErasureOutcome] {
        var member = try SubjectSeal.opened(record, keys: context.keys)
        let context = context.searching(for: member.subject)
        do {
            try await opening(member)
        } catch {
            await context.handBack(member, failed: !(error is CancellationError))
            throw error
        }
        if let trouble = trouble(record) { return [await ErasureParking(context: context).park(member, trouble)] }
        let steps = try await context.control.steps.records(of: record.id).run(in: context.database)
        if areLongChanged(steps) { member.forgetOwnKeys(under: context.prepared) }
        member.record.state = .running
        if record.state == .verifying { return await ErasureRun(context: context).finish(member, steps: steps) }
        return await ErasureRun(context: context).run([member], done: [record.id: steps])
    }

    /// Whether rows that stay were changed so long ago that they are let be, as by the second look. Not where a sweep
    /// came last: what it left is still the person's, and what a released run was parked for.
    private func areLongChanged(_ steps: [StepRecord]) -> Bool {
        guard steps.last?.name.hasPrefix(ErasureRun.sweep) != true else { return false }
        let now = context.environment.now()
        return context.parts.allSatisfy { part in
            guard let end = steps.first(where: { $0.name == part.step })?.finishedAt else { return false }
            return now.timeIntervalSince(end) > Self.secondsKnown
        }
    }

    /// Why a run cannot simply go on: it crashed too often, or the plan or the schema is another one.
    private func trouble(_ record: ErasureRecord) -> FarewellError? {
        if record.attempts > Self.crashes {
            return FarewellError(
                "run.crashes", .ours,
                "The erasure was taken up \(record.attempts - 1) times and its worker died each time.",
                remedy: "Look at the worker's log, then release the erasure.")
        }
        if let unfit = context.unfit { return unfit.error }
        if !context.prepared.isOf(schemaFingerprint: record.schemaFingerprint) { return GuardFailure.schemaChanged }
        if record.planFingerprint != context.prepared.planFingerprint {
            return GuardFailure.planChanged
        }
        return nil
    }
}

extension ErasureEngine {
    /// Brings every abandoned erasure to its end.
    ///
    /// - Parameter takingOver: Also those whose lease still runs; say so only when their worker is known dead.
    /// - Throws: `erasure.clock` as `erase` does; errors of the database.
    public func resume(
        takingOver: Bool = false, options: ErasureOptions = ErasureOptions(),
        observe: @escaping ErasureObserver = { _ in }
    ) async throws -> [ErasureOutcome] {
        try await requireClock()
        let records = try await control.requests.live().run(in: database)
        let open = records.filter { $0.state != .needsAttention && $0.state != .requested && $0.state != .grace }
        let resumption = ErasureResumption(context: context(options, observe))
        return await resumption.takeUp(open, from: takingOver ? .anybody : .theDead)
    }

    /// Lets a parked erasure go on, under the plan and the schema of today.
    ///
    /// - Throws: `run.not-parked` when it is not parked; `run.schema-changed` when this engine's plan was held against
    ///   another schema than today's; `erasure.clock` as `erase` does. It then stays parked.
    public func release(
        _ id: UUID, options: ErasureOptions = ErasureOptions(), observe: @escaping ErasureObserver = { _ in }
    ) async throws -> [ErasureOutcome] {
        try await requireClock()
        let context = context(options, observe)
        let released = try await database.transaction { connection in try await unpark(id, on: connection) }
        guard let released else { throw Self.notParked }
        return await ErasureResumption(context: context).takeUp([released], from: .theDead)
    }

    static let notParked = FarewellError(
        "run.not-parked", .yoursToFix, "This erasure is not parked.", remedy: "Ask for its status.")

    /// Brings a parked erasure back to work, within a transaction; nil where it is not parked.
    ///
    /// - Throws: `run.schema-changed`.
    func unpark(_ id: UUID, on connection: any SQLConnection) async throws -> ErasureRecord? {
        guard var record = try await control.requests.release(id).run(on: connection) else {
            return nil
        }
        if let unfit { throw unfit.error }
        guard try await prepared.isCurrent(on: connection) else { throw GuardFailure.schemaChanged }
        let member = try SubjectSeal.opened(record, keys: keys)
        let key = member.subject.key.value
        if let found = try await SubjectResolver(prepared: prepared).resolve([key], on: connection)[key] {
            record.sealed = try SubjectSeal.sealed(member.subject.renewed(by: found), under: member.seal)
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

    /// Under another plan a stored cursor points nowhere: what is left of a long step is gone through from the first.
    private func rewound(_ id: UUID, on connection: any SQLConnection) async throws -> [SQLStatement] {
        try await control.steps.records(of: id).run(on: connection).compactMap { step in
            step.progress.map {
                control.steps.store(StepProgress(effect: 0, counts: $0.counts), step: step.name, of: id)
            }
        }
    }
}

extension SealedSubject {
    /// What is known after looking again: identifiers, keys and files already found are not forgotten, since the
    /// rows they stood in may be gone.
    func renewed(by found: SealedSubject) -> SealedSubject {
        var renewed = found
        renewed.identifiers = (identifiers + found.identifiers).exactlyDistinct
        renewed.incarnation = incarnation
        renewed.tokenLife = tokenLife
        renewed.deepRows = deepRows
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
