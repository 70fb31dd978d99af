// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation

/// One transaction that brings small accounts to their receipts: rows erased, counted and read back, everything
/// recorded. All of it happens, or nothing does.
///
/// Only where nothing but rows is erased and read back, on a database that takes several transactions at once.
struct SingleTransaction: Sendable {
    let context: ErasureContext

    init?(context: ErasureContext) {
        let isPlain = context.canLeaveWaiting && ErasureVerification(context: context).isReadingBack
        guard isPlain, context.parts.map(\.next) == [.verifying] else { return nil }
        self.context = context
    }

    /// The one step that there is.
    var step: String { context.parts[0].step }

    /// What is asked before the transaction ends, where keys are looked at only then.
    var check: [SQLStatement] { context.prepared.hasDeferrableKeys ? [context.control.checkKeys] : [] }

    /// The transaction was told to end, and the answer was an error or none: it may have happened.
    struct LostAnswer: Error {
        let endings: [ErasureCompletion.Ending]
    }

    /// Runs `body` on one connection; what an error of it leaves open is rolled back.
    func run<Ended: Sendable>(_ body: (any SQLConnection) async throws -> Ended) async throws -> Ended {
        try await context.database.withConnection { connection in
            do {
                return try await body(connection)
            } catch {
                context.note(error)
                _ = try? await connection.run(context.control.rollback)
                throw error
            }
        }
    }

    /// What came of those whose rows are gone, with their receipts.
    func completed(
        _ members: [ErasureMember], _ counts: [UUID: [String: Int]], at now: Date
    ) async throws -> (endings: [ErasureCompletion.Ending], entries: [LedgerEntry]) {
        let completion = ErasureCompletion(
            context: context, members: members, counts: counts.mapValues { [step: $0] })
        if completion.countsFromToday { try context.clock.requireTrustedBefore() }
        let places = ReadBack(prepared: context.prepared).places
        let endings = try await completion.endings(.init(readBack: .init(places: places, rowsLeft: 0)), at: now)
        return (endings, completion.entries(at: now))
    }

    /// Whoever observes is told when nothing is held any longer, and may take its time.
    func tell(_ endings: [ErasureCompletion.Ending], after first: [ErasureProgress.Event] = []) async {
        await context.issued(endings)
        let events = first + [.began(step: step), .finished(step: step), .verified, .entered, .done]
        for ending in endings {
            for event in events { await context.observe(ErasureProgress(erasure: ending.member.id, event: event)) }
        }
    }
}
