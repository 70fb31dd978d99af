// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation

/// Erases small accounts that were just accepted, in as few round trips and waits for the disk as can be: one round
/// trip for the rows and for reading back, one for the receipt.
///
/// The transactions and what each records are the same as everywhere else; they only follow each other more closely.
/// Whatever goes wrong in between is gone on with step by step, or by whoever takes the erasure up later.
struct PromptErasure: Sendable {
    let context: ErasureContext
    let rows: RowErasure
    let part: RowErasure.Part

    /// What became of it: the rows are gone, and the erasures have ended unless something was found again.
    struct Answer: Sendable {
        var counts: [UUID: [String: Int]]
        var outcomes: [ErasureOutcome]?
    }

    /// Where nothing but rows is erased and read back, on a database that takes several transactions at once.
    init?(context: ErasureContext, rows: RowErasure) {
        let isPlain = context.canLeaveWaiting && ErasureVerification(context: context).isReadingBack
        guard isPlain, context.parts.count == 1, context.parts[0].next == .verifying else { return nil }
        self.context = context
        self.rows = rows
        self.part = context.parts[0]
    }

    func run(_ members: [ErasureMember]) async throws -> Answer {
        for member in members { await observe(member.id, .began(step: part.step)) }
        let answer = try await context.database.withConnection { try await run(members, on: $0) }
        // Told when nothing is held any longer: whoever is told may take its time.
        for member in members { await observe(member.id, .finished(step: part.step)) }
        guard answer.outcomes != nil else { return answer }
        for event in [ErasureProgress.Event.verified, .entered, .done] {
            for member in members { await observe(member.id, event) }
        }
        return answer
    }

    private func run(_ members: [ErasureMember], on connection: any SQLConnection) async throws -> Answer {
        let readBack = ReadBack(prepared: context.prepared)
        let questions = readBack.statements(about: members)
        // Nobody else may append to the audit log until this transaction ends: of several people the receipts are
        // signed first.
        let opening = [context.control.begin] + context.audit.head
        let isOpened = members.count == 1
        let manner = RowErasure.Manner(limit: context.options.largeAccount, leavesWaiting: true)
        let (counts, results) = try await rows.apply(
            part, to: members, manner, then: questions + (isOpened ? opening : []), on: connection,
            now: context.environment.now())
        guard ReadBack.leftovers(results.prefix(questions.count)).isEmpty else {
            if isOpened { try await connection.run(context.control.rollback) }
            return Answer(counts: counts)
        }
        let completion = ErasureCompletion(
            context: context, members: members, counts: counts.mapValues { [part.step: $0] })
        let verification = ReceiptVerification(readBack: .init(places: readBack.places, rowsLeft: 0))
        let outcomes = try await completion.complete(verification, on: connection) {
            isOpened ? results.last : try await connection.pipeline(opening).last
        }
        return Answer(counts: counts, outcomes: outcomes)
    }

    private func observe(_ id: UUID, _ event: ErasureProgress.Event) async {
        await context.observe(ErasureProgress(erasure: id, event: event))
    }
}
