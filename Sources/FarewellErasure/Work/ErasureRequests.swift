// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation
import Logging

/// Requests, follows and cancels erasures. It performs none: that is the workers' part.
///
/// Any number of servers and workers may share one PostgreSQL; every decision is one conditional statement.
public struct ErasureRequests: Sendable {
    let engine: ErasureEngine
    public let rules: ServiceRules
    let entropy: Entropy
    /// Wakes workers and waiting callers of this process.
    public let signals: WakeSignals
    /// Takes erasures whose callers wait; `nil` if this process has no worker.
    package var handover: Handover?
    /// Requests of one moment are accepted together. Those whose callers do not wait need no place of a worker.
    private let acceptances: RequestCoalescer<JointAcceptance.Call, JointAcceptance.Answer>
    private let awaitedAcceptances: RequestCoalescer<JointAcceptance.Call, JointAcceptance.Answer>
    /// Awaited requests that nothing delays are erased together, from acceptance to the receipt in one transaction.
    private let jointErasures: RequestCoalescer<AwaitedErasure, AwaitedErasure.Answer?>
    /// Awaited requests that will be accepted in a moment.
    package let arriving = ArrivingRequests()
    /// They may wait for a table of the app that another program has locked; looks at erasures do not.
    private let firstLooks: RequestCoalescer<FirstLook.Question, FirstLook.Answer>
    let looks: JointLook

    public init(_ engine: ErasureEngine, rules: ServiceRules = ServiceRules(), signals: WakeSignals = WakeSignals()) {
        self.init(engine, rules: rules, signals: signals, entropy: .live)
    }

    package init(_ engine: ErasureEngine, rules: ServiceRules, signals: WakeSignals, entropy: Entropy) {
        self.engine = engine
        self.rules = rules
        self.signals = signals
        self.entropy = entropy
        acceptances = JointAcceptance(engine: engine, rules: rules).coalescer()
        awaitedAcceptances = JointAcceptance(engine: engine, rules: rules).coalescer(awaiting: arriving)
        let processors = ProcessInfo.processInfo.activeProcessorCount
        jointErasures = AwaitedErasure.coalescer(
            awaiting: arriving, concurrency: max(1, min(rules.concurrency, processors / 2)),
            most: min(rules.batch ?? engine.prepared.groupSize(sideBySide: true), 32),
            sleep: engine.environment.sleep)
        firstLooks = JointLook.coalescer(sleep: engine.environment.sleep) { questions in
            try await FirstLook(engine: engine, depth: rules.depth).answers(to: questions)
        }
        looks = JointLook(engine.database, sleep: engine.environment.sleep)
    }

    var control: ControlStore { engine.control }
    /// The store's time.
    package var now: Date { engine.environment.now() }
    private var context: ErasureContext { engine.context(ErasureOptions()) }

    /// Accepts an erasure of the subject with this key, or finds the one that was accepted before.
    ///
    /// At most one erasure of a subject is live: a second request returns it. Once this returns, the erasure will be
    /// completed, whatever crashes.
    ///
    /// - Throws: `erasure.key-reused` if the key was used for another request; `erasure.unknown` if the subject has no
    ///   data and nothing ever was erased; `erasure.identifier-form` if it cannot be a key of the plan's subject;
    ///   `erasure.too-often`; `erasure.clock` if a grace period or a retention is
    ///   counted from today and the clock cannot be trusted.
    public func request(_ subject: String, _ request: ErasureRequest = ErasureRequest()) async throws -> ErasureAnswer {
        try await self.request(subject, request, remembered: nil)
    }

    /// Accepts another erasure of a subject after the last one has ended, because a system has data of the subject
    /// again. It needs no row: the names in systems and folders come from the subject sealed by the last erasure.
    func request(again subject: SealedSubject) async throws -> ErasureAnswer {
        var remembered = subject
        // Only rows found now count: a key may belong to another subject by this time.
        remembered.counts = [:]
        remembered.captured = [:]
        remembered.capturedKeys = nil
        remembered.isCaptureBounded = false
        remembered.retainedUntil = [:]
        remembered.retained = nil
        return try await request(subject.key.text, ErasureRequest(), remembered: remembered)
    }

    /// Accepts an erasure of a subject with an account in another database than the plan's, whether or not there is
    /// other data.
    package func request(ofAccount subject: String, _ request: ErasureRequest) async throws -> ErasureAnswer {
        let nothing = SealedSubject(
            key: StoredValue(try key(subject)), identifiers: [], captured: [:], isCaptureBounded: false,
            retainedUntil: [:], files: [:], incarnation: "", counts: [:])
        return try await self.request(subject, request, remembered: nothing)
    }

    private func request(
        _ subject: String, _ request: ErasureRequest, remembered: SealedSubject?
    ) async throws -> ErasureAnswer {
        let key = try self.key(subject)
        let hash = context.subjectHash(key)
        await engine.clock.refresh()
        if remembered == nil, let done = await erased(key, hash, request) { return done }
        for _ in 1...3 {
            let look = try await firstLook(at: key, hash, request)
            if let known = try await known(look, hash, request) { return known }
            if let last = Self.latest(of: look.records), last.state == .done, let endedAt = last.finishedAt,
                request.isMet(byErasureOf: endedAt),
                let ended = try await erasure(last.id)
            {
                return try await handOut(request, for: ended, hash, isKnown: true)
            }
            let found: SealedSubject? = if let data = look.subject { data } else { try await recognised(key) }
            let whom = found.map { remembered?.renewed(by: $0) ?? $0 } ?? remembered
            guard let whom else {
                // Another request may have erased the subject since.
                if let last = try await latest(hash) {
                    return try await handOut(request, for: last, hash, isKnown: true)
                }
                // A plan that does not fit may miss the rows of a subject whose own row is gone.
                guard engine.unfit == nil else { throw Self.waitsForPlan }
                try await requireSameForm(as: key)
                throw Self.unknown
            }
            var accepted = whom
            accepted.tokenLife = request.tokenLife
            try await rules.daysInGrace > 0 ? engine.clock.requireTrusted() : engine.requireClock()
            guard let answer = try await accept(accepted, request, hash, after: look.ended) else {
                if let before = try await answered(byProof: request, hash) { return before }
                continue
            }
            if !answer.erasure.state.isBegun { await wake() }
            return answer
        }
        throw FarewellError("erasure.busy", .tryAgain, "The account was just being erased.")
    }

    /// Erases an awaited request's subject at once, if no erasure of it is known and nothing delays it.
    ///
    /// - Returns: `nil` if it must be accepted for the workers; nothing of it is recorded.
    private func erased(_ key: SQLValue, _ hash: SubjectHash, _ request: ErasureRequest) async -> ErasureAnswer? {
        guard request.isAwaited, rules.graceDays == 0, let handover, handover.takesUnaccepted,
            SingleTransaction.isPossible(in: engine.context(handover.options)),
            (try? await engine.requireClock()) != nil
        else { return nil }
        if let arrival = request.arrival { arriving.end(arrival) }
        let awaited = AwaitedErasure(key: key, hash: hash, request: request, handover: handover)
        guard let answer = await jointErasures.answer(to: awaited) ?? nil, let erasure = answer.handed.recorded else {
            return nil
        }
        var done = ErasureAnswer(erasure: erasure, ticket: answer.ticket, isKnown: false)
        done.handed = answer.handed
        return done
    }

    /// The subject as the plan finds it in the database.
    ///
    /// The schema is compared with the plan every few seconds. A migration in between shows here as a table, a column
    /// or a comparison that does not exist: the plan is then compared at once, and the rest of it recognises the
    /// subject.
    func recognised(_ key: SQLValue) async throws -> SealedSubject? {
        do {
            return try await resolved(key)
        } catch let error as FarewellError
            where ["sql.42P01", "sql.42703", "sql.42883"].contains(error.code.rawValue)
        {
            _ = try await engine.refit()
            try requireRecognition()
            return try await resolved(key)
        }
    }

    private func resolved(_ key: SQLValue) async throws -> SealedSubject? {
        let resolver = SubjectResolver(prepared: engine.prepared)
        do {
            return try await engine.database.withConnection {
                try await resolver.resolve([key], rules.depth, on: $0)[key]
            }
        } catch let error as FarewellError where error.code == "subject.unknown" {
            return nil
        }
    }

    /// A subject that cannot be a key of the plan's subject may well have data there, under another identifier.
    private func key(_ subject: String) throws -> SQLValue {
        try requireRecognition()
        do {
            return try SubjectResolver(prepared: engine.prepared).key(subject)
        } catch let error as FarewellError where error.code == "subject.malformed" {
            throw otherForm()
        }
    }

    /// That no row has a key means something only if the keys are of its form.
    private func requireSameForm(as key: SQLValue) async throws {
        let resolver = SubjectResolver(prepared: engine.prepared)
        if key.identifier != nil, try await resolver.hasOtherKeys(in: engine.database) { throw otherForm() }
    }

    private func otherForm() -> FarewellError {
        engine.environment.log.error(
            "The identifiers of accounts are not keys of the plan's subject, so accounts cannot be erased.",
            metadata: ["subject": "\(engine.prepared.plan.subject.table)"])
        return Self.otherForm
    }

    package static let otherForm = FarewellError(
        "erasure.identifier-form", .tryAgain,
        "This account cannot be deleted now: its identifier has another form than the keys of the plan's subject.",
        remedy: """
            Name in the plan's `subject:` the column that contains the accounts' identifiers, then request it again.
            """)

    /// - Throws: `erasure.plan-unfit` where the plan fits the schema so little that no subject is recognised.
    func requireRecognition() throws {
        guard engine.unfit?.recognisesSubjects ?? true else { throw Self.waitsForPlan }
    }

    static let waitsForPlan = FarewellError(
        "erasure.plan-unfit", .tryAgain, "Erasures cannot be accepted now: the plan does not fit the database.",
        remedy: "The server's log names the tables. Correct the plan or the database, then request it again.")

    package static let unknown = FarewellError(
        "erasure.unknown", .yoursToFix, "No data of this account exists, and no erasure of it is known here.")

    /// - Returns: `nil` if the subject must be looked up again.
    private func accept(
        _ subject: SealedSubject, _ request: ErasureRequest, _ hash: SubjectHash, after ended: Int
    ) async throws -> ErasureAnswer? {
        let state: ErasureState = rules.graceDays > 0 ? .grace : .requested
        let opened = try context.newErasure(subject, hash: hash.rawValue, state: state, at: now).sealed()
        let ticket = request.ticket ?? ErasureTicket(for: name(of: request), of: opened.id, keys: engine.keys)
        let call = JointAcceptance.Call(
            asked: .init(
                erasure: opened, ticket: record(of: ticket, request, hash), ended: ended,
                proof: request.proofRecord(of: hash)),
            handover: request.isAwaited ? handover : nil)
        if let arrival = request.arrival { arriving.end(arrival) }
        let joint = await (call.handover == nil ? acceptances : awaitedAcceptances).answer(to: call)
        let alone: JointAcceptance.Answer?
        do {
            alone = joint == nil ? try await JointAcceptance(engine: engine, rules: rules).accept([call]).first : nil
        } catch let error as FarewellError where error.code == Acceptance.ticketReused.code {
            // A simultaneous request may have used the same key, and then that answer applies here too.
            if let before = try await self.answered(hash, request) { return before }
            throw error
        }
        guard let answered = joint ?? alone, let accepted = answered.accepted else { return nil }
        guard let handed = answered.handed else {
            guard let erasure = try await erasure(opened.id) else { return nil }
            return ErasureAnswer(erasure: erasure, ticket: ticket, isKnown: false)
        }
        let erasure = RequestedErasure(status: ErasureStatus(accepted.record, steps: [], accepted.promise))
        var answer = ErasureAnswer(erasure: erasure, ticket: ticket, isKnown: false)
        answer.handed = handed
        return answer
    }

    // MARK: Known already

    /// The records about a subject and its data, together with those of other requests of this moment. If that fails,
    /// the data is read alone.
    private func firstLook(
        at key: SQLValue, _ hash: SubjectHash, _ request: ErasureRequest
    ) async throws -> FirstLook.Answer {
        let question = FirstLook.Question(key: key, hash: hash.rawValue, keyHash: request.keyHash(of: hash))
        if let answer = await firstLooks.answer(to: question) { return answer }
        return try await FirstLook(engine: engine, depth: rules.depth).records(about: question)
    }

    /// The earlier answer for the same key, or the live erasure.
    private func known(
        _ look: FirstLook.Answer, _ hash: SubjectHash, _ request: ErasureRequest
    ) async throws -> ErasureAnswer? {
        if let before = try await answered(look.handed, request) { return before }
        guard let latest = Self.latest(of: look.records), latest.state.isLive, let live = try await erasure(latest.id),
            live.state.isLive
        else { return nil }
        return try await handOut(request, for: live, hash, isKnown: true)
    }

    /// The earlier answer for the same key.
    func answered(_ hash: SubjectHash, _ request: ErasureRequest) async throws -> ErasureAnswer? {
        guard let keyHash = request.keyHash(of: hash) else { return nil }
        return try await answered(try await run(control.requests.ticket(keyHash: keyHash)), request)
    }

    private func answered(_ handed: IssuedTicket?, _ request: ErasureRequest) async throws -> ErasureAnswer? {
        guard let handed, let erasure = try await erasure(handed.erasure) else { return nil }
        guard handed.bodyHash == request.bodyHash else {
            throw FarewellError(
                "erasure.key-reused", .yoursToFix, "The idempotency key was used for another request.",
                remedy: "Create a new key for a new request.")
        }
        let ticket =
            request.ticket
            ?? ErasureTicket(for: name(of: request), of: handed.erasure, keys: engine.keys, kept: handed.hash)
        return ErasureAnswer(erasure: erasure, ticket: ticket, isKnown: true)
    }

    /// The state of this subject's erasure, the newest if there are several; for users whose account is deleted.
    ///
    /// - Returns: `nil` when there never was one.
    public func latest(of subject: String) async throws -> RequestedErasure? {
        try requireRecognition()
        guard let key = try? SubjectResolver(prepared: engine.prepared).key(subject) else { return nil }
        return try await latest(context.subjectHash(key))
    }

    /// Whether an operator holds the subject's data. A hold stays when its erasure is cancelled.
    public func isHeld(_ subject: String) async throws -> Bool {
        try requireRecognition()
        guard let key = try? SubjectResolver(prepared: engine.prepared).key(subject) else { return false }
        return try await run(control.requests.isHeld(subjectHash: context.subjectHash(key).rawValue))
    }

    private func latest(_ hash: SubjectHash) async throws -> RequestedErasure? {
        let records = try await run(control.requests.find(subjectHash: hash.rawValue))
        guard let newest = Self.latest(of: records) else { return nil }
        return try await erasure(newest.id)
    }

    /// - Parameter records: A subject's erasures, newest first.
    private static func latest(of records: [ErasureRecord]) -> ErasureRecord? {
        records.first(where: \.state.isLive) ?? records.first { $0.state == .done }
    }

    private static let mostTickets = 200

    func handOut(
        _ request: ErasureRequest, for erasure: RequestedErasure, _ hash: SubjectHash, isKnown: Bool
    ) async throws -> ErasureAnswer {
        let ticket = request.ticket ?? ErasureTicket(for: name(of: request), of: erasure.id, keys: engine.keys)
        let count = try await run(control.requests.countTickets(of: erasure.id))
        guard count < Self.mostTickets else {
            throw FarewellError("erasure.too-often", .tryAgain, "This erasure was requested too often.")
        }
        let isNew = try await run(control.requests.hand(out: record(of: ticket, request, hash), for: erasure.id))
        // A simultaneous request may have used the same key, and then that answer applies here too.
        if !isNew, let before = try await answered(hash, request) { return before }
        let opened = try await run(control.requests.erasure(ticketHash: ticket.hash))
        guard isNew || opened == erasure.id else { throw Acceptance.ticketReused }
        return ErasureAnswer(erasure: erasure, ticket: ticket, isKnown: isKnown)
    }

    private func name(of request: ErasureRequest) -> String { request.idempotencyKey ?? "" }

    private func record(of ticket: ErasureTicket, _ request: ErasureRequest, _ hash: SubjectHash) -> TicketRecord {
        TicketRecord(hash: ticket.hash, keyHash: request.keyHash(of: hash), bodyHash: request.bodyHash)
    }

    // MARK: Waking

    func wake() async {
        signals.work.wake()
        guard let announce = control.announce(on: ControlStore.workChannel) else { return }
        // Nothing depends on it: workers also poll.
        _ = try? await run(announce)
    }

    func run<Answer: Sendable>(_ query: StoreQuery<Answer>) async throws -> Answer {
        try await query.run(in: engine.database)
    }

    func run(_ statement: SQLStatement) async throws -> SQLResult {
        try await engine.database.run(statement)
    }
}

extension ServiceRules {
    /// How much of a subject's data an acceptance reads. In a grace period rows, keys of the database and the plan may
    /// change.
    fileprivate var depth: SubjectResolver.Depth { graceDays > 0 ? .recognised : .recognisedAtOnce }
}
