// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// Ends verified erasures: ledger, audit log, receipt; destroys the sealed subjects.
package struct ErasureCompletion: Sendable {
    let context: ErasureContext
    var erasures: [OpenedErasure]
    /// Rows and files for each erasure, step and place.
    let counts: [UUID: [String: [String: Int]]]

    /// An erasure's receipt, as it is and as it is handed out.
    struct Ending: Sendable {
        let erasure: OpenedErasure
        package let receipt: Receipt
        package let signed: String
        /// Rows and files for each step and place.
        let counts: [String: [String: Int]]

        /// The audit log's entry.
        var act: AuditLog.Act {
            AuditLog.Act(
                act: "erasure.done", erasure: erasure.id, subjectHash: erasure.record.subjectHash,
                details: [
                    "erased": "\(receipt.totals.erased)", "anonymised": "\(receipt.totals.anonymised)",
                    "retained": "\(receipt.totals.retained)",
                ])
        }
    }

    /// Ends them with what their verification found.
    func complete(_ verification: GroupVerification) async throws -> [ErasureOutcome] {
        if countsFromToday { try await context.clock.requireTrusted() }
        let now = context.endTime(of: erasures)
        let given = try await context.control.receiptsGiven(to: erasures).run(in: context.database)
        var completion = self
        completion.erasures = context.receivingOthers(erasures, given: given)
        return try await completion.completed(verification, at: now)
    }

    private func completed(_ verification: GroupVerification, at now: Date) async throws -> [ErasureOutcome] {
        let endings = try await endings(verification, at: now)
        try LedgerFailure.passing { try context.ledger.append(entries(at: now), .begun) }
        for erasure in erasures { await observe(erasure.id, .entered) }
        try await context.database.withConnection { connection in
            try await record(endings, on: connection, at: now)
        }
        context.confirm(endings)
        await context.issued(endings)
        for erasure in erasures { await observe(erasure.id, .done) }
        return endings.map { .done($0.receipt, signed: $0.signed) }
    }

    /// Whether a day is stored for one of them that is counted from today.
    var countsFromToday: Bool { erasures.contains(where: ReceiptWriter(context: context).countsFromToday) }

    /// Receipts are made and signed concurrently: that is most of a group's work outside the database. Not on the
    /// connection's thread, on which they would be made one after the other and other answers would wait.
    func endings(_ verification: GroupVerification, at now: Date) async throws -> [Ending] {
        guard erasures.count >= 8 else { return try erasures.map { try ending(of: $0, verification, at: now) } }
        let length = (erasures.count + 3) / 4
        return try await withThrowingTaskGroup(of: (Int, [Ending]).self) { tasks in
            for part in erasures.chunks(ofCount: length) {
                let make: @Sendable () throws -> (Int, [Ending]) = {
                    (part.startIndex, try part.map { try ending(of: $0, verification, at: now) })
                }
                #if os(Linux)
                tasks.addTask(executorPreference: globalConcurrentExecutor, operation: make)
                #else
                tasks.addTask(operation: make)
                #endif
            }
            var made: [(Int, [Ending])] = []
            for try await piece in tasks { made.append(piece) }
            return made.sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
    }

    private func ending(
        of erasure: OpenedErasure, _ verification: GroupVerification, at now: Date
    ) throws -> Ending {
        let counts = counts[erasure.id] ?? [:]
        let receipt = ReceiptWriter(context: context).receipt(
            erasure, counts, verification.verification(of: erasure), at: now)
        let signer = ReceiptSigner(key: context.keys.signingKey)
        return Ending(erasure: erasure, receipt: receipt, signed: try signer.sign(receipt), counts: counts)
    }

    func entries(at now: Date) -> [LedgerEntry] { erasures.map { entry($0, at: now) } }

    private func entry(_ erasure: OpenedErasure, at now: Date) -> LedgerEntry {
        LedgerEntry(
            subject: SubjectHash(rawValue: erasure.record.subjectHash), incarnation: erasure.subject.incarnation,
            erasedAt: now, receipt: erasure.receipt)
    }

    /// One transaction, fenced by the lease: a worker that has lost it issues no receipt.
    private func record(
        _ endings: [Ending], on connection: any SQLConnection, at now: Date
    ) async throws {
        try await context.stepTransaction().guarded(erasures, .verifying, on: connection) {
            let head = try await connection.pipeline([context.control.begin] + context.audit.head).last
            _ = try await connection.pipeline(try statements(endings, after: head, at: now))
        }
    }

    private func statements(_ endings: [Ending], after head: SQLResult?, at now: Date) throws -> [SQLStatement] {
        let control = context.control
        let finishing = control.requests.finish(
            endings.map { ($0.erasure, $0.signed) }, owner: context.owner, at: now)
        let entering = try control.enter(entries(at: now))
        let appending = try context.audit.append(endings.map(\.act), after: head, actor: "engine", at: now)
        let keeping = try RetentionKeeping(context: context).statements(endings)
        return finishing + entering + keeping + appending + [control.commit]
    }

    private func observe(_ id: UUID, _ event: ErasureProgress.Event) async {
        await context.observe(ErasureProgress(erasure: id, event: event))
    }
}

extension ErasureContext {
    /// The same erasures, with another receipt for each whose own was issued already: the database was restored to a
    /// time when the erasure was unfinished, and it had ended since. Two receipts of one name would contradict each
    /// other. The ledger shows which were issued; if it was moved away, the receipt's file does.
    ///
    /// - Parameter given: The answer of `ControlStore.receiptsGiven`.
    func receivingOthers(_ erasures: [OpenedErasure], given: Set<UUID>) -> [OpenedErasure] {
        erasures.map { erasure in
            var erasure = erasure
            let isGiven = given.contains(erasure.id) || ledger.hasReceiptFile(of: erasure.id)
            if isGiven { erasure.otherReceipt = environment.makeIdentifier() }
            return erasure
        }
    }

    /// Notes in the ledger's file that erasures were committed. A note that fails now is made when the file is next
    /// compared with the database, which has it.
    func confirm(_ endings: [ErasureCompletion.Ending]) {
        do {
            try ledger.confirm(endings.map(\.receipt.id))
        } catch {
            environment.log.warning(
                "The ledger's file cannot be written; the database has the entries and restores the file.",
                metadata: ["erasures": "\(endings.count)"])
        }
    }
}
