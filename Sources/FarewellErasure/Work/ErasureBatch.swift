// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import Logging

/// Performs claimed erasures: closes the subjects, resolves their present data, runs, sends events.
struct ErasureBatch: Sendable {
    let context: ErasureContext
    let rules: ServiceRules
    let closing: any SubjectClosing
    let signals: WakeSignals
    /// The erasures that requests of this process have handed over: their fences stand, and their callers wait.
    private var handed: [UUID: HandedErasure] = [:]

    init(context: ErasureContext, rules: ServiceRules, closing: any SubjectClosing, signals: WakeSignals) {
        self.context = context
        self.rules = rules
        self.closing = closing
        self.signals = signals
    }

    var control: ControlStore { context.control }
    var database: any SQLDatabase { context.database }

    /// Carries out erasures that were claimed when they were accepted: the small accounts first, so that no caller
    /// waits for the large account of another one.
    func carryOut(handed: [HandedErasure]) async {
        var batch = self
        batch.handed = Dictionary(handed.map { ($0.erasure.id, $0) }, uniquingKeysWith: { $1 })
        let records = handed.map(\.erasure.record)
        // All of them were accepted under one plan.
        let plan = records.first?.planFingerprint ?? context.prepared.planFingerprint
        let own = Set(await permitted(records, under: plan).map(\.id))
        var erasures = handed.map(\.erasure).filter { own.contains($0.id) }
        if erasures.count > 1 { erasures = await batch.carryOutSmall(erasures) }
        let remaining = batch
        await withDiscardingTaskGroup { tasks in
            for erasure in erasures { tasks.addTask { await remaining.carryOut([erasure]) } }
        }
    }

    /// - Returns: Those whom no single transaction could erase; none of their data was changed.
    private func carryOutSmall(_ erasures: [OpenedErasure]) async -> [OpenedErasure] {
        let outcomes = await LeaseKeeping(context: context).during(erasures) { () -> [ErasureOutcome] in
            guard (try? await close(erasures)) != nil else { return [] }
            var outcomes = await erasedTogether(erasures).outcomes
            guard outcomes.isEmpty else { return outcomes }
            for erasure in erasures { outcomes += await erasedTogether([erasure]).outcomes }
            return outcomes
        }
        let ended = Set(ended(erasures, outcomes))
        if !ended.isEmpty { await conclude(erasures.filter { ended.contains($0.id) }, outcomes) }
        return erasures.filter { !ended.contains($0.id) }
    }

    /// Carries out erasures that were just claimed: none of their data has changed.
    func carryOut(_ records: [ErasureRecord]) async { await carriedOut(records).conclude() }

    /// The same.
    ///
    /// - Returns: What follows their ends, and may be done while the next ones are claimed.
    func carriedOut(_ records: [ErasureRecord]) async -> Ended { await carriedOut(opened(records)) }

    /// Erasures that this worker no longer carries out.
    struct Ended: Sendable {
        /// Removes accounts and fences, and informs those who wait.
        let conclude: @Sendable () async -> Void
    }

    /// The erasures whose sealed data can be opened; the others are parked.
    private func opened(_ records: [ErasureRecord]) async -> [OpenedErasure] {
        var erasures: [OpenedErasure] = []
        for record in records {
            do {
                erasures.append(try SubjectSeal.opened(record, keys: context.keys))
            } catch {
                await park(record, error)
            }
        }
        return erasures
    }

    private func carryOut(_ erasures: [OpenedErasure]) async { await carriedOut(erasures).conclude() }

    private func carriedOut(_ erasures: [OpenedErasure]) async -> Ended {
        guard !erasures.isEmpty else { return Ended {} }
        let outcomes = await LeaseKeeping(context: context).during(erasures) { await begun(erasures) }
        return Ended { await conclude(erasures, outcomes) }
    }

    /// Continues an erasure whose worker died or handed it back, from its last recorded state.
    func takeUp(_ record: ErasureRecord) async {
        if record.state == .fenced {
            guard let taken = await taken(record) else { return }
            if let crashed = ErasureResumption.crashed(taken) { return await park(taken, crashed) }
            return await carryOut([taken])
        }
        guard let erasure = try? SubjectSeal.opened(record, keys: context.keys) else {
            guard let taken = await taken(record) else { return }
            return await park(taken, SubjectSeal.unreadable(record.id))
        }
        var next = erasure
        next.record.epoch += 1
        let mine = [next]
        let outcomes = await LeaseKeeping(context: context).during(mine) {
            await ErasureResumption(context: context, opening: { try await reopen($0) })
                .takeUp([record], from: .theDead)
        }
        guard !outcomes.isEmpty else { return }
        await conclude(mine, outcomes)
    }

    /// A released erasure may have been parked before its sessions were ended and reported; and the subject that is
    /// kept for the receivers of its end may have been deleted meanwhile.
    private func reopen(_ erasure: OpenedErasure) async throws {
        try await close([erasure])
        try await sayBegun(erasure)
    }

    /// Reports that the subject's sessions have ended, and keeps the data that receivers need.
    private func sayBegun(_ erasure: OpenedErasure) async throws {
        // An erasure that was begun at the command line sends no events.
        let promises = try await control.requests.promises(of: [erasure.id]).run(in: database)
        guard promises[erasure.id]?.dueAt != nil else { return }
        let state = erasure.record.state
        let statements = [
            control.begin, control.leases.guardLease([erasure], owner: context.owner, state: state),
            retainIdentities(of: [erasure]),
            control.outbox.note(.begun, of: [erasure.id], at: context.environment.now()), control.commit,
        ]
        let transaction = context.stepTransaction()
        try await database.withConnection { connection in
            try await transaction.guarded([erasure], state, on: connection) {
                _ = try await connection.pipeline(statements)
            }
        }
    }

    private func retainIdentities(of erasures: [OpenedErasure]) -> SQLStatement {
        control.identities.keep(
            erasures.map(\.id), lookAfter: rules.lookAfter(erasures.map(\.subject)),
            atMost: ServiceRules.longestRetainedIdentity)
    }

    private func taken(_ record: ErasureRecord) async -> ErasureRecord? {
        let plan = context.prepared.planFingerprint
        return try? await control.leases.take(
            record, owner: context.owner, under: plan, isForced: false, locked: .skipped
        ).run(in: database)
    }

    // MARK: Beginning

    /// - Parameter isClosed: Whether the subjects' sessions have ended already.
    private func begun(_ erasures: [OpenedErasure], isClosed: Bool = false) async -> [ErasureOutcome] {
        var (outcomes, rest): ([ErasureOutcome], [OpenedErasure]) = ([], erasures)
        let statements = await closingTogether(erasures)
        if let statements { (outcomes, rest) = await erasedTogether(erasures, closing: statements) }
        guard !rest.isEmpty else { return outcomes }
        let isClosed = isClosed || !outcomes.isEmpty && statements?.isEmpty == false
        do {
            try await close(rest)
        } catch {
            return outcomes + (await apart(rest, error, isClosed: isClosed) { await begun($0, isClosed: isClosed) })
        }
        // Where sessions end in the transaction, it has given way to any other one.
        if statements?.isEmpty != true {
            let together = await erasedTogether(rest)
            (outcomes, rest) = (outcomes + together.outcomes, together.rest)
        }
        return rest.isEmpty ? outcomes : outcomes + (await begunByStep(rest))
    }

    /// The statements that end the subjects' sessions, for the transaction that erases the subjects; `nil` if fences
    /// must stand and sessions must have ended before it.
    ///
    /// That transaction needs no fence: other programs wait until it has ended before they write for its subjects.
    private func closingTogether(_ erasures: [OpenedErasure]) async -> [SQLStatement]? {
        guard database.dialect.takesSeveralWriters, erasures.allSatisfy({ handed[$0.id] == nil }) else { return nil }
        return await closing.closing(erasures.map(\.subject.key.text))
    }

    /// Erases in one transaction.
    ///
    /// - Parameter statements: Those that end the subjects' sessions, if they have not ended.
    /// - Returns: The outcomes, and the erasures that have none. These continue step by step, while this worker holds
    ///   them.
    private func erasedTogether(
        _ erasures: [OpenedErasure], closing statements: [SQLStatement] = []
    ) async -> (outcomes: [ErasureOutcome], rest: [OpenedErasure]) {
        let accounts = ClaimedErasures(context: context, rules: rules, claimed: erasures, closing: statements)
        // After an error it may have been committed.
        let known = try? await SingleTransaction.admitted(accounts, context: context)?.erase() ?? []
        let endings = known ?? []
        if !statements.isEmpty, known?.isEmpty != true {
            let subjects = erasures.map(\.subject.key.text)
            // The sessions have ended, so this follows even if the task is cancelled.
            await Task { await closing.closed(subjects) }.value
        }
        for ending in endings { handed[ending.erasure.id]?.record(ending) }
        let outcomes = endings.map { ErasureOutcome.done($0.receipt, signed: $0.signed) }
        let done = Set(ended(erasures, outcomes))
        return (outcomes, erasures.filter { !done.contains($0.id) })
    }

    /// The erasures that are done. A receipt may have another identifier than its erasure.
    private func ended(_ erasures: [OpenedErasure], _ outcomes: [ErasureOutcome]) -> [UUID] {
        outcomes.compactMap { outcome in
            guard case .done(let receipt, _) = outcome else { return nil }
            let erasure = erasures.first { $0.id == receipt.id || $0.record.subjectHash == receipt.subject }
            return erasure?.id ?? receipt.id
        }
    }

    private func begunByStep(_ erasures: [OpenedErasure]) async -> [ErasureOutcome] {
        do {
            if let unfit = context.unfit { throw unfit.error }
            let ready = try await begin(erasures)
            return await ErasureRun(context: context).run(ready)
        } catch {
            return await apart(erasures, error, isClosed: true) { await begunByStep($0) }
        }
    }

    /// After an error: one subject's failure must not affect the others, so each is tried alone; a single one is handed
    /// back.
    private func apart(
        _ erasures: [OpenedErasure], _ error: any Error, isClosed: Bool,
        _ again: ([OpenedErasure]) async -> [ErasureOutcome]
    ) async -> [ErasureOutcome] {
        let known = error as? FarewellError
        let isTheirs = known.map { $0.family != .tryAgain || $0.code == GuardFailure.leaseLost.code } ?? false
        guard erasures.count > 1, isTheirs else { return await handBack(erasures, error, isClosed: isClosed) }
        var outcomes: [ErasureOutcome] = []
        for erasure in erasures { outcomes += await again([erasure]) }
        return outcomes
    }

    /// Puts up the subjects' fences and ends their sessions, but not for an erasure that this worker no longer holds.
    private func close(_ erasures: [OpenedErasure]) async throws {
        if !erasures.allSatisfy(isFresh) { try await putUpFences(for: erasures) }
        try await closing.close(erasures.map(\.subject.key.text))
    }

    /// Whether an erasure was handed over and accepted, with its fence and its lease, so recently that no other process
    /// has it.
    private func isFresh(_ erasure: OpenedErasure) -> Bool {
        guard handed[erasure.id] != nil else { return false }
        let age = context.environment.now().timeIntervalSince(erasure.record.requestedAt)
        return (0..<Double(control.lease) / 2).contains(age)
    }

    private func putUpFences(for erasures: [OpenedErasure]) async throws {
        guard let state = erasures.first?.record.state else { return }
        let now = context.environment.now()
        let held = control.leases.guardLease(erasures, owner: context.owner, state: state)
        let transaction = context.stepTransaction()
        try await database.withConnection { connection in
            try await transaction.guarded(erasures, state, on: connection) {
                // If a power failure removes the fence, it is put up again before any data is deleted.
                let waiting = context.canLeaveWaiting ? [control.leaveWaiting] : []
                _ = try await connection.pipeline(
                    [control.begin] + waiting + [held] + control.close(erasures, at: now) + [control.commit])
            }
        }
    }

    /// Resolves the subjects' data behind the fence: the point of no return, recorded together with the first step.
    private func begin(_ erasures: [OpenedErasure]) async throws -> [OpenedErasure] {
        try await database.withConnection { connection in try await begin(erasures, on: connection) }
    }

    private func begin(
        _ erasures: [OpenedErasure], on connection: any SQLConnection
    ) async throws -> [OpenedErasure] {
        let transaction = context.stepTransaction()
        return try await transaction.guarded(erasures, .fenced, on: connection) {
            _ = try await connection.pipeline(
                [control.begin] + control.awaitWriters(of: erasures.map(\.subject.key.value))
                    + control.leases.guardLease(erasures, owner: context.owner, state: .fenced, next: .running))
            let found = try await SubjectResolver(prepared: context.prepared).resolve(
                erasures.map(\.subject.key.value), .sized, on: connection)
            let ready = try erasures.map { try renewed($0, found[$0.subject.key.value]) }
            // Other programs' writes may have been waited for.
            let (ids, now) = (ready.map(\.id), context.environment.now())
            var statements = control.requests.begin(ready)
            statements.append(retainIdentities(of: ready))
            statements.append(control.outbox.note(.begun, of: ids, at: now))
            if let step = context.firstStep { statements += control.steps.begin(step: step, of: ids, at: now) }
            _ = try await connection.pipeline(statements + transaction.closing(ready))
            return ready
        }
    }

    /// An erasure under the current plan, with the data that exists now.
    private func renewed(_ erasure: OpenedErasure, _ found: SealedSubject?) throws -> OpenedErasure {
        var renewed = erasure.renewed(found, under: context.prepared)
        renewed.record.sealed = try SubjectSeal.sealed(renewed.subject, under: erasure.seal)
        return renewed
    }

    /// Erasures that could not begin are handed back: after an external fault to be tried again, otherwise to be
    /// parked.
    private func handBack(
        _ erasures: [OpenedErasure], _ error: any Error, isClosed: Bool
    ) async -> [ErasureOutcome] {
        let known = ErasureParking.known(error)
        let isPassing = error is CancellationError || known.family == .tryAgain
        var outcomes: [ErasureOutcome] = []
        for erasure in erasures {
            guard isPassing else {
                // Their sessions have ended, and an operator may release the erasure much later.
                if isClosed { try? await sayBegun(erasure) }
                outcomes.append(await ErasureParking(context: context).park(erasure, known))
                continue
            }
            let isInterrupted = error is CancellationError
            await context.handBack(erasure, failed: !isInterrupted)
            outcomes.append(
                isInterrupted ? .interrupted(erasure.id, subject: "") : .unfinished(erasure.id, subject: "", known))
        }
        return outcomes
    }

    // MARK: Ending

    private func conclude(_ erasures: [OpenedErasure], _ outcomes: [ErasureOutcome]) async {
        let ended = ended(erasures, outcomes)
        for outcome in outcomes {
            switch outcome {
            case .unfinished(let id, _, let error):
                guard let erasure = erasures.first(where: { $0.id == id }) else { continue }
                await complain(erasure, error)
            case .parked(let id, let cause):
                context.environment.log.error(
                    "An erasure was parked.", metadata: ["erasure": "\(id.text)"])
                context.environment.log.debug("\(cause)")
            case .done, .interrupted, .running, .unknown: break
            }
        }
        let gone = erasures.filter { ended.contains($0.id) }.map(\.subject.key.text)
        let isRemoved = gone.isEmpty ? false : await closing.remove(gone)
        // The fence is removed before the caller learns of the end, because the user may return at once. A single
        // transaction has removed it.
        let isOpen = ended.filter { handed[$0]?.isRecorded == true }
        for id in isOpen { handed[id]?.end(accountRemoved: isRemoved) }
        await announce(ended.filter { !isOpen.contains($0) }, of: erasures.map(\.id))
        for id in ended { handed[id]?.end(accountRemoved: isRemoved) }
    }

    /// Removes fences and wakes the calls that wait for one of these erasures. The duties do the rest.
    func announce(_ ended: [UUID], of all: [UUID]) async {
        var statements: [SQLStatement] = ended.isEmpty ? [] : [control.open(ended)]
        if let announce = control.announce(on: ControlStore.endChannel, about: all) { statements.append(announce) }
        // A fence that a loss of power leaves is taken down by the duties.
        let sent = database.dialect.commitsWithoutWaiting ? control.leavingWaiting(statements) : statements
        if !statements.isEmpty { _ = try? await database.pipeline(sent) }
        signals.ends.wake(about: all)
    }

    /// An external fault: the erasure is repeated after growing pauses, and finally parked for an operator.
    private func complain(_ erasure: OpenedErasure, _ error: FarewellError) async {
        guard error.code != SystemRest.code else {
            context.environment.log.info("\(error.message)", metadata: ["erasure": "\(erasure.id.text)"])
            return
        }
        if error.code == GuardFailure.leaseLost.code { context.environment.fenced() }
        let failures = (try? await control.leases.failures(of: erasure.id).run(in: database)) ?? 0
        context.environment.log.warning(
            "An attempt at an erasure failed.",
            metadata: [
                "erasure": "\(erasure.id.text)", "code": "\(error.code.rawValue)",
                "failures": "\(failures)",
            ])
        guard error.code != GuardFailure.leaseLost.code, failures >= rules.maximumAttempts else { return }
        await park(erasure.record, of: erasure.subject.key.value, error)
    }

    private func park(_ record: ErasureRecord, of subject: SQLValue? = nil, _ error: any Error) async {
        let known = ErasureParking.known(error)
        let outcome = await ErasureParking(context: context).park(record, of: subject, known)
        guard case .parked = outcome else { return }
        context.environment.log.error(
            "An erasure was parked.",
            metadata: ["erasure": "\(record.id.text)", "code": "\(known.code.rawValue)"])
        signals.ends.wake(about: [record.id])
    }
}

extension SubjectSeal {
    static func unreadable(_ id: UUID) -> FarewellError {
        FarewellError(
            "seal.unreadable", .ours, "The sealed data of erasure \(id.text) cannot be opened.",
            remedy: "Use the state directory (keys.json) that accepted the erasure.")
    }
}
