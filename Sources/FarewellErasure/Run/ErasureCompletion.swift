// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellSQL
import Foundation
import Logging

/// Ends verified erasures: ledger, audit log, receipt; destroys the sealed subjects.
package struct ErasureCompletion: Sendable {
    let context: ErasureContext
    var members: [OpenedErasure]
    /// Rows and files for each member, step and place.
    let counts: [UUID: [String: [String: Int]]]

    /// A member's receipt, as it is and as it is handed out.
    struct Ending: Sendable {
        let member: OpenedErasure
        package let receipt: Receipt
        package let signed: String

        /// The audit log's entry.
        var act: AuditLog.Act {
            AuditLog.Act(
                act: "erasure.done", erasure: member.id, subjectHash: member.record.subjectHash,
                details: [
                    "erased": "\(receipt.totals.erased)", "anonymised": "\(receipt.totals.anonymised)",
                    "retained": "\(receipt.totals.retained)",
                ])
        }
    }

    /// Ends them with what their verification found.
    func complete(_ verification: GroupVerification) async throws -> [ErasureOutcome] {
        if countsFromToday { try await context.clock.requireTrusted() }
        let now = context.endTime(of: members)
        let given = try await context.database.withConnection { connection in
            try await connection.run(context.control.receiptsGiven(to: members))
        }
        var completion = self
        completion.members = context.receivingOthers(members, where: given)
        return try await completion.completed(verification, at: now)
    }

    private func completed(_ verification: GroupVerification, at now: Date) async throws -> [ErasureOutcome] {
        let endings = try await endings(verification, at: now)
        try LedgerFailure.passing { try context.ledger.append(entries(at: now), .begun) }
        for member in members { await observe(member.id, .entered) }
        try await context.database.withConnection { connection in
            try await record(endings, on: connection, at: now)
        }
        context.confirm(endings)
        await context.issued(endings)
        for member in members { await observe(member.id, .done) }
        return endings.map { .done($0.receipt, signed: $0.signed) }
    }

    /// Whether a day is stored for one of them that is counted from today.
    var countsFromToday: Bool { members.contains(where: ReceiptWriter(context: context).countsFromToday) }

    private var rows: RowErasure {
        RowErasure(prepared: context.prepared, control: context.control, owner: context.owner)
    }

    /// Receipts are made and signed concurrently: that is most of a group's work outside the database. Not on the
    /// connection's thread, on which they would be made one after the other and other answers would wait.
    func endings(_ verification: GroupVerification, at now: Date) async throws -> [Ending] {
        guard members.count >= 8 else { return try members.map { try ending(of: $0, verification, at: now) } }
        let length = (members.count + 3) / 4
        return try await withThrowingTaskGroup(of: (Int, [Ending]).self) { tasks in
            for part in members.chunks(ofCount: length) {
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
        of member: OpenedErasure, _ verification: GroupVerification, at now: Date
    ) throws -> Ending {
        let receipt = ReceiptWriter(context: context).receipt(
            member, counts[member.id] ?? [:], verification.verification(of: member), at: now)
        let signer = ReceiptSigner(key: context.keys.signingKey)
        return Ending(member: member, receipt: receipt, signed: try signer.sign(receipt))
    }

    func entries(at now: Date) -> [LedgerEntry] { members.map { entry($0, at: now) } }

    private func entry(_ member: OpenedErasure, at now: Date) -> LedgerEntry {
        LedgerEntry(
            subject: SubjectHash(rawValue: member.record.subjectHash), incarnation: member.subject.incarnation,
            erasedAt: now, receipt: member.receipt)
    }

    /// One transaction, fenced by the lease: a worker that has lost it issues no receipt.
    private func record(
        _ endings: [Ending], on connection: any SQLConnection, at now: Date
    ) async throws {
        try await rows.guarded(members, .verifying, on: connection) {
            let head = try await connection.pipeline([context.control.begin] + context.audit.head).last
            _ = try await connection.pipeline(try statements(endings, after: head, at: now))
        }
    }

    private func statements(_ endings: [Ending], after head: SQLResult?, at now: Date) throws -> [SQLStatement] {
        let control = context.control
        let finishing = control.requests.finish(
            endings.map { ($0.member, $0.signed) }, owner: context.owner, at: now)
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
    /// The same members, with another receipt for each whose own was issued already: the database was restored to a
    /// time when the erasure was unfinished, and it had ended since. Two receipts of one name would contradict each
    /// other. The ledger shows which were issued; if it was moved away, the receipt's file does.
    ///
    /// - Parameter result: The answer of `ControlStore.receiptsGiven`.
    func receivingOthers(_ members: [OpenedErasure], where result: SQLResult?) -> [OpenedErasure] {
        let given = Set(result?.rows.compactMap { ControlStore.receipt($0.first) } ?? [])
        return members.map { member in
            var member = member
            let isGiven = given.contains(member.id) || ledger.hasReceiptFile(of: member.id)
            if isGiven { member.otherReceipt = environment.makeIdentifier() }
            return member
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
