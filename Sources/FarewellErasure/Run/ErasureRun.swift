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

    var rows: RowErasure { rows(.init()) }

    private func rows(_ turn: RowErasure.Turn) -> RowErasure {
        RowErasure(prepared: context.prepared, control: context.control, owner: context.owner, turn: turn)
    }

    func run(_ members: [OpenedErasure], done: [UUID: [StepRecord]] = [:]) async -> [ErasureOutcome] {
        var outcomes: [ErasureOutcome] = []
        let large = members.filter { $0.size >= context.options.largeAccount }
        let small = members.filter { $0.size < context.options.largeAccount }
        if !small.isEmpty { outcomes += await attempt(small, done: done) }
        for member in large { outcomes += await attempt([member], done: done) }
        return outcomes
    }

    private func attempt(_ members: [OpenedErasure], done: [UUID: [StepRecord]]) async -> [ErasureOutcome] {
        var open = members
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
        _ members: [OpenedErasure], done: [UUID: [StepRecord]], after error: any Error
    ) async -> [ErasureOutcome] {
        let code = (error as? FarewellError)?.code
        var outcomes: [ErasureOutcome] = []
        if code == GuardFailure.schemaChanged.code, let error = error as? FarewellError {
            return await goOnIfSame(members, done: done, error)
        }
        if code == GuardFailure.largeAccount.code, members.count == 1, members[0].size < context.options.largeAccount {
            return await attemptInChunks(members[0], done: done)
        }
        if members.count > 1, !Self.concernsAll(error) {
            for member in members { outcomes += await attempt([member], done: await steps(of: member, done)) }
            return outcomes
        }
        if members.count > 1, Self.isInTheWay(error) { return await attemptApart(members, done: done, error) }
        for member in members { outcomes.append(await settle(member, error)) }
        return outcomes
    }

    /// One by one, so that a locked row delays only its own subjects: each is tried once. If several in succession are
    /// locked, the rest is not tried.
    private func attemptApart(
        _ members: [OpenedErasure], done: [UUID: [StepRecord]], _ error: any Error
    ) async -> [ErasureOutcome] {
        var run = self
        if Contention.isHeld(by: error) { run.tries = 1 }
        var outcomes: [ErasureOutcome] = []
        var held: [FarewellError] = []
        for member in members {
            if held.count > 1, let error = held.last {
                outcomes.append(await settle(member, error))
                continue
            }
            let mine = await run.attempt([member], done: steps(of: member, done))
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
        _ member: OpenedErasure, done: [UUID: [StepRecord]]
    ) async -> [ErasureOutcome] {
        do {
            let member = try await measured(member)
            guard member.size >= context.options.largeAccount else {
                return [await settle(member, GuardFailure.divisionByZero)]
            }
            return await attempt([member], done: await steps(of: member, done))
        } catch {
            return [await settle(member, error)]
        }
    }

    /// A schema that only looks changed (analysed, a new partition) stops no erasure; another schema parks all.
    private func goOnIfSame(
        _ members: [OpenedErasure], done: [UUID: [StepRecord]], _ error: FarewellError
    ) async -> [ErasureOutcome] {
        var outcomes: [ErasureOutcome] = []
        if let fresh = try? await context.prepared.restamped(on: context.database),
            fresh.stamp != context.prepared.stamp
        {
            var run = ErasureRun(context: context.with(fresh))
            run.tries = tries
            for member in members { outcomes += await run.attempt([member], done: steps(of: member, done)) }
        } else {
            for member in members { outcomes.append(await settle(member, error)) }
        }
        return outcomes
    }

    /// Whether an error comes from the surroundings, so that each member would also fail alone.
    private static func concernsAll(_ error: any Error) -> Bool {
        guard let error = error as? FarewellError else { return true }
        return error.family == .tryAgain && error.code != GuardFailure.leaseLost.code
    }

    private func steps(of member: OpenedErasure, _ done: [UUID: [StepRecord]]) async -> [UUID: [StepRecord]] {
        [member.id: (try? await storedSteps(of: member)) ?? done[member.id] ?? []]
    }

    private func storedSteps(of member: OpenedErasure) async throws -> [StepRecord] {
        try await context.control.steps.records(of: member.id).run(in: context.database)
    }

    // MARK: The stages

    /// Stage by stage, after the completed ones. Settled subjects are removed from the members.
    private func carryOut(
        _ members: inout [OpenedErasure], into outcomes: inout [ErasureOutcome], done: [UUID: [StepRecord]]
    ) async throws {
        var counts = done.mapValues { records in
            Dictionary(records.filter { $0.state == .done }.map { ($0.name, $0.counts) }) { first, _ in first }
        }
        try await requireHolders(members, after: done)
        try await context.prepared.requireBuckets(in: context.database)
        try await requireFolders(of: members, after: done)
        var verifying: Set<UUID> = []
        for stage in stages {
            let open = members.filter { member in stage.steps.contains { counts[member.id]?[$0] == nil } }
            guard !open.isEmpty else { continue }
            if case .systems(let systems) = stage {
                // If rows remain, the run parks, and the user can sign in and request again.
                if systems.contains(where: { $0.stage == .identity }) { try await readBack(open, &counts) }
                let found = try await erase(systems, of: open, done: counts)
                counts.merge(found.counts) { old, new in old.merging(new) { _, new in new } }
                outcomes += await drop(found.failures, from: &members)
                continue
            }
            let found = try await apply(stage, to: open, done: done)
            for (id, places) in found { counts[id, default: [:]][stage.step] = places }
            if stage.leadsToVerifying { verifying.formUnion(open.map(\.id)) }
            for member in open { await observe(member.id, .finished(step: stage.step)) }
        }
        try await beginVerifying(members.filter { !verifying.contains($0.id) })
        try await conclude(&members, into: &outcomes, counts)
    }

    /// Continues without the subjects that failed; one subject's failure does not affect the others.
    private func drop(
        _ failures: [UUID: any Error], from members: inout [OpenedErasure]
    ) async -> [ErasureOutcome] {
        var outcomes: [ErasureOutcome] = []
        for member in members {
            if let error = failures[member.id] { outcomes.append(await settle(member, error)) }
        }
        members.removeAll { failures[$0.id] != nil }
        return outcomes
    }

    private func conclude(
        _ members: inout [OpenedErasure], into outcomes: inout [ErasureOutcome],
        _ before: [UUID: [String: [String: Int]]]
    ) async throws {
        var counts = before
        try await requireSchema(members)
        let again = try await lookAgain(for: members, after: counts)
        for (id, found) in again.counts { counts[id, default: [:]].merge(found) { _, new in new } }
        outcomes += await drop(again.failures, from: &members)
        guard !members.isEmpty else { return }
        try await lookAgainForFiles(of: members, &counts)
        let verification = ErasureVerification(context: context)
        var found = try await verification.verify(members) { try await sweep($0, in: .verifying, &counts) }
        found.shared.readBack.places += context.connectors.values.count { $0.declaration.abilities.contains(.verify) }
        for member in members { await observe(member.id, .verified) }
        outcomes += try await ErasureCompletion(context: context, members: members, counts: counts).complete(found)
    }

    /// Makes sure that none of the rows is left before the account itself is deleted.
    ///
    /// - Throws: `verify.leftovers`.
    private func readBack(
        _ members: [OpenedErasure], _ counts: inout [UUID: [String: [String: Int]]]
    ) async throws {
        let verification = ErasureVerification(context: context)
        _ = try await verification.readBack(members) { try await sweep($0, in: .running, &counts) }
    }

    /// Concludes an erasure whose steps are all done: read back, receipt.
    func finish(_ member: OpenedErasure, steps: [StepRecord]) async -> [ErasureOutcome] {
        let counts = Dictionary(steps.map { ($0.name, $0.counts) }) { first, _ in first }
        var (open, outcomes) = ([member], [ErasureOutcome]())
        do {
            try await requireHolders(open, after: [member.id: steps])
            try await conclude(&open, into: &outcomes, [member.id: counts])
        } catch {
            outcomes += open.isEmpty ? [] : await attemptAgain(open, done: [member.id: steps], after: error)
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
        _ stage: Stage, to members: [OpenedErasure], done: [UUID: [StepRecord]]
    ) async throws -> [UUID: [String: Int]] {
        let fresh = members.filter { member in
            if case .part(_, isFirst: true) = stage, done[member.id] == nil { return false }
            return true
        }
        if !fresh.isEmpty { try await begin(stage.step, fresh) }
        for member in members { await observe(member.id, .began(step: stage.step)) }
        switch stage {
        case .systems: return [:]
        case .folder(let folder):
            var counts: [UUID: [String: Int]] = [:]
            for (turn, member) in members.enumerated() {
                counts[member.id] = try await FolderErasure(context: context, folder: folder).apply(
                    to: member, after: Array(members[..<turn]))
            }
            return counts
        case .part(let part, _): return try await apply(part, to: members, done: done)
        }
    }

    private func apply(
        _ part: RowErasure.Part, to members: [OpenedErasure], done: [UUID: [StepRecord]]
    ) async throws -> [UUID: [String: Int]] {
        if let member = members.first, members.count == 1, part.step == "rows",
            member.size >= context.options.largeAccount || done[member.id]?.contains(where: \.isInChunks) == true
        {
            // A retry continues at its stored cursor, and nowhere else.
            let counts = try await retrying(members) { turn in
                let erasure = ChunkedErasure(
                    rows: rows(turn), environment: context.environment, observe: context.observe)
                let progress = try await storedSteps(of: member).first { $0.name == part.step }?.progress
                return try await erasure.apply(part, to: member, from: progress, on: context.database)
            }
            return [member.id: counts]
        }
        let limit = part.step == "rows" ? context.options.largeAccount : Int.max
        return try await retrying(members) { turn in
            try await context.database.withConnection { connection in
                try await rows(turn).apply(
                    part, to: members, .init(limit: limit, leavesWaiting: context.canLeaveWaiting), on: connection,
                    now: context.environment.now())
            }
        }
    }

    /// The subject's rows, counted: the subject has too many for one transaction.
    private func measured(_ member: OpenedErasure) async throws -> OpenedErasure {
        let key = member.subject.key.value
        let found = try await context.database.withConnection { connection in
            try await SubjectResolver(prepared: context.prepared).resolve([key], on: connection)[key]
        }
        var member = member
        member.subject.counts = found?.counts ?? [:]
        return member
    }

    /// Erases reappeared or remaining rows again, under the same run, as a step of its own each time. Rows that a
    /// cascade would have deleted may have lost their parent, so nothing is left to a cascade.
    ///
    /// - Parameters:
    ///   - state: The state the erasures have, before and afterwards.
    ///   - counts: The counts, by subject and step; the new step is added.
    private func sweep(
        _ members: [OpenedErasure], in state: ErasureState, _ counts: inout [UUID: [String: [String: Int]]]
    ) async throws {
        var number = 1
        for member in members {
            let done = try await storedSteps(of: member)
            try await requireHolders([member], after: [member.id: done])
            number = max(number, done.count { $0.name.hasPrefix(Self.sweep) && $0.state == .done } + 1)
        }
        let name = number == 1 ? Self.sweep : "\(Self.sweep) \(number)"
        let part = RowErasure.Part(step: name, scope: .leftovers, next: state)
        try await begin(name, members, from: state)
        let swept = try await retrying(members) { turn in
            try await context.database.withConnection { connection in
                try await rows(turn).apply(
                    part, to: members, .init(limit: Int.max, leavesWaiting: false), on: connection,
                    now: context.environment.now())
            }
        }
        for (id, places) in swept { counts[id, default: [:]][name] = places }
    }

    /// Stops an erasure if another person now has the subject's key.
    private func requireHolders(_ members: [OpenedErasure], after done: [UUID: [StepRecord]]) async throws {
        let holder = KeyHolder(prepared: context.prepared)
        for member in members {
            guard let steps = done[member.id], !steps.isEmpty else { continue }
            try await context.database.withConnection { connection in
                try await holder.require(member.subject, after: steps, on: connection)
            }
        }
    }

    /// The name of the step that erases reappeared rows; a second and third one are numbered.
    static let sweep = "sweep"

    // MARK: Trouble

    /// The outcome of a member whose step failed: it stays as it is if another try can help, and otherwise it is parked
    /// with the cause in words.
    private func settle(_ member: OpenedErasure, _ error: any Error) async -> ErasureOutcome {
        if let rest = error as? SystemRest {
            await context.handBack(member, resting: rest)
            return .unfinished(member.id, subject: member.subject.key.text, rest.error)
        }
        guard let error = error as? FarewellError else {
            await context.handBack(member, failed: false)
            return .interrupted(member.id, subject: member.subject.key.text)
        }
        guard error.family != .tryAgain else {
            await context.handBack(member, failed: true)
            return .unfinished(
                member.id, subject: member.subject.key.text, error.namingForeignTables(of: context.prepared))
        }
        return await ErasureParking(context: context).park(member, error)
    }

    func observe(_ id: UUID, _ event: ErasureProgress.Event) async {
        await context.observe(ErasureProgress(erasure: id, event: event))
    }
}
