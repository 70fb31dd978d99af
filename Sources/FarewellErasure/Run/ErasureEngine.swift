// SPDX-License-Identifier: Apache-2.0

public import Farewell
import FarewellKeys
import FarewellPlan
public import FarewellSQL
import Foundation

/// Erases subjects from a database and its folders, durably, and proves it.
///
/// ```swift
/// let database = try openDatabase("postgresql://…")
/// let engine = try await ErasureEngine.open(database, plan: plan, state: ".farewell", environment: .live(log: log))
/// let outcomes = try await engine.erase(["5f0c…"])
/// ```
///
/// Every transition is committed before the next act. After any kill, `resume` completes the accepted erasures, and no
/// effect is applied twice.
public struct ErasureEngine: Sendable {
    let database: any SQLDatabase
    let control: ControlStore
    let keys: KeyStore
    let ledger: LedgerFile
    let stops: StopFile
    /// Its `now` is the store's time.
    let environment: EngineEnvironment
    let clock: StoreClock
    private let contention = Contention()
    private let audit: AuditLog
    let putBackAtOpening = Guarded(StopAgreement())
    /// One for all copies of an engine: requests and workers change to another plan together.
    private let inForce: Guarded<PlanInForce>

    private struct PlanInForce: Sendable {
        let prepared: PreparedPlan
        let connectors: [String: any Connector]
        /// The fingerprint of the plan as its file says it.
        let source: String
        var unfit: UnfitPlan?
    }

    /// The plan, where it does not fit the schema: `prepared` then only recognises subjects; nothing is carried out.
    package var unfit: UnfitPlan? { inForce.withLock { $0.unfit } }
    var prepared: PreparedPlan { inForce.withLock { $0.prepared } }
    var connectors: [String: any Connector] { inForce.withLock { $0.connectors } }
    /// The plan in force as the control store orders it.
    var loaded: LoadedPlan {
        inForce.withLock { LoadedPlan(fingerprint: $0.prepared.planFingerprint, source: $0.source) }
    }
    /// Its standing among the plans of all processes, when it was last looked at.
    let lastStanding = Guarded(PlanStanding.newest)

    init(
        database: any SQLDatabase, prepared: PreparedPlan, control: ControlStore, keys: KeyStore,
        environment: EngineEnvironment, connectors: [String: any Connector] = [:], unfit: UnfitPlan? = nil,
        ledger: LedgerFile? = nil, source: String? = nil
    ) {
        self.database = database
        self.control = control
        self.keys = keys
        clock = StoreClock(database, keys: keys, environment)
        self.environment = environment.timed(by: clock)
        inForce = Guarded(
            PlanInForce(
                prepared: prepared, connectors: connectors, source: source ?? prepared.planFingerprint, unfit: unfit))
        self.ledger = ledger ?? LedgerFile(keys)
        stops = StopFile(keys)
        audit = AuditLog(control: control)
    }

    /// Refuses a database whose control store a newer binary has made, and makes nothing.
    ///
    /// - Throws: `control.newer`.
    package static func refuseNewerStore(in database: any SQLDatabase) async throws {
        try await database.withConnection { connection in
            try await ControlMigrations(dialect: database.dialect).refuseNewer(on: connection)
        }
    }

    /// Refuses what no engine could be opened with, whether or not the plan fits, and makes nothing.
    ///
    /// - Throws: `control.newer`, `plan.no-connector`.
    package static func refuseUnworkable(
        _ plan: Plan, connectors: [String: any Connector], in database: any SQLDatabase
    ) async throws {
        try await refuseNewerStore(in: database)
        try plan.requireConnectors(connectors)
    }

    /// Reads the schema, compares the plan with it, and prepares the control store and the keys.
    ///
    /// - Parameters:
    ///   - folder: The base of the plan's relative folders; usually the folder of the plan file.
    ///   - state: The state directory with keys and ledger; made when missing.
    ///   - lease: How long a lease lasts after its last renewal, in seconds.
    ///   - connectors: The connectors of the plan's systems, by the systems' names.
    /// - Throws: `plan.no-connector` when the plan names a system that nothing connects to; `plan.unaccounted` when the
    ///   plan does not account for all of the schema; `keys.not-here` and `keys.other` when the database's erasures
    ///   were made with other keys; `ledger.tampered`; errors of the database and of the state directory. Nothing of
    ///   any subject was changed.
    public static func open(
        _ database: any SQLDatabase, plan: Plan, folder: String = ".", state: String, lease: Int = 15,
        connectors: [String: any Connector] = [:], environment: EngineEnvironment
    ) async throws -> ErasureEngine {
        try plan.requireConnectors(connectors)
        // The database takes its time over the schema; a long ledger is read meanwhile.
        async let surveyed = SurveyedLedger.read(in: state)
        let checked = try await PreparedPlan.prepare(plan.rooted(at: folder), on: database)
        return try await open(database, checked, nil, await surveyed, plan, state, lease, connectors, environment)
    }

    /// The same for a server or worker, which starts also with a plan that does not fit: see `unfit`.
    package static func openTolerantly(
        _ database: any SQLDatabase, plan: Plan, folder: String, state: String, lease: Int,
        connectors: [String: any Connector], environment: EngineEnvironment
    ) async throws -> ErasureEngine {
        let rooted = plan.rooted(at: folder)
        async let surveyed = SurveyedLedger.read(in: state)
        do {
            let checked = try await PreparedPlan.prepare(rooted, on: database)
            return try await open(database, checked, nil, await surveyed, plan, state, lease, connectors, environment)
        } catch let error as FarewellError where UnfitPlan.isCause(error) {
            let (unfit, recognising) = try await UnfitPlan.found(rooted, error, on: database)
            let read = await surveyed
            return try await open(database, recognising, unfit, read, plan, state, lease, connectors, environment)
        }
    }

    private static func open(
        _ database: any SQLDatabase, _ checked: PreparedPlan, _ unfit: UnfitPlan?, _ surveyed: SurveyedLedger?,
        _ plan: Plan, _ state: String, _ lease: Int, _ connectors: [String: any Connector],
        _ environment: EngineEnvironment
    ) async throws -> ErasureEngine {
        try plan.requireConnectors(connectors)
        try await refuseBeforeWriting(in: database, state: state)
        let control = ControlStore(dialect: database.dialect, lease: lease)
        // Keys and tables are made together: a database that refuses the tables leaves no keys behind.
        let keys = try await database.transaction { connection in
            let now = environment.now()
            try await control.migrations.apply(on: connection, now: .timestamp(now))
            let keys = try await BlockingWork.run {
                try KeyStore.prepared(in: StateDirectory.prepared(at: state), now: environment.now)
            }
            try await KeyClaim(control: control).claim(keys, on: connection, at: now)
            return keys
        }
        // Making the control store's tables is a change of the schema too, though none that matters.
        let restamped = unfit == nil ? try await checked.restamped(on: database) : checked
        guard let prepared = restamped else { throw GuardFailure.schemaChanged }
        let source = PlanFingerprint.of(plan)
        try await remember(prepared, of: unfit == nil ? source : nil, in: control, on: database)
        let known = surveyed.flatMap { $0.keys == keys.identity ? $0 : nil }
        let engine = ErasureEngine(
            database: database, prepared: prepared, control: control, keys: keys, environment: environment,
            connectors: connectors, unfit: unfit, ledger: known?.file, source: source)
        // Both wait for the disk of the state directory.
        async let reconciled = engine.reconcileLedger(known: known?.checkpoint)
        try await engine.clock.begin()
        _ = try await reconciled
        let putBack = try await engine.reconcileStops()
        engine.putBackAtOpening.withLock { $0 = putBack }
        return engine
    }

    /// Adopts another plan, compared with the present schema, from the next erasure on. An erasure that has begun ends
    /// by its first plan.
    ///
    /// - Throws: what `open` throws, and then the plan before stays; one that did not fit gives way to this one all
    ///   the same, whose error says what does not fit now.
    package func adopt(_ plan: Plan, folder: String, connectors: [String: any Connector]) async throws {
        try plan.requireConnectors(connectors)
        let rooted = plan.rooted(at: folder)
        let source = PlanFingerprint.of(plan)
        let prepared: PreparedPlan
        do {
            prepared = try await PreparedPlan.prepare(rooted, on: database)
        } catch let error as FarewellError where UnfitPlan.isCause(error) {
            let (unfit, recognising) = try await UnfitPlan.found(rooted, error, on: database)
            let next = PlanInForce(prepared: recognising, connectors: connectors, source: source, unfit: unfit)
            inForce.withLock { if $0.unfit != nil { $0 = next } }
            throw unfit.error
        }
        try await Self.refuseNewerStore(in: database)
        try await Self.remember(prepared, of: source, in: control, on: database)
        inForce.withLock { $0 = PlanInForce(prepared: prepared, connectors: connectors, source: source) }
    }

    /// Compares the plan in force with the database again, after its schema or a vendor's list of buckets has changed.
    ///
    /// - Returns: Whether the plan fits; if not, `unfit` has the cause, and nothing is carried out until it fits.
    /// - Throws: an error of the database; then nothing has changed.
    package func refit() async throws -> Bool {
        let current = inForce.withLock { $0 }
        if current.unfit == nil, let same = try await current.prepared.restamped(on: database),
            try await same.hasAllBuckets(in: database)
        {
            inForce.withLock {
                $0 = PlanInForce(prepared: same, connectors: current.connectors, source: current.source)
            }
            return true
        }
        let plan = current.unfit?.plan ?? current.prepared.written
        do {
            let prepared = try await PreparedPlan.prepare(plan, on: database)
            try await Self.remember(prepared, of: current.source, in: control, on: database)
            inForce.withLock {
                $0 = PlanInForce(prepared: prepared, connectors: current.connectors, source: current.source)
            }
            return true
        } catch let error as FarewellError where UnfitPlan.isCause(error) {
            let (unfit, recognising) = try await UnfitPlan.found(plan, error, on: database)
            inForce.withLock {
                $0 = PlanInForce(
                    prepared: recognising, connectors: current.connectors, source: current.source, unfit: unfit)
            }
            return false
        }
    }

    /// The fingerprint of the schema with which the plan in force was compared; of no database if it does not fit. It
    /// leaves buckets out.
    package var plannedFingerprint: DatabaseFingerprint { DatabaseFingerprint(stamp: prepared.stamp, buckets: nil) }

    /// Accepts and erases subjects by their keys in the subject's table, as text.
    ///
    /// - Parameter observe: Receives every recorded transition.
    /// - Returns: One outcome for each key, in the order of their ends; a key named twice counts once. After an
    ///   interruption: the outcomes of the begun erasures.
    /// - Throws: `subject.malformed` if a key cannot be one, and `erasure.clock` if the plan counts a retention from
    ///   today and the clock cannot be trusted, before any subject is accepted; an error of the database if acceptance
    ///   failed.
    public func erase(
        _ subjects: [String], options: ErasureOptions = ErasureOptions(),
        observe: @escaping ErasureObserver = { _ in }
    ) async throws -> [ErasureOutcome] {
        try await requireClock()
        let resolver = SubjectResolver(prepared: prepared)
        var seen: Set<SQLValue> = []
        let keys = try subjects.map(resolver.key).filter { seen.insert($0.asSubject).inserted }
        let size = options.groupSize ?? prepared.groupSize(sideBySide: options.concurrency > 1)
        let groups = keys.chunks(ofCount: size).map { Array($0) }
        let queue = GroupQueue(groups)
        let context = context(options, observe)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<min(options.concurrency, groups.count) {
                tasks.addTask { try await erase(queue, context) }
            }
            // The first error ends all of them.
            while try await tasks.next() != nil {}
        }
        return try queue.finish()
    }

    /// - Throws: `erasure.clock` when the plan counts a retention from today and the clock is not to be trusted.
    func requireClock() async throws {
        if prepared.plan.countsFromErasure { try await clock.requireTrusted() }
    }

    /// Erases one group after the other. The receipts of a group are handed out while the rows of the next one are
    /// deleted, and before that deletion is committed: a killed process leaves at most one group without its receipts.
    private func erase(_ queue: GroupQueue, _ context: ErasureContext) async throws {
        var last: Announcement?
        do {
            while let group = queue.next() {
                let before = last
                let (outcomes, announcement) = try await erase(group, after: before, context)
                await before?.finished()
                last = announcement
                queue.note(outcomes)
            }
        } catch {
            await last?.finished()
            guard error is CancellationError else { throw error }
            queue.interrupt()
        }
        await last?.finished()
    }

    private func erase(
        _ keys: [SQLValue], after before: Announcement?, _ context: ErasureContext
    ) async throws -> (outcomes: [ErasureOutcome], announcement: Announcement?) {
        try Task.checkCancellation()
        await clock.refresh()
        let subjects = RequestedSubjects(keys, context: context)
        let transaction = try await SingleTransaction.admitted(subjects, context: context)
        let (endings, announcement) = try await transaction?.erase(after: before) ?? ([], nil)
        let done = Set(endings.map(\.erasure.subject.key.value.asSubject))
        let rest = keys.filter { !done.contains($0.asSubject) }
        let outcomes = endings.map { ErasureOutcome.done($0.receipt, signed: $0.signed) }
        guard !rest.isEmpty else { return (outcomes, announcement) }
        await before?.handedOut()
        await announcement?.finished()
        return (outcomes + (try await eraseByStep(rest, context)), nil)
    }

    private func eraseByStep(_ keys: [SQLValue], _ context: ErasureContext) async throws -> [ErasureOutcome] {
        let answer = try await Acceptance(context: context).accept(keys)
        for erasure in answer.accepted {
            await context.observe(ErasureProgress(erasure: erasure.id, event: .accepted))
        }
        var outcomes: [ErasureOutcome] = []
        // Their rows may be deleted already while their erasure is unfinished.
        let withoutData = zip(answer.unknown, context.subjectHashes(answer.unknown)).map { (key: $0, hash: $1) }
        for running in withoutData + answer.running {
            outcomes.append(try await join(running.key, hash: running.hash, context))
        }
        outcomes += await ErasureRun(context: context).run(answer.accepted)
        return outcomes
    }

    /// A second request for a subject with a live erasure: continues it if its owner is dead, otherwise reports it.
    private func join(_ key: SQLValue, hash: String, _ context: ErasureContext) async throws -> ErasureOutcome {
        let found = try await control.requests.find(subjectHash: hash).run(in: database)
        guard let live = found.first(where: \.state.isLive) else { return .unknown(subject: key.text ?? "") }
        if live.state == .needsAttention { return .parked(live.id, cause: live.cause ?? "") }
        let taken = await ErasureResumption(context: context).takeUp([live], from: .theDead)
        return taken.first ?? .running(live, subject: key.text ?? "")
    }

    func context(_ options: ErasureOptions, _ observe: @escaping ErasureObserver = { _ in }) -> ErasureContext {
        let current = inForce.withLock { $0 }
        return ErasureContext(
            database: database, prepared: current.prepared, control: control, keys: keys, ledger: ledger,
            environment: environment, options: options, observe: observe, connectors: current.connectors,
            unfit: current.unfit, contention: contention, audit: audit, clock: clock)
    }
}

extension Plan {
    fileprivate func requireConnectors(_ connectors: [String: any Connector]) throws {
        guard let system = systems.first(where: { connectors[$0.name] == nil }) else { return }
        throw FarewellError(
            "plan.no-connector", .yoursToFix, "No connector exists for the plan's system \(system.name).",
            remedy: "Use a kind that Farewell knows, or pass a connector.")
    }

    /// The columns that name subjects' files, by folder, and subjects in other systems, by step.
    var namingColumns: [String: ColumnName] {
        var columns: [String: ColumnName] = [:]
        for folder in folders {
            if case .column(let column) = folder.location { columns[folder.name] = column }
        }
        for system in systems {
            if case .column(let column) = system.person { columns[system.step] = column }
        }
        return columns
    }

    /// Whether a retention is counted from the day of the erasure.
    var countsFromErasure: Bool {
        tables.contains { table in
            table.rule.retention.map { $0.start == nil } ?? false
        }
    }

    /// Whether third-party systems may know subjects without a row.
    var knowsPeopleElsewhere: Bool { systems.contains { $0.person == .key } }

    /// The plan with its relative folders made absolute.
    func rooted(at folder: String) -> Plan {
        var plan = self
        for position in plan.folders.indices where !plan.folders[position].root.hasPrefix("/") {
            plan.folders[position].root =
                URL(fileURLWithPath: folder)
                .appendingPathComponent(plan.folders[position].root).standardizedFileURL.path
        }
        return plan
    }
}
