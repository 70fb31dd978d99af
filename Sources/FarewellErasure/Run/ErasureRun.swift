// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import FarewellSQL
import Foundation

/// Completes accepted erasures: files, rows, identity, reading back, receipt.
///
/// Small accounts that are passed in together share transactions, each still with its own counts and outcome. After a
/// failure of the group each is tried alone, so that one subject's failure does not affect the others.
struct ErasureRun: Sendable {
    let context: ErasureContext
    /// The largest number of tries of an act that the database asks to repeat.
    var tries = 5

    init(context: ErasureContext) { self.context = context }

    func run(_ erasures: [OpenedErasure], done: [UUID: [StepRecord]] = [:]) async -> [ErasureOutcome] {
        var outcomes: [ErasureOutcome] = []
        let large = erasures.filter { $0.size >= context.options.largeAccount }
        let small = erasures.filter { $0.size < context.options.largeAccount }
        if !small.isEmpty { outcomes += await attempt(small, done: done) }
        for erasure in large { outcomes += await attempt([erasure], done: done) }
        return outcomes
    }

    private func attempt(_ erasures: [OpenedErasure], done: [UUID: [StepRecord]]) async -> [ErasureOutcome] {
        var open = erasures
        var settled: [ErasureOutcome] = []
        do {
            try await carryOut(&open, into: &settled, done: done)
            return settled
        } catch {
            // Erasures that were settled before keep their outcomes, even if an error stops the others.
            return settled + (open.isEmpty ? [] : await attemptAgain(open, done: done, after: error))
        }
    }

    private func attemptAgain(
        _ erasures: [OpenedErasure], done: [UUID: [StepRecord]], after error: any Error
    ) async -> [ErasureOutcome] {
        let code = (error as? FarewellError)?.code
        var outcomes: [ErasureOutcome] = []
        if code == GuardFailure.schemaChanged.code, let error = error as? FarewellError {
            return await goOnIfSame(erasures, done: done, error)
        }
        if code == GuardFailure.largeAccount.code, erasures.count == 1, erasures[0].size < context.options.largeAccount
        {
            return await attemptInChunks(erasures[0], done: done)
        }
        if erasures.count > 1, !Self.concernsAll(error) {
            for erasure in erasures { outcomes += await attempt([erasure], done: await steps(of: erasure, done)) }
            return outcomes
        }
        if erasures.count > 1, Self.isInTheWay(error) { return await attemptApart(erasures, done: done, error) }
        for erasure in erasures { outcomes.append(await settle(erasure, error)) }
        return outcomes
    }

    /// One by one, so that a locked row delays only its own subjects: each is tried once. If several in succession are
    /// locked, the rest is not tried.
    private func attemptApart(
        _ erasures: [OpenedErasure], done: [UUID: [StepRecord]], _ error: any Error
    ) async -> [ErasureOutcome] {
        var run = self
        if Contention.isHeld(by: error) { run.tries = 1 }
        var outcomes: [ErasureOutcome] = []
        var held: [FarewellError] = []
        for erasure in erasures {
            if held.count > 1, let error = held.last {
                outcomes.append(await settle(erasure, error))
                continue
            }
            let mine = await run.attempt([erasure], done: steps(of: erasure, done))
            outcomes += mine
            if case .unfinished(_, _, let error)? = mine.first, Contention.isHeld(by: error) {
                held.append(error)
            } else {
                held = []
            }
        }
        return outcomes
    }

    /// Counts the rows of an account that was too large for one transaction. If there are not many, a function of the
    /// database itself divided by zero.
    private func attemptInChunks(
        _ erasure: OpenedErasure, done: [UUID: [StepRecord]]
    ) async -> [ErasureOutcome] {
        do {
            let erasure = try await measured(erasure)
            guard erasure.size >= context.options.largeAccount else {
                return [await settle(erasure, GuardFailure.divisionByZero)]
            }
            return await attempt([erasure], done: await steps(of: erasure, done))
        } catch {
            return [await settle(erasure, error)]
        }
    }

    /// A schema that only looks changed (analysed, a new partition) stops no erasure; another schema parks all.
    private func goOnIfSame(
        _ erasures: [OpenedErasure], done: [UUID: [StepRecord]], _ error: FarewellError
    ) async -> [ErasureOutcome] {
        var outcomes: [ErasureOutcome] = []
        if let fresh = try? await context.prepared.restamped(on: context.database),
            fresh.stamp != context.prepared.stamp
        {
            var run = ErasureRun(context: context.with(fresh))
            run.tries = tries
            for erasure in erasures { outcomes += await run.attempt([erasure], done: steps(of: erasure, done)) }
        } else {
            for erasure in erasures { outcomes.append(await settle(erasure, error)) }
        }
        return outcomes
    }

    /// Whether an error comes from the surroundings, so that each erasure would also fail alone.
    private static func concernsAll(_ error: any Error) -> Bool {
        guard let error = error as? FarewellError else { return true }
        return error.family == .tryAgain && error.code != GuardFailure.leaseLost.code
    }

    private func steps(of erasure: OpenedErasure, _ done: [UUID: [StepRecord]]) async -> [UUID: [StepRecord]] {
        [erasure.id: (try? await storedSteps(of: erasure)) ?? done[erasure.id] ?? []]
    }

    private func storedSteps(of erasure: OpenedErasure) async throws -> [StepRecord] {
        try await context.control.steps.records(of: erasure.id).run(in: context.database)
    }

    // MARK: The stages

    /// Stage by stage, after the completed ones. Settled erasures are removed from the list.
    private func carryOut(
        _ erasures: inout [OpenedErasure], into outcomes: inout [ErasureOutcome], done: [UUID: [StepRecord]]
    ) async throws {
        var counts = done.mapValues { records in
            Dictionary(records.filter { $0.state == .done }.map { ($0.name, $0.counts) }) { first, _ in first }
        }
        // What the ledger cannot record would be forgotten after a restore.
        try LedgerFailure.passing { try context.ledger.requireRoom(for: erasures.count) }
        try await requireHolders(erasures, after: done)
        try await context.prepared.requireBuckets(in: context.database)
        try await requireFolders(of: erasures, after: done)
        var verifying: Set<UUID> = []
        for stage in stages {
            let open = erasures.filter { erasure in stage.steps.contains { counts[erasure.id]?[$0] == nil } }
            guard !open.isEmpty else { continue }
            if case .systems(let systems) = stage {
                // If rows remain, the run parks, and the user can sign in and request again.
                if systems.contains(where: { $0.stage == .identity }) { try await readBack(open, &counts) }
                let found = try await erase(systems, of: open, done: counts)
                counts.merge(found.counts) { old, new in old.merging(new) { _, new in new } }
                outcomes += await drop(found.failures, from: &erasures)
                continue
            }
            let found = try await apply(stage, to: open, done: done)
            for (id, places) in found { counts[id, default: [:]][stage.step] = places }
            if stage.leadsToVerifying { verifying.formUnion(open.map(\.id)) }
            for erasure in open { await observe(erasure.id, .finished(step: stage.step)) }
        }
        try await beginVerifying(erasures.filter { !verifying.contains($0.id) })
        try await conclude(&erasures, into: &outcomes, counts)
    }

    /// Continues without the subjects that failed; one subject's failure does not affect the others.
    private func drop(
        _ failures: [UUID: any Error], from erasures: inout [OpenedErasure]
    ) async -> [ErasureOutcome] {
        var outcomes: [ErasureOutcome] = []
        for erasure in erasures {
            if let error = failures[erasure.id] { outcomes.append(await settle(erasure, error)) }
        }
        erasures.removeAll { failures[$0.id] != nil }
        return outcomes
    }

    private func conclude(
        _ erasures: inout [OpenedErasure], into outcomes: inout [ErasureOutcome],
        _ before: [UUID: [String: [String: Int]]]
    ) async throws {
        var counts = before
        try await requireSchema(erasures)
        let again = try await lookAgain(for: erasures, after: counts)
        for (id, found) in again.counts { counts[id, default: [:]].merge(found) { _, new in new } }
        outcomes += await drop(again.failures, from: &erasures)
        guard !erasures.isEmpty else { return }
        try await lookAgainForFiles(of: erasures, &counts)
        let verification = ErasureVerification(context: context)
        var found = try await verification.verify(erasures) { try await sweep($0, in: .verifying, &counts) }
        found.shared.readBack.places += context.connectors.values.count { $0.declaration.abilities.contains(.verify) }
        for erasure in erasures { await observe(erasure.id, .verified) }
        outcomes += try await ErasureCompletion(context: context, erasures: erasures, counts: counts).complete(found)
    }

    /// Makes sure that none of the rows is left before the account itself is deleted.
    ///
    /// - Throws: `verify.leftovers`.
    private func readBack(
        _ erasures: [OpenedErasure], _ counts: inout [UUID: [String: [String: Int]]]
    ) async throws {
        let verification = ErasureVerification(context: context)
        _ = try await verification.readBack(erasures) { try await sweep($0, in: .running, &counts) }
    }

    /// Concludes an erasure whose steps are all done: read back, receipt.
    func finish(_ erasure: OpenedErasure, steps: [StepRecord]) async -> [ErasureOutcome] {
        let counts = Dictionary(steps.map { ($0.name, $0.counts) }) { first, _ in first }
        var (open, outcomes) = ([erasure], [ErasureOutcome]())
        do {
            try await requireHolders(open, after: [erasure.id: steps])
            try await conclude(&open, into: &outcomes, [erasure.id: counts])
        } catch {
            outcomes += open.isEmpty ? [] : await attemptAgain(open, done: [erasure.id: steps], after: error)
        }
        return outcomes
    }

    /// One stage of the run: other systems, a folder, or a part of the rows.
    private enum Stage {
        case systems([SystemPlan])
        case folder(FolderPlan)
        case part(RowErasure.Part, isFirst: Bool)

        /// Systems have a step each.
        var steps: [String] {
            switch self {
            case .systems(let systems): systems.map(\.step)
            case .folder(let folder): [folder.step]
            case .part(let part, _): [part.step]
            }
        }

        var step: String { steps[0] }

        var leadsToVerifying: Bool {
            if case .part(let part, _) = self { part.next == .verifying } else { false }
        }
    }

    private var stages: [Stage] {
        let parts = context.parts
        let plan = context.prepared.plan
        var stages = plan.systems(.first).isEmpty ? [] : [Stage.systems(plan.systems(.first))]
        var rest = parts[...]
        for stage in plan.order {
            if stage == .files {
                stages += plan.folders.map(Stage.folder)
            } else if let part = rest.popFirst() {
                stages.append(.part(part, isFirst: stages.isEmpty))
            }
        }
        if !plan.systems(.identity).isEmpty { stages.append(.systems(plan.systems(.identity))) }
        return stages
    }

    private func apply(
        _ stage: Stage, to erasures: [OpenedErasure], done: [UUID: [StepRecord]]
    ) async throws -> [UUID: [String: Int]] {
        let fresh = erasures.filter { erasure in
            if case .part(_, isFirst: true) = stage, done[erasure.id] == nil { return false }
            return true
        }
        if !fresh.isEmpty { try await begin(stage.step, fresh) }
        for erasure in erasures { await observe(erasure.id, .began(step: stage.step)) }
        switch stage {
        case .systems: return [:]
        case .folder(let folder):
            var counts: [UUID: [String: Int]] = [:]
            for (turn, erasure) in erasures.enumerated() {
                counts[erasure.id] = try await FolderErasure(context: context, folder: folder).apply(
                    to: erasure, after: Array(erasures[..<turn]))
            }
            return counts
        case .part(let part, _): return try await apply(part, to: erasures, done: done)
        }
    }

    private func apply(
        _ part: RowErasure.Part, to erasures: [OpenedErasure], done: [UUID: [StepRecord]]
    ) async throws -> [UUID: [String: Int]] {
        if let erasure = erasures.first, erasures.count == 1, part.step == "rows",
            erasure.size >= context.options.largeAccount || done[erasure.id]?.contains(where: \.isInChunks) == true
        {
            // A retry continues at its stored cursor, and nowhere else.
            let counts = try await retrying(erasures) { turn in
                let large = ChunkedErasure(
                    transaction: context.stepTransaction(turn), environment: context.environment,
                    observe: context.observe)
                let progress = try await storedSteps(of: erasure).first { $0.name == part.step }?.progress
                return try await large.apply(part, to: erasure, from: progress, on: context.database)
            }
            return [erasure.id: counts]
        }
        let limit = part.step == "rows" ? context.options.largeAccount : Int.max
        return try await retrying(erasures) { turn in
            try await context.database.withConnection { connection in
                try await RowErasure(transaction: context.stepTransaction(turn)).apply(
                    part, to: erasures, .init(limit: limit, leavesWaiting: context.canLeaveWaiting), on: connection,
                    now: context.environment.now)
            }
        }
    }

    /// The subject's rows, counted: the subject has too many for one transaction.
    private func measured(_ erasure: OpenedErasure) async throws -> OpenedErasure {
        let key = erasure.subject.key.value
        let found = try await context.database.withConnection { connection in
            try await SubjectResolver(prepared: context.prepared).resolve([key], on: connection)[key]
        }
        var erasure = erasure
        erasure.subject.counts = found?.counts ?? [:]
        return erasure
    }

    /// Erases reappeared or remaining rows again, under the same run, as a step of its own each time. Rows that a
    /// cascade would have deleted may have lost their parent, so nothing is left to a cascade.
    ///
    /// - Parameters:
    ///   - state: The state the erasures have, before and afterwards.
    ///   - counts: The counts, by subject and step; the new step is added.
    private func sweep(
        _ erasures: [OpenedErasure], in state: ErasureState, _ counts: inout [UUID: [String: [String: Int]]]
    ) async throws {
        var number = 1
        for erasure in erasures {
            let done = try await storedSteps(of: erasure)
            try await requireHolders([erasure], after: [erasure.id: done])
            number = max(number, done.count { $0.name.hasPrefix(Self.sweep) && $0.state == .done } + 1)
        }
        let name = number == 1 ? Self.sweep : "\(Self.sweep) \(number)"
        let part = RowErasure.Part(step: name, scope: .leftovers, next: state)
        try await begin(name, erasures, from: state)
        let swept = try await retrying(erasures) { turn in
            try await context.database.withConnection { connection in
                try await RowErasure(transaction: context.stepTransaction(turn)).apply(
                    part, to: erasures, .init(limit: Int.max, leavesWaiting: false), on: connection,
                    now: context.environment.now)
            }
        }
        for (id, places) in swept { counts[id, default: [:]][name] = places }
    }

    /// Stops an erasure if another person now has the subject's key.
    private func requireHolders(_ erasures: [OpenedErasure], after done: [UUID: [StepRecord]]) async throws {
        let holder = KeyHolder(prepared: context.prepared)
        for erasure in erasures {
            guard let steps = done[erasure.id], !steps.isEmpty else { continue }
            try await context.database.withConnection { connection in
                try await holder.require(erasure.subject, after: steps, on: connection)
            }
        }
    }

    /// The name of the step that erases reappeared rows; a second and third one are numbered.
    static let sweep = "sweep"

    // MARK: Trouble

    /// The outcome of an erasure whose step failed: it stays as it is if another try can help; otherwise it is parked
    /// with the cause in words.
    private func settle(_ erasure: OpenedErasure, _ error: any Error) async -> ErasureOutcome {
        if let rest = error as? SystemRest {
            await context.handBack(erasure, resting: rest)
            return .unfinished(erasure.id, subject: erasure.subject.key.text, rest.error)
        }
        guard let error = error as? FarewellError else {
            await context.handBack(erasure, failed: false)
            return .interrupted(erasure.id, subject: erasure.subject.key.text)
        }
        guard error.family != .tryAgain else {
            await context.handBack(erasure, after: error)
            return .unfinished(
                erasure.id, subject: erasure.subject.key.text, error.namingForeignTables(of: context.prepared))
        }
        return await ErasureParking(context: context).park(erasure, error)
    }

    func observe(_ id: UUID, _ event: ErasureProgress.Event) async {
        await context.observe(ErasureProgress(erasure: id, event: event))
    }
}
