// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Erases small accounts in one transaction, from their being asked for to the receipt: recognised, erased, counted,
/// read back, recorded. All of it happens, or nothing does.
///
/// Three round trips. Whatever does not go so smoothly is left to be done step by step, each recorded before and
/// after: somebody with a great many rows, rows that reappear, a database that refuses, a schema that has changed.
struct PromptErasure: Sendable {
    let context: ErasureContext

    /// What became of the people asked for.
    struct Answer: Sendable {
        var outcomes: [ErasureOutcome] = []
        /// Those who are to be erased step by step.
        var rest: [SQLValue] = []
    }

    /// Where nothing but rows is erased and read back, on a database that takes several transactions at once.
    init?(context: ErasureContext) {
        let isPlain = context.canLeaveWaiting && ErasureVerification(context: context).isReadingBack
        guard isPlain, context.parts.map(\.next) == [.verifying] else { return nil }
        self.context = context
    }

    func erase(_ keys: [SQLValue]) async throws -> Answer {
        let ended: Ended
        do {
            ended = try await context.database.withConnection { connection in
                do {
                    return try await erase(keys, on: connection)
                } catch {
                    _ = try? await connection.run(context.control.rollback)
                    throw error
                }
            }
        } catch let lost as LostAnswer {
            ended = try await find(lost.endings, among: keys)
        } catch is FarewellError {
            return Answer(rest: keys)
        }
        await tell(ended.endings)
        return Answer(outcomes: ended.endings.map { .done($0.receipt, signed: $0.signed) }, rest: ended.rest)
    }

    /// Erasures that have come to their end, and those who are left.
    private struct Ended {
        var endings: [ErasureCompletion.Ending] = []
        var rest: [SQLValue]
    }

    /// The transaction was told to end, and the answer was an error or none: it may have happened.
    private struct LostAnswer: Error {
        let endings: [ErasureCompletion.Ending]
    }

    private func find(_ endings: [ErasureCompletion.Ending], among keys: [SQLValue]) async throws -> Ended {
        let found = try await context.database.withConnection { connection in
            try await connection.pipeline(endings.map { context.control.find($0.member.id) })
        }
        // All of them or none.
        guard found.allSatisfy({ !$0.rows.isEmpty }) else { return Ended(rest: keys) }
        let ended = Set(endings.map(\.member.subject.key.value))
        return Ended(endings: endings, rest: keys.filter { !ended.contains($0) })
    }

    private func erase(_ keys: [SQLValue], on connection: any SQLConnection) async throws -> Ended {
        let (members, rest) = try await recognise(keys, on: connection)
        guard !members.isEmpty, let erased = try await eraseRows(of: members, on: connection) else {
            try await connection.run(context.control.rollback)
            return Ended(rest: keys)
        }
        let now = context.environment.now()
        let completion = ErasureCompletion(
            context: context, members: members, counts: erased.counts.mapValues { [step: $0] })
        let places = ReadBack(prepared: context.prepared).places
        let endings = try await completion.endings(.init(readBack: .init(places: places, rowsLeft: 0)), at: now)
        let head = members.count == 1 ? erased.head : try await connection.pipeline(context.audit.head).last
        try await commit(endings, erased.counts, completion.entries(at: now), after: head, at: now, on: connection)
        return Ended(endings: endings, rest: rest)
    }

    private var step: String { context.parts[0].step }

    // MARK: The round trips

    /// Those of whom there is something and who have no live erasure. Nobody else begins with one of them until the
    /// transaction ends.
    private func recognise(
        _ keys: [SQLValue], on connection: any SQLConnection
    ) async throws -> (members: [ErasureMember], rest: [SQLValue]) {
        let control = context.control
        let hashes = context.subjectHashes(keys)
        let opening =
            [control.begin, control.boundStatements] + context.prepared.guards(control)
            + [control.hold(subjectHashes: hashes)]
        let (found, following) = try await SubjectResolver(prepared: context.prepared).recognise(
            keys, after: opening, then: [control.live(subjectHashes: hashes)], on: connection)
        let live = Set(following.first?.rows.compactMap { $0.first?.text } ?? [])
        let free = zip(keys, hashes).filter { !live.contains($0.1) }.compactMap { found[$0.0] }
        let now = context.environment.now()
        let members = try free.map { try context.newMember($0, state: .running, at: now) }
        let taken = Set(members.map(\.subject.key.value))
        return (members, keys.filter { !taken.contains($0) })
    }

    /// Deletes the rows and reads back, and tells how many there were of whom; for one person the audit log's head as
    /// well, on which nobody else can then build until the transaction ends. Of several people the receipts are signed
    /// first. `nil` when it must be done step by step.
    private func eraseRows(
        of members: [ErasureMember], on connection: any SQLConnection
    ) async throws -> (counts: [UUID: [String: Int]], head: SQLResult?)? {
        let deletes = CountedDeletes(of: members, in: context.prepared)
        let check = context.prepared.hasDeferrableKeys ? [context.control.checkKeys] : []
        let questions = ReadBack(prepared: context.prepared).statements(about: members)
        let head = members.count == 1 ? context.audit.head : []
        let results = try await connection.pipeline(deletes.statements + check + questions + head)
        let counts = deletes.counts(results.prefix(deletes.statements.count))
        let answers = results.dropFirst(deletes.statements.count + check.count).prefix(questions.count)
        let root = "\(context.prepared.plan.subject.table)"
        let areSmall = counts.values.allSatisfy { $0.values.reduce(0, +) < context.options.largeAccount }
        let areTold = counts.values.allSatisfy { ($0[root] ?? 0) > 0 }
        guard areSmall, areTold, ReadBack.leftovers(answers).isEmpty else { return nil }
        return (counts, results.last)
    }

    /// Records everything and ends the transaction.
    ///
    /// The ledger is written before and reaches its disk meanwhile.
    /// Once sent, nobody's interruption stops it: else nobody would know whether it happened.
    private func commit(
        _ endings: [ErasureCompletion.Ending], _ counts: [UUID: [String: Int]], _ entries: [LedgerEntry],
        after head: SQLResult?, at now: Date, on connection: any SQLConnection
    ) async throws {
        let control = context.control
        let accepted = endings.map {
            AuditLog.Act(act: "erasure.accepted", erasure: $0.member.id, subjectHash: $0.member.record.subjectHash)
        }
        let startedAt = endings.first?.member.record.requestedAt ?? now
        let statements =
            control.record(endings.map { ($0.member, $0.signed) }, at: now)
            + [control.record(step: step, counts: counts, begunAt: startedAt, at: now)]
            + (try control.enter(entries)) + (try RetentionKeeping(context: context).statements(endings))
            + (try context.audit.append(accepted + endings.map(\.act), after: head, actor: "engine", at: now))
        let ledger = LedgerFile(context.keys)
        try Task.checkCancellation()
        try ledger.add(entries)
        async let synced: Void = ledger.sync()
        do {
            _ = try await Task { try await connection.pipeline(statements + [control.commit]) }.value
            // Should the file fail now, the database's own copy of the ledger has the lines.
            try await synced
        } catch {
            throw LostAnswer(endings: endings)
        }
    }

    /// Whoever observes is told when nothing is held any longer, and may take its time.
    private func tell(_ endings: [ErasureCompletion.Ending]) async {
        let events: [ErasureProgress.Event] = [
            .accepted, .began(step: step), .finished(step: step), .verified, .entered, .done,
        ]
        for ending in endings {
            for event in events { await context.observe(ErasureProgress(erasure: ending.member.id, event: event)) }
        }
    }
}
