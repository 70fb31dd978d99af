// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import FarewellKeys
import FarewellSQL
import Foundation

/// One erasing call of the command: previews, asks, erases, reports.
struct ErasureSession: Sendable {
    let database: any SQLDatabase
    let plan: Plan
    let installation: InstallationOptions
    let run: RunOptions
    let answer: OutputOptions
    private let keeping = ReceiptKeeping()

    /// - Parameter output: The folder into which the data of the one subject is exported first.
    func erase(_ subjects: [String], isConfirmed: Bool, exportingTo output: String? = nil) async throws {
        if !isConfirmed { try await Confirmation(session: self).ask(subjects) }
        async let isConnected: Void = connectAgain(for: subjects.count)
        let engine = try await engine()
        await isConnected
        if let output, let subject = subjects.first { try await export(subject, to: output, engine) }
        try await go(subjects.count, subjects: subjects, engine) { options, observe in
            try await engine.erase(subjects, options: options, observe: observe)
        }
    }

    /// Ctrl-C removes an unfinished export, and nothing is erased.
    private func export(_ subject: String, to output: String, _ engine: ErasureEngine) async throws {
        let manifest = try await Interruption.heeded {
            Terminal.error.line("Stopping. Nothing is erased.")
        } _: {
            let manifest = try await installation.namingUnfinished(of: subject, under: plan, in: database) {
                try await UnfinishedExports(state: installation.statePath).noting(output) {
                    try await engine.export(subject, to: output, interrupted: .continued)
                }
            }
            // Ctrl-C may come after the export's last check for it.
            try Task.checkCancellation()
            return manifest
        }
        if !answer.json { ExportReport(manifest).say(on: Terminal.output) }
    }

    /// Opens a second connection while the plan is checked on the first, so that two groups can begin at once.
    private func connectAgain(for people: Int) async {
        guard people > 1, run.options.concurrency > 1, database.dialect.takesSeveralWriters else { return }
        // The command that needs it reports what is wrong.
        try? await database.withConnection { _ in }
    }

    func resume(takingOver: Bool) async throws {
        let open = try await ErasureArchive(database).open().filter { $0.erasure.state != .needsAttention }
        let engine = try await engine()
        try await go(open.count, subjects: [], engine, besides: left) { options, observe in
            try await engine.resume(takingOver: takingOver, options: options, observe: observe)
        }
    }

    /// The erasures that remain after a resumption and that it did not try: they count for the exit status as well.
    private func left(_ outcomes: [ErasureOutcome]) async throws -> (words: [String], status: ExitStatus) {
        let tried = Set(outcomes.compactMap(\.open))
        let left = try await ErasureArchive(database).open().filter { !tried.contains($0.erasure.id) }
        let parked = left.count { $0.erasure.state == .needsAttention }
        let waiting = left.count { $0.erasure.state != .needsAttention && $0.isWaiting }
        let held = left.count - parked - waiting
        var words: [String] = []
        if waiting > 0 { words.append("\(Words.count(waiting, "erasure")) waiting: see farewell status.") }
        if held > 0 { words.append("\(Words.count(held, "erasure")) held by a process that may be alive.") }
        if parked > 0 { words.append("\(Words.count(parked, "erasure")) parked: see farewell status.") }
        return (words, parked > 0 ? .findings : .done)
    }

    func release(_ id: UUID) async throws {
        let engine = try await engine()
        try await go(1, subjects: [], engine, none: nil, besides: { try await untried(id, $0) }) { options, observe in
            try await engine.release(id, options: options, observe: observe)
        }
    }

    /// The reason why a released erasure was not tried.
    private func untried(
        _ id: UUID, _ outcomes: [ErasureOutcome]
    ) async throws -> (words: [String], status: ExitStatus) {
        guard outcomes.isEmpty else { return ([], .done) }
        guard let reason = try await ErasureArchive(database).erasure(id)?.holdReason else {
            return (["The erasure is released, and another process continues it: see farewell status."], .done)
        }
        return (["The erasure is released. " + ErasureEnding.held(id, reason)], .done)
    }

    /// An engine that only reads.
    func looking() async throws -> ErasureEngine {
        try await ErasureEngine.looking(
            at: database, plan: plan, folder: installation.folder,
            connectors: try PlanSystems.connecting(plan), environment: .live(log: answer.log))
    }

    private func engine() async throws -> ErasureEngine {
        var environment = EngineEnvironment.live(log: answer.log)
        let receipts = Receipts(state: installation.statePath)
        environment.issued = { [keeping] in keeping.keep($0, in: receipts) }
        return try await ErasureEngine.open(
            database, plan: plan, folder: installation.folder, state: installation.statePath, lease: run.lease,
            connectors: try PlanSystems.connecting(plan), environment: environment)
    }

    private func go(
        _ total: Int, subjects: [String], _ engine: ErasureEngine, none: String? = "No unfinished erasures.",
        besides others: ([ErasureOutcome]) async throws -> (words: [String], status: ExitStatus) = { _ in ([], .done) },
        _ work: @escaping @Sendable (ErasureOptions, @escaping ErasureObserver) async throws -> [ErasureOutcome]
    ) async throws {
        let report = ErasureReport(answer.json ? .json : .lines, total: total)
        var options = run.options
        // SQLite has one writer at a time, and scrubbing its file takes all of it.
        if !database.dialect.takesSeveralWriters { options.concurrency = 1 }
        let chosen = options
        let clock = ContinuousClock.now
        let begun = EngineEnvironment.live(log: answer.log).now()
        let outcomes: [ErasureOutcome]
        do {
            outcomes = try await Interruption.heeded {
                await report.interrupt("Stopping cleanly; finished steps are kept. Press again to stop at once.")
            } _: {
                try await work(chosen) { await report.observe($0) }
            }
        } catch is CancellationError {
            let known = try await accepted(subjects, since: begun, engine)
            await report.say("Interrupted. " + Self.rest(known, of: subjects.count))
            throw ExitStatus.interrupted
        }
        await report.close()
        let ending = ErasureEnding(
            database: database, installation: installation, engine: engine, keeping: keeping, subjects: subjects,
            none: none)
        let took = (ContinuousClock.now - clock) / .seconds(1)
        let besides = try await others(outcomes)
        let status = try await ending.report(outcomes, besides: besides.status, took: took, isJSON: answer.json)
        if !answer.json { besides.words.forEach { Terminal.output.line($0) } }
        if await report.isInterrupted, outcomes.count < subjects.count {
            // Subjects whose erasure did not begin have no outcome.
            await report.say("Interrupted. " + Self.rest(outcomes.count, of: subjects.count))
            throw ExitStatus.gravest([status, .interrupted])
        }
        guard status == .done else { throw status }
    }

    /// The number of accepted erasures: an erasure in the database is accepted, even if its answer was lost.
    private func accepted(_ subjects: [String], since begun: Date, _ engine: ErasureEngine) async throws -> Int {
        var count = 0
        for subject in subjects {
            let found = try await engine.statuses(ofSubject: subject).map(\.erasure)
            // The database may keep less of an instant than this process.
            if found.contains(where: { $0.state.isLive || $0.requestedAt > begun - 1 }) { count += 1 }
        }
        return count
    }

    /// The text for an interrupted command, after this number of subjects was accepted or known.
    static func rest(_ accepted: Int, of asked: Int) -> String {
        let resume = "To resume accepted erasures that are not finished: farewell erase --resume"
        switch (accepted, asked) {
        // No subject was named: the command resumed existing erasures.
        case (_, 0): return resume
        case (0, _): return "No erasure was accepted and nothing was changed: send the request again."
        case (asked..., _): return resume
        default:
            let others = Words.count(asked - accepted, "other was", "others were")
            return resume + "\nThe \(others) not accepted: send the request again."
        }
    }
}
